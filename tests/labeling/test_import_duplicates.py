"""Rows that are known by their content told apart from rows that are known by their id only."""

import pytest

from labeling.models import Candidate
from tests.factories import make_criteria_set
from tests.labeling.importing import counted, import_rows, said

pytestmark = pytest.mark.django_db


def test_a_file_may_repeat_a_content_under_the_same_id_or_another() -> None:
    make_criteria_set("notes")

    report = import_rows("notes", said("a", id="1"), said("a", id="1"), said("a", id="2"), said("a"))

    counts = counted(report)
    assert (counts["candidates"], counts["repeated"], counts["repeated_ids"]) == (1, 3, 1)


def test_one_id_with_two_contents_is_refused_with_both_lines() -> None:
    make_criteria_set("notes")

    report = import_rows("notes", said("a", id="1"), said("b"), said("c", id="1"))

    assert [(refused.line, refused.field) for refused in report.refused] == [(3, "id")]
    assert "line 1" in report.refused[0].reason


def test_an_id_that_the_set_has_with_another_content_is_told_and_taken() -> None:
    make_criteria_set("notes")
    import_rows("notes", said("old", id="1"), said("same", id="2"))

    report = import_rows("notes", said("same", id="2"), said("same again?"), said("new", id="1"))

    counts = counted(report)
    assert (counts["candidates_known"], counts["ids_known"], counts["ids_elsewhere"]) == (1, 1, 1)
    assert "The ids on line 3 are known to notes with other content." in report.notes[0]
    assert Candidate.objects.count() == 4


def test_ids_of_other_sets_mean_nothing() -> None:
    make_criteria_set("notes")
    make_criteria_set("other")
    import_rows("other", said("theirs", id="1"))

    report = import_rows("notes", said("ours", id="1"))

    assert "ids_elsewhere" not in counted(report)
