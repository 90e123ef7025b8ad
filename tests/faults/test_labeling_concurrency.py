"""Twenty labelers at once, ten tabs, double clicks: real threads and real locks."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Barrier

import pytest
from django.contrib.auth.models import User
from django.db import connection, connections
from django.db.models import Count
from django.utils import timezone

from labeling.models import Candidate, CriteriaSet, Label, Ruling, Slot
from labeling.services.draws import CannotDraw, draw_random
from labeling.services.labels import give_label, skip_row
from labeling.services.passed_on import passed_on
from labeling.services.queue import NotWanted, bring_forward, next_row, open_slots
from labeling.services.relabeling import ask_for_labels
from labeling.services.rulings import rule
from labeling.services.undo import undo_last
from tests.factories import live, make_candidate, make_criteria_set, make_user, next_slot

pytestmark = [pytest.mark.faults, pytest.mark.django_db(transaction=True)]

# On SQLite one writer comes after the other: fewer rows show the same.
ROWS = 500 if connection.vendor == "postgresql" else 60


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


def test_twenty_at_once_label_every_row_twice_and_no_row_more() -> None:
    criteria_set = make_criteria_set(labels_per_row=2)
    rows = [make_candidate(criteria_set) for _ in range(ROWS)]
    open_slots(version=live(criteria_set), candidate_ids=[row.pk for row in rows])
    before = Slot.objects.count()

    def work(labeler: User) -> int:
        given = 0
        while row := next_row(version=live(criteria_set), labeler=labeler, now=timezone.now()):
            given += not give(row, labeler)
        return given

    given = at_once(work, labelers(criteria_set, 20))

    labels = Label.objects.current().values_list("candidate", "labeler")
    assert sum(given) == len(labels) == len(set(labels)) == 2 * ROWS
    assert Counter(row for row, _ in labels) == {row.pk: 2 for row in rows}
    assert Slot.objects.filter(state="done").count() == Slot.objects.count() == before


def test_two_who_label_skip_and_undo_one_row_at_once_wait_for_each_other() -> None:
    criteria_set = make_criteria_set(labels_per_row=2)
    row = make_candidate(criteria_set, slots=2)

    def waver(labeler: User) -> None:
        for _ in range(5):
            give(row, labeler)
            undo_last(labeler=labeler, version=live(criteria_set), now=timezone.now())
        give(row, labeler)

    at_once(waver, labelers(criteria_set, 2))

    assert Label.objects.current().count() == row.slots.filter(state="done").count() == 2


def test_two_who_skip_a_row_at_once_send_it_to_the_leads() -> None:
    criteria_set = make_criteria_set()
    row = make_candidate(criteria_set, slots=1)
    two, *_ = [labelers(criteria_set, 2), labelers(criteria_set, 3)]

    def skip(labeler: User) -> None:
        skip_row(
            candidate=row,
            version=live(criteria_set),
            labeler=labeler,
            reason="broken_row",
            comment="",
            now=timezone.now(),
        )

    at_once(skip, two)

    assert list(passed_on(live(criteria_set))) == [row]


def test_leads_rule_while_people_label_the_same_rows() -> None:
    criteria_set = make_criteria_set(labels_per_row=2)
    rows = [make_candidate(criteria_set, slots=2) for _ in range(12)]
    lead = make_user(lead_of=criteria_set)

    def act(who: User) -> None:
        for row in rows if who.pk % 2 else reversed(rows):
            if who == lead:
                rule(
                    candidate=row,
                    version=live(criteria_set),
                    verdict="pass",
                    reason="So.",
                    actor=lead,
                    seen=None,
                )
            else:
                with suppress(NotWanted):
                    give(row, who)

    at_once(act, [lead, *labelers(criteria_set, 6)])

    per_row = Counter(Label.objects.values_list("candidate", flat=True))
    assert max(per_row.values(), default=0) <= 2
    assert Ruling.objects.current().count() == 12


def test_rows_are_drawn_and_brought_forward_by_many_at_once() -> None:
    criteria_set = make_criteria_set(labels_per_row=2)
    version = live(criteria_set)
    rows = [make_candidate(criteria_set).pk for _ in range(2 * ROWS)]
    open_slots(version=version, candidate_ids=rows[::3])

    def fill(turn: int) -> None:
        if turn % 3 == 0:
            with suppress(CannotDraw):
                now = timezone.now()
                draw_random(version=version, most=ROWS // 2, seed=str(turn), now=now, actor=lead)
        elif turn % 3 == 1:
            ask_for_labels(version=version, actor=lead)
        else:
            bring_forward(version=version, candidate_ids=rows[ROWS // 2 :])

    lead = make_user(lead_of=criteria_set)
    at_once(fill, list(range(6)))

    places = Slot.objects.order_by().values("candidate").annotate(n=Count("pk"))
    assert {row["n"] for row in places} == {2}
