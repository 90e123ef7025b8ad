"""Twenty labelers at once, ten tabs, double clicks: real threads and real locks."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.contrib.auth.models import User
from django.db import connections
from django.db.models import Count
from django.utils import timezone

from labeling.models import Candidate, CriteriaSet, Label, Slot
from labeling.services.labels import give_label, undo_last
from labeling.services.queue import next_slot
from tests.factories import live, make_candidate, make_criteria_set, make_user

pytestmark = [pytest.mark.faults, pytest.mark.django_db(transaction=True)]


def at_once[T, R](work: Callable[[T], R], each: list[T]) -> list[R]:
    """Run `work` for each in a thread of its own, all starting at the same moment."""
    start = Barrier(len(each))

    def started(one: T) -> R:
        start.wait(timeout=30)
        try:
            return work(one)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(each)) as pool:
        return list(pool.map(started, each))


def labelers(criteria_set: CriteriaSet, count: int) -> list[User]:
    return [make_user(labels=criteria_set) for _ in range(count)]


def give(row: Candidate, labeler: User, verdict: str = "pass") -> bool:
    """Whether an earlier submission had given the label."""
    given = give_label(
        candidate=row,
        version=live(row.criteria_set),
        labeler=labeler,
        verdict=verdict,
        marks={},
        comment="",
        seconds=1,
        now=timezone.now(),
    )
    return given.already


@pytest.mark.parametrize("labels_per_row", [1, 2])
def test_twenty_at_once_never_meet_on_one_slot(labels_per_row: int) -> None:
    criteria_set = make_criteria_set(labels_per_row=labels_per_row)
    for _ in range(20 // labels_per_row):
        make_candidate(criteria_set, slots=labels_per_row)

    def take(labeler: User) -> Slot | None:
        return next_slot(version=live(criteria_set), labeler=labeler, now=timezone.now())

    slots = at_once(take, labelers(criteria_set, 20))

    taken = Counter(slot.pk for slot in slots if slot)
    assert len(taken) == 20
    people = (
        Slot.objects.values("candidate")
        .annotate(n=Count("labeler", distinct=True))
        .values_list("n", flat=True)
    )
    assert set(people) == {labels_per_row}


def test_twenty_work_a_queue_empty_and_no_row_is_labelled_too_often() -> None:
    criteria_set = make_criteria_set(labels_per_row=2)
    for _ in range(15):
        make_candidate(criteria_set, slots=2)

    def work(labeler: User) -> int:
        done = 0
        while slot := next_slot(version=live(criteria_set), labeler=labeler, now=timezone.now()):
            give(slot.candidate, labeler)
            done += 1
        return done

    done = at_once(work, labelers(criteria_set, 20))

    assert sum(done) == Label.objects.count() == 30
    per_row = Label.objects.order_by().values("candidate").annotate(n=Count("labeler", distinct=True))
    assert {row["n"] for row in per_row} == {2}


def test_one_labeler_in_ten_tabs_holds_one_row() -> None:
    criteria_set = make_criteria_set(labels_per_row=2)
    for _ in range(10):
        make_candidate(criteria_set, slots=2)
    [labeler] = labelers(criteria_set, 1)

    def take(_: int) -> Slot | None:
        return next_slot(version=live(criteria_set), labeler=labeler, now=timezone.now())

    assert len({slot.pk for slot in at_once(take, list(range(10))) if slot}) == 1


def test_a_label_sent_ten_times_at_once_is_given_once() -> None:
    criteria_set = make_criteria_set(labels_per_row=2)
    row = make_candidate(criteria_set, slots=2)
    [labeler] = labelers(criteria_set, 1)

    already = at_once(lambda verdict: give(row, labeler, verdict), ["pass", "fail"] * 5)

    assert sorted(already) == [False] + [True] * 9
    assert Label.objects.count() == 1
    assert Slot.objects.filter(state="done").count() == 1


def test_undo_pressed_ten_times_at_once_takes_back_what_was_meant() -> None:
    criteria_set = make_criteria_set()
    [labeler] = labelers(criteria_set, 1)
    for _ in range(2):
        give(make_candidate(criteria_set, slots=1), labeler)
    last = f"label-{Label.objects.latest('pk').pk}"

    def undo(act: str) -> bool:
        try:
            undo_last(labeler=labeler, version=live(criteria_set), now=timezone.now(), act=act)
        except ValueError:
            return False
        return True

    assert at_once(undo, [last] * 10).count(True) == 1
    assert Label.objects.current().count() == 1
