"""Bringing rows in: what is stored, what is known already, all or nothing."""

import io
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from labeling.domain.content import request_hash
from labeling.domain.sampling import split_for
from labeling.models import (
    AuditEvent,
    Candidate,
    CriteriaSet,
    CriteriaVersion,
    ImportBatch,
    Label,
    Mark,
    Ruling,
    Slot,
    Submission,
)
from labeling.services import truth
from labeling.services.imports import FileProblem, ImportProblem, import_golden, report
from tests.factories import live, make_candidate, make_criteria_set, make_label, make_user, next_slot
from tests.labeling.importing import by, counted, import_rows, said, truths

pytestmark = pytest.mark.django_db


@pytest.fixture
def notes() -> CriteriaSet:
    return make_criteria_set("notes")


def test_a_vera_row_becomes_candidate_submission_and_label(notes: CriteriaSet) -> None:
    row = said(
        "Ship Friday.", "KILL", request="Summarise.", note="wrong day", agent="bob", generator_model="m"
    )

    counts = counted(import_rows("notes", row))

    assert counts == {"rows": 1, "candidates": 1, "submissions": 1, "labels": 1}
    label, arrival = Label.objects.get(), Submission.objects.get()
    assert (label.verdict, label.comment, label.blind, label.source) == ("fail", "wrong day", True, "import")
    assert (arrival.line, arrival.generator_model, arrival.meta) == (1, "m", {"agent": "bob"})
    assert arrival.candidate.request == "Summarise."


def test_annotators_are_users_who_cannot_log_in(notes: CriteriaSet) -> None:
    import_rows("notes", said("Ship Friday.", [by("a1", "pass"), by("a2", "fail"), by("a3", "fail")]))

    a1 = User.objects.get(username="a1@notes")
    assert (a1.is_active, a1.has_usable_password()) == (False, False)
    assert truths(notes) == {"Ship Friday.": "fail"}


def test_consensus_is_a_ruling(notes: CriteriaSet) -> None:
    people = [by("Consensus", "fail", comment="late"), by("a1", "pass")]
    import_rows("notes", said("Ship Friday.", people))

    ruling = Ruling.objects.get()
    assert (ruling.verdict, ruling.reason, ruling.blind, ruling.source) == ("fail", "late", True, "import")
    assert truths(notes) == {"Ship Friday.": "fail"}


def test_a_ruling_or_label_that_was_not_blind_settles_no_certify_row(notes: CriteriaSet) -> None:
    import_rows(
        "notes",
        said("ruled", [by("gold", "pass", blind=False)]),
        said("tuned", [by("gold", "pass", blind=False)], split="tune"),
        said("labelled", [by("a1", "pass", blind=False)]),
    )

    assert truths(notes) == {"ruled": "unresolved", "tuned": "pass", "labelled": None}


def test_rows_without_a_verdict_and_ties_go_to_the_queue(notes: CriteriaSet) -> None:
    rows = [
        said("open", []),
        said("tied", [by("a1", "pass"), by("a2", "fail")]),
        said("settled", [by("a1", "pass")]),
        said("left open", [by("gold", "unresolved")]),
    ]

    assert import_rows("notes", *rows).counts["queued"] == 2
    assert {slot.candidate.output for slot in Slot.objects.all()} == {"open", "tied"}


def test_the_same_file_again_adds_nothing(notes: CriteriaSet) -> None:
    rows = [said("a", [by("a1", "pass"), by("gold", "pass")], id="1"), said("a", []), said("b", [])]

    import_rows("notes", *rows)
    again = counted(import_rows("notes", *rows))

    known = {"candidates_known": 2, "ids_known": 1, "repeated": 1, "labels_known": 1, "rulings_known": 1}
    assert again == known | {"rows": 3, "queued": 1}
    assert (Candidate.objects.count(), Submission.objects.count()) == (2, 3)
    assert (Label.objects.count(), Ruling.objects.count(), Slot.objects.count()) == (1, 1, 1)


def test_the_same_content_is_one_candidate_and_several_submissions(notes: CriteriaSet) -> None:
    import_rows("notes", said("a", "PASS", generator_model="m1"), said("a", generator_model="m2"), said("a"))

    assert [row.generator_model for row in Candidate.objects.get().submissions.all()] == ["m1", "m2", ""]
    assert truths(notes) == {"a": "pass"}


