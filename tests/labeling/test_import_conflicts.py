"""Rows that contradict each other, or what is known: unresolved or refused, never picked from."""

import pytest

from labeling.models import Candidate, CriteriaSet, Label, Ruling
from tests.factories import live, make_criteria_set, make_ruling
from tests.labeling.importing import by, counted, import_rows, said, truths

pytestmark = pytest.mark.django_db


@pytest.fixture
def notes() -> CriteriaSet:
    return make_criteria_set("notes")


@pytest.fixture(params=[1, 500], autouse=True)
def _portions(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether the rows that meet are written together or one after the other changes nothing."""
    monkeypatch.setattr("labeling.services.imports._MOST_ROWS", request.param)


def test_the_same_person_of_two_minds_is_unresolved(notes: CriteriaSet) -> None:
    rows = [said("a", "PASS"), said("b", "PASS"), said("a", "KILL")]

    outcome = import_rows("notes", *rows)

    assert truths(notes) == {"a": "unresolved", "b": "pass"}
    assert (outcome.counts["unresolved"], outcome.counts["labels_contradicting"]) == (1, 1)
    assert Ruling.objects.get().reason == (
        "Lines 1, 3 of rows.jsonl have the same content and contradict each other."
    )
    assert Label.objects.get(candidate__output="a").verdict == "pass"


def test_final_verdicts_that_contradict_each_other_are_unresolved(notes: CriteriaSet) -> None:
    import_rows("notes", said("a", [by("gold", "pass")]), said("a", [by("gold", "fail")]))

    first, second = Ruling.objects.all()
    assert (first.superseded_at is None, second.supersedes, second.verdict) == (False, first, "unresolved")
    assert truths(notes) == {"a": "unresolved"}


def test_rows_of_the_same_truth_are_settled_whatever_single_people_said(notes: CriteriaSet) -> None:
    first = said("a", [by("gold", "fail"), by("a1", "pass")])
    second = said("a", [by("gold", "fail"), by("a1", "fail")])

    outcome = import_rows("notes", first, second)

    assert truths(notes) == {"a": "fail"}
    assert (outcome.counts["unresolved"], outcome.counts["labels_contradicting"]) == (0, 1)


@pytest.mark.parametrize(
    "rows",
    [
        [said("a", "PASS"), said("a", "KILL")],
        [said("a", [by("gold", "pass")]), said("a", [by("gold", "fail")])],
        [said("a", [by("a1", "pass")]), said("a", [by("gold", "fail")])],
    ],
)
def test_contradictions_imported_again_change_nothing(
    notes: CriteriaSet, rows: list[dict[str, object]]
) -> None:
    import_rows("notes", *rows)
    before = Ruling.objects.count(), Label.objects.count()
    again = import_rows("notes", *rows)

    assert again.kept
    assert not {"labels", "rulings", "unresolved", "submissions"} & counted(again).keys()
    assert (Ruling.objects.count(), Label.objects.count()) == before


def test_a_lead_s_ruling_on_a_contradiction_outlives_the_file(notes: CriteriaSet) -> None:
    rows = [said("a", "PASS"), said("a", "KILL")]
    import_rows("notes", *rows)
    Ruling.objects.update(superseded_at="2026-01-01T00:00Z")
    make_ruling(Candidate.objects.get(), "fail")

    import_rows("notes", *rows)

    assert truths(notes) == {"a": "fail"}


def test_a_label_that_was_corrected_since_is_known(notes: CriteriaSet) -> None:
    import_rows("notes", said("a", "PASS"))
    old = Label.objects.get()
    Label.objects.update(superseded_at="2026-01-01T00:00Z")
    Label.objects.create(
        candidate=old.candidate, version=old.version, labeler=old.labeler, verdict="fail", source="browser"
    )

    again = import_rows("notes", said("a", "PASS"))

    assert (again.kept, again.counts["labels_known"]) == (True, 1)


def test_another_file_changes_no_label_and_no_ruling(notes: CriteriaSet) -> None:
    import_rows("notes", said("a", [by("a1", "pass"), by("gold", "pass")]))

    label = import_rows("notes", said("a", [by("a1", "fail")]))
    ruling = import_rows("notes", said("a", [by("gold", "fail")]))

    assert "A file changes no label" in label.refused[0].reason
    assert "A file changes no ruling" in ruling.refused[0].reason
    assert truths(notes) == {"a": "pass"}


def test_further_people_of_another_file_join_in(notes: CriteriaSet) -> None:
    import_rows("notes", said("a", [by("a1", "pass")]))
    import_rows("notes", said("a", [by("a2", "fail"), by("a3", "fail")]))

    assert truths(notes) == {"a": "fail"}


def test_an_id_used_twice_for_different_content_is_refused(notes: CriteriaSet) -> None:
    outcome = import_rows("notes", said("a", id=7), said("a", id="7"), said("b", id="7"))

    (refused,) = outcome.refused
    assert (refused.line, refused.field) == (3, "id")
    assert "'7' is also the id of line 1" in refused.reason


def test_a_refused_row_leaves_no_trace_in_the_kept_ones(notes: CriteriaSet) -> None:
    import_rows("notes", said("a", [by("a1", "pass")]))
    rows = [said("a", [by("a9", "pass"), by("a1", "fail")], id="1"), said("c", id="1")]

    outcome = import_rows("notes", *rows, keep_good=True)

    assert counted(outcome) == {"rows": 2, "refused": 1, "candidates": 1, "submissions": 1, "queued": 1}
    assert not Label.objects.filter(version=live(notes), labeler__username="a9@notes").exists()
