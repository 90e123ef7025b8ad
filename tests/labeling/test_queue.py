"""Who gets which row next."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User

from labeling.models import Candidate, CriteriaSet, Label, Skip, Slot
from labeling.services import queue
from labeling.services.drafts import save_draft
from labeling.services.labels import correct_label, give_label, skip_row
from labeling.services.queue import (
    DRAWN,
    FIRST,
    SECOND,
    Left,
    NotWanted,
    next_row,
    open_slots,
    renew_lease,
    rows_left,
    rows_of_others,
    take_slot,
)
from labeling.services.undo import undo_last
from tests.factories import live, make_candidate, make_criteria_set, make_label, make_user, next_slot

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
LATER = NOW + timedelta(days=1)


def rows(criteria_set: CriteriaSet, count: int, *, slots: int = 1) -> list[Candidate]:
    return [make_candidate(criteria_set, slots=slots) for _ in range(count)]


def taken(criteria_set: CriteriaSet, labeler: User, now: datetime = NOW) -> Candidate | None:
    slot = next_slot(version=live(criteria_set), labeler=labeler, now=now)
    return slot.candidate if slot else None


def test_two_labelers_get_different_rows() -> None:
    criteria_set = make_criteria_set()
    first, second = rows(criteria_set, 2)

    assert taken(criteria_set, make_user()) == first
    assert taken(criteria_set, make_user()) == second
    assert taken(criteria_set, make_user()) is None


def test_a_labeler_gets_the_row_they_hold_again() -> None:
    criteria_set = make_criteria_set()
    rows(criteria_set, 2)
    labeler = make_user()

    assert taken(criteria_set, labeler) == taken(criteria_set, labeler)
    assert Slot.objects.filter(labeler=labeler).count() == 1


def test_a_lease_that_ended_is_free_for_others() -> None:
    criteria_set = make_criteria_set()
    [row] = rows(criteria_set, 1)
    gone, other = make_user(), make_user()
    taken(criteria_set, gone)

    assert taken(criteria_set, other, NOW + timedelta(minutes=5)) is None
    assert taken(criteria_set, other, LATER) == row


def test_priority_first_then_every_row_once_before_any_twice() -> None:
    criteria_set = make_criteria_set(labels_per_row=2)
    first, second = rows(criteria_set, 2, slots=2)
    urgent = make_candidate(criteria_set)
    open_slots(version=live(criteria_set), candidate_ids=[urgent.pk], priority=10)

    order = [taken(criteria_set, make_user()) for _ in range(6)]

    assert order == [urgent, urgent, first, second, first, second]


def test_no_row_comes_twice_to_the_same_person() -> None:
    criteria_set = make_criteria_set(labels_per_row=2)
    labelled, skipped = rows(criteria_set, 2, slots=2)
    labeler = make_user()
    make_label(labelled, labeler)
    Skip.objects.create(
        candidate=skipped, version=live(criteria_set), labeler=labeler, reason=Skip.Reason.NEEDS_EXPERT
    )

    assert taken(criteria_set, labeler) is None
    assert taken(criteria_set, make_user()) == labelled


def test_a_withdrawn_label_makes_the_row_new_again() -> None:
    criteria_set = make_criteria_set()
    [row] = rows(criteria_set, 1)
    labeler = make_user()
    make_label(row, labeler)
    Label.objects.update(withdrawn_at=NOW)

    assert taken(criteria_set, labeler) == row


def test_opening_slots_again_adds_none() -> None:
    criteria_set = make_criteria_set(labels_per_row=3)
    row = make_candidate(criteria_set)

    for _ in range(2):
        open_slots(version=live(criteria_set), candidate_ids=[row.pk])

    assert row.slots.count() == 3


def test_a_row_that_lay_too_long_and_went_to_another_is_not_wanted() -> None:
    criteria_set = make_criteria_set()
    [row] = rows(criteria_set, 1)
    slow, other = make_user(), make_user()
    taken(criteria_set, slow)
    taken(criteria_set, other, LATER)

    with pytest.raises(NotWanted, match="went to somebody else"):
        take_slot(candidate=row, version=live(criteria_set), labeler=slow, now=LATER)


def test_beyond_the_front_a_labeler_goes_on_where_they_were(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue, "_FRONT", 2)
    criteria_set = make_criteria_set(labels_per_row=2)
    labeler = make_user()
    first, second, missed, last, ahead = rows(criteria_set, 5, slots=2)
    Slot.objects.filter(number=1).update(state="done")
    Slot.objects.filter(candidate=last).update(state="done", labeler=None)
    Slot.objects.filter(candidate=last, number=2).update(labeler=labeler)
    for row in (first, second, last):
        make_label(row, labeler)

    assert taken(criteria_set, labeler) == ahead
    Slot.objects.filter(candidate=ahead).update(state="done")
    assert taken(criteria_set, labeler) == missed


def test_progress_counts_rows_for_this_labeler_only() -> None:
    criteria_set = make_criteria_set()
    done, *_ = rows(criteria_set, 4)
    labeler, other = make_user(), make_user()
    make_label(done, labeler)
    done.slots.update(state="done", labeler=labeler)
    taken(criteria_set, other)
    taken(criteria_set, labeler)

    assert rows_left(version=live(criteria_set), labeler=labeler, now=NOW) == Left(2, more=False)
    assert rows_of_others(version=live(criteria_set), labeler=labeler, now=NOW) == 1


def give(row: Candidate, labeler: User, now: datetime = NOW) -> Label:
    given = give_label(
        candidate=row,
        version=live(row.criteria_set),
        labeler=labeler,
        verdict="pass",
        marks={},
        comment="",
        seconds=1,
        now=now,
    )
    assert isinstance(given.label, Label)
    return given.label


def test_a_row_with_a_label_comes_before_a_draw_and_the_rest_and_after_the_first() -> None:
    criteria_set = make_criteria_set(labels_per_row=2)
    rest, drawn, begun, first = rows(criteria_set, 4, slots=2)
    open_slots(version=live(criteria_set), candidate_ids=[drawn.pk], priority=DRAWN)
    open_slots(version=live(criteria_set), candidate_ids=[first.pk], priority=FIRST)
    give(begun, make_user())

    order = [taken(criteria_set, make_user()) for _ in range(7)]

    assert order == [first, first, begun, drawn, drawn, rest, rest]


def test_rows_of_a_draw_come_in_its_order() -> None:
    criteria_set = make_criteria_set()
    one, two, three = rows(criteria_set, 3, slots=1)
    places = {three.pk: 1, one.pk: 2, two.pk: 3}
    open_slots(version=live(criteria_set), candidate_ids=list(places), priority=DRAWN, places=places)

    assert [taken(criteria_set, make_user()) for _ in range(3)] == [three, one, two]


def test_a_row_whose_only_label_is_undone_goes_back_to_its_place() -> None:
    criteria_set = make_criteria_set(labels_per_row=2)
    [row] = rows(criteria_set, 1, slots=2)
    ada, bob = make_user(), make_user()
    give(row, ada)
    give(row, bob)

    undo_last(labeler=ada, version=live(criteria_set), now=NOW)
    assert row.slots.get(state="open").priority == SECOND
    undo_last(labeler=bob, version=live(criteria_set), now=NOW)

    assert set(row.slots.values_list("state", "priority")) == {("open", 0)}


def test_behind_a_front_of_own_rows_come_those_of_less_priority(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue, "_FRONT", 2)
    criteria_set = make_criteria_set(labels_per_row=2)
    *done, new = rows(criteria_set, 6, slots=2)
    labeler = make_user()
    for row in done:
        give(row, labeler)

    assert rows_left(version=live(criteria_set), labeler=labeler, now=NOW) == Left(1, more=True)
    assert taken(criteria_set, labeler) == new


def test_who_is_on_the_page_keeps_the_row() -> None:
    criteria_set = make_criteria_set()
    [row] = rows(criteria_set, 1)
    labeler, other = make_user(), make_user()
    taken(criteria_set, labeler)
    who: dict[str, Any] = {"candidate": row, "version": live(criteria_set)}

    for minutes in (10, 20, 30):
        assert renew_lease(**who, labeler=labeler, now=NOW + timedelta(minutes=minutes))
        assert taken(criteria_set, other, NOW + timedelta(minutes=minutes + 9)) is None
    assert taken(criteria_set, other, LATER) == row
    assert renew_lease(**who, labeler=labeler, now=LATER) is None


def test_an_archived_set_hands_out_nothing_and_takes_nothing() -> None:
    criteria_set = make_criteria_set()
    row, *_ = rows(criteria_set, 2)
    labeler = make_user(labels=criteria_set)
    label, version = give(row, labeler), live(criteria_set)
    criteria_set.archived_at = version.criteria_set.archived_at = NOW
    criteria_set.save()

    assert next_row(version=version, labeler=labeler, now=NOW) is None
    assert rows_left(version=version, labeler=labeler, now=NOW) == Left(0, more=False)
    with pytest.raises(NotWanted, match="is archived"):
        give(row, labeler)
    with pytest.raises(NotWanted, match="is archived"):
        correct_label(label=label, verdict="fail", marks={}, comment="", now=NOW)
    with pytest.raises(NotWanted, match="is archived"):
        undo_last(labeler=labeler, version=version, now=NOW)
    with pytest.raises(NotWanted, match="is archived"):
        save_draft(candidate=row, version=version, labeler=labeler, content={}, now=NOW)
    with pytest.raises(NotWanted, match="is archived"):
        skip_row(candidate=row, version=version, labeler=labeler, reason="other", comment="", now=NOW)