def test_nothing_of_a_file_with_a_refused_row_is_kept(notes: CriteriaSet) -> None:
    outcome = import_rows("notes", said("good", "PASS"), said("bad", "MAYBE"))

    assert not outcome.kept
    assert [(refused.line, refused.field) for refused in outcome.refused] == [(2, "human")]
    tables: tuple[Any, ...] = (Candidate, Submission, Label, ImportBatch, AuditEvent, User)
    assert not any(table.objects.exists() for table in tables)


def test_keep_good_keeps_the_others_and_names_the_refused_ones(notes: CriteriaSet) -> None:
    outcome = import_rows("notes", said("good", "PASS"), said("bad", "MAYBE"), keep_good=True)

    assert outcome.kept
    assert truths(notes) == {"good": "pass"}
    assert ImportBatch.objects.get().refused[0]["line"] == 2


def test_refused_rows_are_named_in_the_order_of_the_file(notes: CriteriaSet) -> None:
    other = said("a", [], criteria=[{"name": "x", "description": "y"}])

    outcome = import_rows("notes", other, {"human": []}, other)

    assert [refused.line for refused in outcome.refused] == [1, 2, 3]


def test_keep_good_of_a_file_without_good_rows_keeps_nothing(notes: CriteriaSet) -> None:
    assert not import_rows("notes", said("bad", "MAYBE"), keep_good=True).kept


def test_a_check_reports_the_same_and_keeps_nothing(notes: CriteriaSet) -> None:
    rows = [said("a", [by("a1", "pass"), by("gold", "pass")]), said("b", [])]

    checked = import_rows("notes", *rows, dry_run=True)

    assert (checked.kept, Candidate.objects.count(), User.objects.count()) == (False, 0, 0)
    assert checked.counts == import_rows("notes", *rows).counts


def test_the_import_is_recorded(notes: CriteriaSet) -> None:
    lead = make_user(lead_of=notes)
    import_rows("notes", said("a", "PASS"), actor=lead)

    batch, event = ImportBatch.objects.get(), AuditEvent.objects.get(action="import")
    assert (batch.created_by, batch.counts["labels"], len(batch.sha256)) == (lead, 1, 64)
    assert (event.actor, event.subject) == (lead, "rows.jsonl")


