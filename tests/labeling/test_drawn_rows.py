"""Rows that were chosen with unequal probabilities: what a file may say, and that it comes out again."""

import io
import json
from typing import Any

import pytest

from labeling.models import Candidate, CriteriaSet, Draw, DrawnRow
from labeling.services.imports import import_golden
from tests.labeling.importing import by, counted, export_text, import_rows, said

pytestmark = pytest.mark.django_db
TEXT = {"criteria": "Greet."}


def drawn(slug: str = "one") -> dict[str, float | None]:
    rows = DrawnRow.objects.filter(draw__version__criteria_set__slug=slug)
    return dict(rows.values_list("candidate__output", "probability"))


def splits(slug: str = "one") -> dict[str, str]:
    return dict(Candidate.objects.filter(criteria_set__slug=slug).values_list("output", "split"))


@pytest.mark.parametrize("form", ["vera", "jsonl"])
def test_a_file_says_how_likely_its_rows_were(form: str) -> None:
    told: dict[str, Any] = TEXT if form == "vera" else {"criteria_text": "Greet."}
    human = "PASS" if form == "vera" else [by("a1", "pass")]
    rows = [said("a", human, probability=0.25, **told), said("b", human, probability=1, **told)]

    report = import_rows("one", *rows, said("c", human, **told), create=True, format=form)

    assert drawn() == {"a": 0.25, "b": 1.0}
    assert counted(report)["drawn"] == 2
    draw = Draw.objects.get()
    assert (draw.strategy, draw.is_equal, draw.batch_id, draw.frame) == ("import", False, report.batch, None)


@pytest.mark.parametrize("unknown", [None, "unknown"])
def test_rows_of_unknown_probability_are_for_tuning(unknown: str | None) -> None:
    row = said("a", "PASS", probability=unknown, **TEXT)

    import_rows("one", row, said("b", "PASS", **TEXT), create=True, split="certify")

    assert splits() == {"a": "tune", "b": "certify"}
    assert drawn() == {}


@pytest.mark.parametrize("bad", [0, -0.5, 5e-324, 1e-7, 1.01, True, "0.5", "often", [0.5], {"p": 1}])
def test_a_bad_probability_is_refused_by_line_field_and_reason(bad: object) -> None:
    report = import_rows("one", said("a", "PASS", **TEXT), said("b", "PASS", probability=bad), create=True)

    (refused,) = report.refused
    assert (refused.line, refused.field) == (2, "probability")
    assert refused.reason.startswith("This must be a number from 0.000001 to 1, or “unknown”, not")
    assert not report.kept


def test_a_row_of_unknown_probability_cannot_be_said_to_certify() -> None:
    row = said("a", "PASS", probability="unknown", split="certify", **TEXT)

    (refused,) = import_rows("one", row, create=True).refused

    assert refused.field == "split"
    assert "certifies no judge" in refused.reason


def test_a_candidate_keeps_the_probability_it_had() -> None:
    import_rows("one", said("a", "PASS", probability=0.25, **TEXT), create=True)

    again = import_rows("one", said("a", "PASS", probability=0.25, **TEXT))
    other = import_rows("one", said("a", "PASS", probability=0.5, **TEXT))
    silent = import_rows("one", said("a", "PASS", **TEXT))

    assert (again.kept, silent.kept, other.kept) == (True, True, False)
    assert "was drawn with probability 0.25, and the row says 0.5" in other.refused[0].reason
    assert drawn() == {"a": 0.25}


def test_one_file_may_not_give_a_row_two_probabilities() -> None:
    twice = [said("a", "PASS", probability=p, **TEXT) for p in (0.25, 0.5)]

    (refused,) = import_rows("one", *twice, create=True).refused

    assert (refused.line, refused.field) == (2, "probability")


def test_probabilities_that_nearly_all_differ_are_refused() -> None:
    rows = [said(f"row {n}", "PASS", probability=n / 102, **TEXT) for n in range(1, 102)]

    (refused,) = import_rows("one", *rows, create=True).refused

    assert refused.line == 101
    assert "more than 100 different probabilities" in refused.reason


def test_probabilities_go_out_and_in_again() -> None:
    rows = [said(f"row {n}", "PASS", probability=1 / n, **TEXT) for n in (1, 3, 7)]
    import_rows("one", *rows, said("undrawn", "FAIL", **TEXT), create=True)
    exported = export_text(CriteriaSet.objects.get(slug="one"))

    import_golden(stream=io.BytesIO(exported.encode()), file_name="export", slug="two", create=True)

    assert drawn("two") == drawn("one") == {f"row {n}": 1 / n for n in (1, 3, 7)}
    assert export_text(CriteriaSet.objects.get(slug="two")) == exported
    assert "probability" not in json.loads(exported.splitlines()[-1])
