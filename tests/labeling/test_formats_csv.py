"""CSV for spreadsheets: every verdict on a line, no cell a formula."""

import csv
import io

import pytest

from labeling.domain.verdicts import HumanVerdict
from labeling.formats.csv import write
from labeling.formats.rows import Decision, Opinion, Row


def cells(row: Row) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO("".join(write([row])), newline="")))


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_a_cell_that_begins_like_a_formula_is_neutralised(start: str) -> None:
    formula = f"{start}HYPERLINK('http://evil')"
    opinion = Opinion(HumanVerdict.PASS, "a1", comment=formula)

    (line,) = cells(Row(line=1, output=formula, external_id=formula, opinions=(opinion,)))

    assert line["candidate"] == line["id"] == line["comment"] == f"'{formula}"


def test_other_cells_are_exact() -> None:
    text = 'a "quoted", two-line\ntext with = inside'

    (line,) = cells(Row(line=1, output=text))

    assert line["candidate"] == text
    assert (line["annotator"], line["verdict"]) == ("", "")


def test_one_line_for_each_verdict() -> None:
    opinions = (
        Opinion(HumanVerdict.PASS, "a1", scores={"clear": 1}),
        Opinion(HumanVerdict.FAIL, "a2", blind=False),
    )

    lines = cells(Row(line=1, output="Hi.", opinions=opinions, decision=Decision(None, "tied")))

    assert [(line["annotator"], line["verdict"], line["blind"]) for line in lines] == [
        ("consensus", "unresolved", "yes"),
        ("a1", "pass", "yes"),
        ("a2", "fail", "no"),
    ]
    assert lines[1]["scores"] == '{"clear": 1}'