def test_who_cares_about_truth_is_told_of_what_changed(
    notes: CriteriaSet, django_capture_on_commit_callbacks: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[tuple[CriteriaVersion, set[int]]] = []
    monkeypatch.setattr(truth, "listeners", [lambda version, ids: told.append((version, set(ids)))])
    with django_capture_on_commit_callbacks(execute=True):
        import_rows("notes", said("a", "PASS"), said("b"))
        import_rows("notes", said("c", "PASS"), dry_run=True)

    assert told == [(live(notes), {Candidate.objects.get(output="a").pk})]


@pytest.mark.parametrize("split", ["tune", "certify", "hash"])
def test_rows_go_to_the_split_that_was_asked_for(notes: CriteriaSet, split: str) -> None:
    requests = [f"Request {number}" for number in range(20)]
    import_rows("notes", *(said("a", request=request) for request in requests), split=split)

    for row in Candidate.objects.all():
        assert row.split == (split_for(request_hash(row.request)) if split == "hash" else split)


def test_a_row_s_own_split_wins_and_a_candidate_keeps_its_split_for_life(notes: CriteriaSet) -> None:
    import_rows("notes", said("a", split="tune"), said("b"))
    again = import_rows("notes", said("a", "PASS"), said("b", "PASS", split="tune"))

    assert dict(Candidate.objects.values_list("output", "split")) == {"a": "tune", "b": "certify"}
    assert again.counts["split_kept"] == 2


def test_the_labeler_may_be_named(notes: CriteriaSet) -> None:
    ada = make_user("ada", labels=notes)
    import_rows("notes", said("a", "PASS"), labeler=ada)

    assert Label.objects.get().labeler == ada
    with pytest.raises(ImportProblem, match="name their annotators"):
        import_rows("notes", said("b", [by("a1", "pass")]), labeler=ada)


def test_an_annotator_never_speaks_for_somebody_who_logs_in(notes: CriteriaSet) -> None:
    make_user("ada@notes")

    (refused,) = import_rows("notes", said("a", [by("ada", "pass")])).refused

    assert "logs in here" in refused.reason


def test_an_export_knows_a_label_that_was_given_here(notes: CriteriaSet) -> None:
    make_label(make_candidate(notes, "a", request=""), make_user("ada", labels=notes), "pass")

    same = import_rows("notes", said("a", [by("ada", "pass")]))
    other = import_rows("notes", said("a", [by("ada", "fail")]))

    assert same.counts["labels_known"] == 1
    assert "'ada' has said “pass”" in other.refused[0].reason
    assert Label.objects.count() == 1


@pytest.mark.parametrize("size", [1, 500])
def test_rows_may_come_in_any_portions(
    notes: CriteriaSet, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("labeling.services.imports._MOST_ROWS", size)
    rows = [said(text, [by("a1", verdict)]) for text, verdict in zip("abab", ["pass"] * 4, strict=True)]

    counts = counted(import_rows("notes", *rows))

    assert counts["candidates"] == counts["labels"] == 2
    assert counts["repeated"] == counts["labels_known"] == 2


def test_marks_are_kept_where_they_fit_the_scale(notes: CriteriaSet) -> None:
    import_rows("notes", said("a", [by("a1", "pass", scores={"meets_criteria": 1})]))

    assert Mark.objects.get().score == 1


def test_one_mark_off_the_scale_leaves_out_all_of_its_criterion(
    notes: CriteriaSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("labeling.services.imports._MOST_ROWS", 1)
    scores = [1, 4, 0]
    rows = [said(str(score), [by("a1", "pass", scores={"meets_criteria": score})]) for score in scores]

    outcome = import_rows("notes", *rows)

    assert (outcome.counts["marks"], outcome.counts["marks_dropped"], Mark.objects.count()) == (0, 3, 0)
    assert "outside the scale 0 to 1 of notes@1" in outcome.notes[0]


def test_a_mark_on_an_unknown_criterion_refuses_the_row(notes: CriteriaSet) -> None:
    (refused,) = import_rows("notes", said("a", [by("a1", "pass", scores={"tone": 1})])).refused

    assert (refused.field, "'tone' is no criterion of notes@1" in refused.reason) == ("scores", True)


@pytest.mark.parametrize("name", ["a\u202eb.jsonl", "a\x1b[31m.jsonl", "a\udcff.jsonl"])
def test_a_hostile_file_name_is_spelt_out(notes: CriteriaSet, name: str) -> None:
    outcome = import_golden(stream=io.BytesIO(b'{"candidate": "a"}'), file_name=name, slug="notes")

    assert outcome.file_name.isprintable()
    assert ImportBatch.objects.get().file_name.startswith("a\\")


def test_a_file_of_nothing_but_garbage_is_given_up(
    notes: CriteriaSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report, "MOST_REFUSED", 3)
    with pytest.raises(ImportProblem, match="right file"):
        import_golden(stream=io.BytesIO(b"x\n" * 9), file_name="x", slug="notes", format="jsonl")


def test_a_file_without_rows_is_refused(notes: CriteriaSet) -> None:
    with pytest.raises(FileProblem, match="no rows"):
        import_golden(stream=io.BytesIO(b"[]"), file_name="x", slug="notes")


def test_ten_megabytes_of_text_come_in_whole(notes: CriteriaSet) -> None:
    text = "é" * 5 * 1024 * 1024
    content = f'{{"candidate": "{text}", "human": "PASS"}}'.encode()
    import_golden(stream=io.BytesIO(content), file_name="x", slug="notes")

    assert Candidate.objects.get().output == text


def test_a_row_settled_by_a_file_leaves_the_queue(notes: CriteriaSet) -> None:
    import_rows("notes", said("waiting"), said("told later"))
    assert Slot.objects.filter(state="open").count() == 2

    import_rows("notes", said("told later", "PASS"))

    [left] = Slot.objects.filter(state="open")
    assert left.candidate.output == "waiting"


def test_a_row_that_somebody_holds_stays_theirs_when_a_file_settles_it(notes: CriteriaSet) -> None:
    import_rows("notes", said("told later"))
    ada = make_user("ada", labels=notes)
    next_slot(version=live(notes), labeler=ada, now=timezone.now())

    import_rows("notes", said("told later", "PASS"))

    assert Slot.objects.get().labeler == ada
