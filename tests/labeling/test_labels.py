"""Giving, taking back, correcting and skipping: one label each, nothing overwritten, nothing lost."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User

from labeling.models import Candidate, CriteriaVersion, Criterion, Draft, Exposure, Label, Repeat, Skip, Slot
from labeling.services import truth
from labeling.services.drafts import draft_of, save_draft
from labeling.services.labels import Given, InvalidMarks, correct_label, give_label, skip_row
from labeling.services.queue import NotWanted
from labeling.services.undo import NothingToUndo, act_name, last_act, undo_last
from tests.factories import (
    live,
    make_candidate,
    make_criteria_set,
    make_label,
    make_user,
    make_version,
    next_slot,
)

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
LATER = NOW + timedelta(days=1)


@pytest.fixture
def row() -> Candidate:
    """A candidate whose set wants one label per row and has people to whom a skipped row can go."""
    row = make_candidate(make_criteria_set(), slots=1)
    make_user(labels=row.criteria_set)
    return row


@pytest.fixture
def labeler(row: Candidate) -> User:
    return make_user(labels=row.criteria_set)


def give(row: Candidate, labeler: User, verdict: str = "pass", **options: Any) -> Given:
    given: dict[str, Any] = {"marks": {}, "comment": "", "seconds": 7, "now": NOW, **options}
    version = given.pop("version", None) or live(row.criteria_set)
    return give_label(candidate=row, version=version, labeler=labeler, verdict=verdict, **given)


def label_of(row: Candidate, labeler: User, verdict: str = "pass", **options: Any) -> Label:
    """The label that was given."""
    label = give(row, labeler, verdict, **options).label
    assert isinstance(label, Label)
    return label


def skip(row: Candidate, labeler: User, now: datetime = NOW) -> Skip | Repeat:
    return skip_row(
        candidate=row,
        version=live(row.criteria_set),
        labeler=labeler,
        reason="broken_row",
        comment="cut off",
        now=now,
    )


def undo(row: Candidate, labeler: User, act: str = "") -> Slot:
    slot = undo_last(labeler=labeler, version=live(row.criteria_set), now=NOW, act=act)
    assert isinstance(slot, Slot)
    return slot


def test_a_label_fills_its_slot_and_keeps_what_was_said(row: Candidate, labeler: User) -> None:
    next_slot(version=live(row.criteria_set), labeler=labeler, now=NOW)

    label = label_of(row, labeler, "fail", marks={"meets_criteria": 0}, comment="No date.")

    assert (label.verdict, label.comment, label.seconds, label.blind) == ("fail", "No date.", 7, True)
    assert list(label.marks.values_list("criterion__name", "score")) == [("meets_criteria", 0)]
    assert row.slots.get().state == "done"


def test_sent_twice_the_first_stands(row: Candidate, labeler: User) -> None:
    first = give(row, labeler, "pass")

    again = give(row, labeler, "fail")

    assert again == Given(first.label, already=True)
    assert Label.objects.get().verdict == "pass"


def test_a_label_without_a_lease_is_taken_while_the_row_wants_one(row: Candidate, labeler: User) -> None:
    assert give(row, labeler).already is False
    assert row.slots.get().labeler == labeler


def test_a_row_that_has_its_labels_takes_no_more(row: Candidate, labeler: User) -> None:
    give(row, make_user())

    with pytest.raises(NotWanted, match="needs no more"):
        give(row, labeler)
    assert Label.objects.count() == 1


def test_a_row_held_by_another_is_not_taken_from_them(row: Candidate, labeler: User) -> None:
    next_slot(version=live(row.criteria_set), labeler=make_user(), now=NOW)

    with pytest.raises(NotWanted):
        give(row, labeler)


@pytest.mark.parametrize(
    ("marks", "sentence"),
    [({"meets_criteria": 2}, "must be from 0 to 1, not 2"), ({"style": 1}, "“style” is no criterion")],
)
def test_marks_must_fit_the_criteria(
    row: Candidate, labeler: User, marks: dict[str, int], sentence: str
) -> None:
    with pytest.raises(InvalidMarks, match=sentence):
        give(row, labeler, marks=marks)
    assert not Label.objects.exists()


@pytest.mark.parametrize(("seconds", "kept"), [(-5, 0), (90, 90), (100_000, 3_600), (None, None)])
def test_seconds_are_clamped(row: Candidate, labeler: User, seconds: int | None, kept: int | None) -> None:
    assert label_of(row, labeler, seconds=seconds).seconds == kept


@pytest.mark.parametrize("what", ["labels", "verdicts"])
def test_who_was_shown_labels_or_verdicts_is_not_blind(row: Candidate, labeler: User, what: str) -> None:
    Exposure.objects.create(user=labeler, candidate=row, version=live(row.criteria_set), what=what)

    assert label_of(row, labeler).blind is False


def test_a_label_stays_under_the_version_it_was_given_for(row: Candidate, labeler: User) -> None:
    old = live(row.criteria_set)
    next_slot(version=old, labeler=labeler, now=NOW)
    make_version(row.criteria_set, live=True)

    assert label_of(row, labeler, version=old).version == old


def test_undo_takes_back_the_label_and_brings_back_what_was_typed(row: Candidate, labeler: User) -> None:
    give(row, labeler, "fail", marks={"meets_criteria": 0}, comment="No date.")

    slot = undo(row, labeler)

    assert (slot.state, slot.labeler, slot.candidate) == ("open", labeler, row)
    assert not Label.objects.current().exists()
    assert Label.objects.count() == 1
    draft = draft_of(candidate=row, version=live(row.criteria_set), labeler=labeler)
    assert draft is not None
    assert draft.content == {
        "verdict": "fail",
        "marks": {"meets_criteria": 0},
        "comment": "No date.",
    }


def test_an_undone_row_comes_next_even_when_another_is_held(row: Candidate, labeler: User) -> None:
    second = make_candidate(row.criteria_set, slots=1)
    give(row, labeler)
    held = next_slot(version=live(row.criteria_set), labeler=labeler, now=NOW - timedelta(minutes=1))
    assert held is not None
    assert held.candidate == second

    undo(row, labeler)

    back = next_slot(version=live(row.criteria_set), labeler=labeler, now=NOW)
    assert back is not None
    assert back.candidate == row


def test_undo_of_a_skip_brings_the_row_back_while_nobody_has_it(row: Candidate, labeler: User) -> None:
    skip(row, labeler)

    assert undo(row, labeler).labeler == labeler
    assert not Skip.objects.current().exists()


def test_undo_of_a_skip_whose_row_is_taken_says_so(row: Candidate, labeler: User) -> None:
    skip(row, labeler)
    next_slot(version=live(row.criteria_set), labeler=make_user(), now=NOW)

    with pytest.raises(NotWanted, match="somebody else has this row"):
        undo(row, labeler)
    assert Skip.objects.current().exists()


def test_a_second_press_on_undo_takes_back_no_second_label(row: Candidate, labeler: User) -> None:
    give(row, labeler)
    give(make_candidate(row.criteria_set, slots=1), labeler)
    latest = last_act(labeler=labeler, version=live(row.criteria_set))
    assert latest is not None
    undo(row, labeler, act_name(latest))

    with pytest.raises(NothingToUndo, match="undone already"):
        undo(row, labeler, act_name(latest))
    assert Label.objects.current().count() == 1


def test_nothing_to_undo_is_said(row: Candidate, labeler: User) -> None:
    with pytest.raises(NothingToUndo, match="nothing to undo"):
        undo(row, labeler)


def test_labels_from_a_file_are_not_undone_here(row: Candidate, labeler: User) -> None:
    label = make_label(row, labeler)
    Label.objects.update(source=Label.Source.IMPORT)

    assert last_act(labeler=labeler, version=label.version) is None


def test_a_correction_supersedes_and_keeps_the_first(row: Candidate, labeler: User) -> None:
    first = label_of(row, labeler, "pass")

    second = correct_label(label=first, verdict="fail", marks={}, comment="On reflection", now=LATER)

    first.refresh_from_db()
    assert (second.supersedes, first.superseded_at) == (first, LATER)
    assert list(Label.objects.current()) == [second]


def test_a_label_is_corrected_once(row: Candidate, labeler: User) -> None:
    first = label_of(row, labeler, "pass")
    correct_label(label=first, verdict="fail", marks={}, comment="", now=LATER)

    with pytest.raises(NotWanted, match="meanwhile"):
        correct_label(label=first, verdict="fail", marks={}, comment="", now=LATER)


def test_undo_of_a_change_has_what_was_changed_count_again(row: Candidate, labeler: User) -> None:
    first = label_of(row, labeler, "pass")
    for verdict in ("fail", "pass"):
        changed = correct_label(label=first, verdict=verdict, marks={}, comment="Hm.", now=LATER)

        assert undo_last(labeler=labeler, version=first.version, now=LATER) == first

        changed.refresh_from_db()
        assert (list(Label.objects.current()), changed.withdrawn_at) == ([first], LATER)
    assert undo(row, labeler).state == "open"


def test_undo_of_a_change_by_who_was_shown_others_meanwhile_is_not_blind(
    row: Candidate, labeler: User
) -> None:
    first = label_of(row, labeler, "pass")
    correct_label(label=first, verdict="fail", marks={}, comment="", now=LATER)
    Exposure.objects.create(user=labeler, candidate=row, version=first.version, what="labels")

    undo_last(labeler=labeler, version=first.version, now=LATER)

    assert Label.objects.current().get().blind is False


def test_what_was_put_right_in_the_history_stays_when_the_last_row_is_undone(
    row: Candidate, labeler: User
) -> None:
    old = label_of(row, labeler, "pass")
    last = label_of(make_candidate(row.criteria_set, slots=1), labeler)
    corrected = correct_label(
        label=old, verdict="fail", marks={}, comment="", source=Label.Source.HISTORY, now=LATER
    )

    assert undo(row, labeler).candidate == last.candidate

    assert list(Label.objects.current()) == [corrected]


def test_an_imported_label_put_right_in_the_history_is_in_nobodys_way(row: Candidate, labeler: User) -> None:
    imported = make_label(make_candidate(row.criteria_set), labeler)
    Label.objects.update(source=Label.Source.IMPORT)
    given = label_of(row, labeler)
    correct_label(
        label=imported, verdict="fail", marks={}, comment="", source=Label.Source.HISTORY, now=LATER
    )

    assert last_act(labeler=labeler, version=given.version) == given


def test_a_skipped_row_goes_to_others_and_not_back(row: Candidate, labeler: User) -> None:
    next_slot(version=live(row.criteria_set), labeler=labeler, now=NOW)

    assert skip(row, labeler) == skip(row, labeler)

    assert next_slot(version=live(row.criteria_set), labeler=labeler, now=NOW) is None
    other = next_slot(version=live(row.criteria_set), labeler=make_user(), now=NOW)
    assert other is not None
    assert other.candidate == row


def test_a_labelled_row_cannot_be_skipped(row: Candidate, labeler: User) -> None:
    give(row, labeler)

    with pytest.raises(NotWanted, match="you already labelled it"):
        skip(row, labeler)


def test_who_decides_after_skipping_has_not_skipped(row: Candidate, labeler: User) -> None:
    skip(row, labeler)

    give(row, labeler)

    assert not Skip.objects.current().exists()


@pytest.fixture
def told() -> Iterator[list[tuple[CriteriaVersion, list[int]]]]:
    """What listeners to the truth are told."""
    heard: list[tuple[CriteriaVersion, list[int]]] = []

    def listen(version: CriteriaVersion, ids: Any) -> None:
        heard.append((version, list(ids)))

    truth.listeners.append(listen)
    yield heard
    truth.listeners.remove(listen)


def test_every_change_of_a_label_is_told(
    row: Candidate, labeler: User, told: list[Any], django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        label = label_of(row, labeler)
        correct_label(label=label, verdict="fail", marks={}, comment="", now=LATER)
        undo_last(labeler=labeler, version=live(row.criteria_set), now=LATER)

    assert told == [(live(row.criteria_set), [row.pk])] * 3


def test_a_draft_keeps_the_row_for_who_is_typing(row: Candidate, labeler: User) -> None:
    version = live(row.criteria_set)
    next_slot(version=version, labeler=labeler, now=NOW)

    save_draft(candidate=row, version=version, labeler=labeler, content={"comment": "hm"}, now=LATER)

    assert next_slot(version=version, labeler=make_user(), now=LATER + timedelta(minutes=1)) is None
    draft = draft_of(candidate=row, version=version, labeler=labeler)
    assert draft is not None
    assert draft.content == {"comment": "hm"}


def test_a_decision_ends_its_draft_and_a_late_one_is_dropped(row: Candidate, labeler: User) -> None:
    draft: dict[str, Any] = {"candidate": row, "version": live(row.criteria_set), "labeler": labeler}
    save_draft(**draft, content={"comment": "hm"}, now=NOW)
    give(row, labeler)

    assert save_draft(**draft, content={"comment": "late"}, now=NOW) is None
    assert not Draft.objects.exists()


def test_a_graded_mark_is_kept(row: Candidate, labeler: User) -> None:
    scale = {"scale_min": 1, "scale_max": 5, "minimum": 3}
    Criterion.objects.create(
        version=live(row.criteria_set), position=2, name="style", description="Reads well.", **scale
    )

    assert label_of(row, labeler, marks={"style": 4}).marks.get().score == 4
