"""Some rows are labelled by two people although one label is wanted."""

from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from labeling.domain.sampling import is_drawn, position
from labeling.models import Candidate, CriteriaSet, Slot
from labeling.services.criteria_settings import update_set
from labeling.services.labels import give_label
from labeling.services.passed_on import passed_on
from labeling.services.queue import SECOND, open_slots
from tests.factories import live, make_candidate, make_criteria_set, make_label, make_ruling, make_user

pytestmark = pytest.mark.django_db


def doubling(share: str = "0.2", rows: int = 0) -> CriteriaSet:
    criteria_set = make_criteria_set("notes")
    criteria_set.double_share, criteria_set.double_rows = Decimal(share), rows
    criteria_set.save()
    return criteria_set


def queued(criteria_set: CriteriaSet, count: int) -> list[Candidate]:
    before = criteria_set.candidates.count()
    made = [make_candidate(criteria_set, f"Note {before + number}") for number in range(count)]
    open_slots(version=live(criteria_set), candidate_ids=[row.pk for row in made])
    return made


def twice(criteria_set: CriteriaSet) -> set[int]:
    second = Slot.objects.filter(version=live(criteria_set), number=2)
    return set(second.values_list("candidate", flat=True))


def drawn(rows: list[Candidate], share: float) -> set[int]:
    return {row.pk for row in rows if is_drawn("double:notes", row.content_hash, share)}


def test_the_share_is_chosen_by_what_a_row_says() -> None:
    criteria_set = doubling()

    rows = queued(criteria_set, 60)

    assert twice(criteria_set) == drawn(rows, 0.2)
    assert 5 <= len(drawn(rows, 0.2)) <= 20


def test_the_fewest_come_out_by_the_smallest_positions() -> None:
    criteria_set = doubling(rows=30)

    rows = queued(criteria_set, 60)

    places = sorted(rows, key=lambda row: position("double:notes", row.content_hash))
    assert twice(criteria_set) == {row.pk for row in places[:30]}


@pytest.mark.parametrize("portion", [1, 7])
def test_the_fewest_come_out_of_rows_that_come_in_portions(portion: int) -> None:
    criteria_set = doubling("0.01", rows=30)

    for before in range(0, 28, portion):
        queued_before = len(twice(criteria_set))
        rows = [make_candidate(criteria_set) for _ in range(portion)]
        open_slots(version=live(criteria_set), candidate_ids=[row.pk for row in rows])
        assert len(twice(criteria_set)) == queued_before + portion, before
    queued(criteria_set, 20)

    assert len(twice(criteria_set)) >= 30


def test_a_portion_costs_as_many_queries_however_long_the_queue_is() -> None:
    criteria_set = doubling("1", rows=4)

    def cost() -> int:
        row = make_candidate(criteria_set)
        with CaptureQueriesContext(
            connection,
        ) as asked:
            open_slots(version=live(criteria_set), candidate_ids=[row.pk])
        return len(asked)

    queued(criteria_set, 10)
    few = max(cost() for _ in range(3))
    queued(criteria_set, 20)

    assert cost() <= few


@pytest.mark.parametrize(("share", "labels"), [("0", 1), ("0.5", 2)])
def test_no_row_gets_more_where_none_is_wanted(share: str, labels: int) -> None:
    criteria_set = doubling(share, rows=30)
    CriteriaSet.objects.update(labels_per_row=labels)
    criteria_set.refresh_from_db()

    queued(criteria_set, 10)

    assert Slot.objects.count() == 10 * labels


def test_a_row_that_was_ruled_on_is_not_labelled_twice_for_that() -> None:
    criteria_set = doubling("0.001", rows=2)
    ruled = make_candidate(criteria_set, slots=1)
    make_ruling(ruled)

    queued(criteria_set, 2)

    assert len(twice(criteria_set)) == 2
    assert ruled.pk not in twice(criteria_set)


def change(criteria_set: CriteriaSet, **changes: Any) -> None:
    update_set(criteria_set=criteria_set, actor=None, **changes)


def test_the_queue_follows_the_share_both_ways() -> None:
    criteria_set = doubling("0.2")
    rows = queued(criteria_set, 40)

    change(criteria_set, double_share=Decimal("0.5"))
    assert twice(criteria_set) == drawn(rows, 0.5)
    change(criteria_set, double_share=Decimal("0.1"), double_rows=0)
    assert twice(criteria_set) == drawn(rows, 0.1)
    change(criteria_set, double_rows=25)
    assert len(twice(criteria_set)) == 25
    change(criteria_set, labels_per_row=2)
    assert len(twice(criteria_set)) == 40


def test_a_second_place_that_comes_late_stands_before_the_rest() -> None:
    criteria_set = doubling("0")
    [row] = queued(criteria_set, 1)
    make_label(row, labeler := make_user())
    row.slots.update(state="done", labeler=labeler)

    change(criteria_set, double_share=Decimal(1))

    assert row.slots.get(number=2).priority == SECOND


def test_rows_that_two_people_labelled_count_when_the_share_falls() -> None:
    criteria_set = doubling("1")
    rows = queued(criteria_set, 5)
    for labeler in (make_user(), make_user()):
        for row in rows[:2]:
            give_label(
                candidate=row,
                version=live(criteria_set),
                labeler=labeler,
                verdict="pass",
                marks={},
                comment="",
                seconds=1,
                now=row.created_at,
            )

    change(criteria_set, double_share=Decimal("0.001"), double_rows=2)

    assert twice(criteria_set) == {row.pk for row in rows[:2]}
    assert not passed_on(live(criteria_set)).exists()
