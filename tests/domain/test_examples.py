"""Which rows may be examples in a judge's prompt, and how they are kept."""

import json
from dataclasses import replace
from typing import Any

import pytest

from judging.domain.examples import (
    MOST_CHARACTERS,
    Example,
    InvalidExamples,
    Offered,
    read_stored,
    stored,
    take,
)

BOUNDARY = "5f3e9a7c1b2d4e6f8091a2b3c4d5e6f7"


def offered(number: int = 1, **changes: Any) -> Offered:
    """A settled tune row that may be an example unless something of it is changed."""
    example = Example(f"{number:064}", "Ask.", f"Answer {number}.", "", "", changes.get("truth") or "pass")
    row = Offered(f"row {number}", "tune", "pass", False, example)
    return replace(row, **changes)


def test_settled_tune_rows_are_taken_in_their_order() -> None:
    examples = take("replies", 3, [offered(2), offered(1, truth="fail")], BOUNDARY)

    assert [(row.candidate, row.verdict) for row in examples.rows] == [
        ("Answer 2.", "pass"),
        ("Answer 1.", "fail"),
    ]
    assert (examples.criteria_set, examples.criteria_version, examples.boundary) == ("replies", 3, BOUNDARY)


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        (offered(split="certify"), "Row 1 is of the certify split. Only tune rows"),
        (offered(truth=None), "Row 1 is not settled"),
        (offered(truth="unresolved"), "Row 1 is not settled"),
        (replace(offered(), truth="fail"), "Row 1 is not settled"),
        (offered(truncated=True), "Row 1 is known to be cut off"),
    ],
)
def test_any_other_row_is_refused_by_name(row: Offered, sentence: str) -> None:
    with pytest.raises(InvalidExamples, match=sentence):
        take("replies", 1, [offered(2), row], BOUNDARY)


def test_there_are_eight_at_most_and_one_at_least_and_none_twice() -> None:
    assert len(take("replies", 1, [offered(n) for n in range(8)], BOUNDARY).rows) == 8
    with pytest.raises(InvalidExamples, match=r"At most 8 rows .* these are 9"):
        take("replies", 1, [offered(n) for n in range(9)], BOUNDARY)
    with pytest.raises(InvalidExamples, match="No row is chosen"):
        take("replies", 1, [], BOUNDARY)
    with pytest.raises(InvalidExamples, match="Row 1 is given twice"):
        take("replies", 1, [offered(1), offered(1)], BOUNDARY)


def test_too_long_together_is_refused_with_both_numbers() -> None:
    half = replace(offered().example, candidate="x" * (MOST_CHARACTERS // 2))
    rows = [offered(1, example=half), offered(2, example=replace(half, content_hash="f" * 64))]

    with pytest.raises(InvalidExamples, match=f"20008 characters together and at most {MOST_CHARACTERS}"):
        take("replies", 1, rows, BOUNDARY)


@pytest.mark.parametrize("boundary", ["short", BOUNDARY])
def test_a_boundary_that_is_no_fence_is_a_mistake_of_ours(boundary: str) -> None:
    row = offered(example=replace(offered().example, comment=f"It says {BOUNDARY}."))

    with pytest.raises(ValueError, match="boundary"):
        take("replies", 1, [row], boundary)


def test_what_is_stored_is_read_back_the_same() -> None:
    row = offered(example=replace(offered().example, comment="Well.", marks={"correct": 1}))
    examples = take("replies", 1, [row], BOUNDARY)

    assert read_stored(json.loads(json.dumps(stored(examples)))) == examples
    assert (stored(None), read_stored({})) == ({}, None)
