"""Layer 1 on the founding cases, the awkward outputs, and all outputs that people have judged."""

from typing import Any

import pytest

from judging.domain.precheck import Case, criteria_text_of, run_precheck
from tests.shared import shared_rows

pytestmark = pytest.mark.published

Row = dict[str, Any]


def test_every_founding_case_with_its_check() -> None:
    rows = shared_rows("data/founding_layer1.jsonl")

    outcomes = [
        run_precheck(Case(r["candidate"], criteria=r["criteria"], meta=r.get("meta", {}))) for r in rows
    ]

    assert [(o.verdict, o.check) for o in outcomes] == [(r["expected"], r["check"]) for r in rows]


def test_every_awkward_output() -> None:
    rows = shared_rows("data/wild.jsonl")

    wrong = [row["id"] for row in rows if _verdict(row, row["candidate"]) != row["expected_layer1"]]

    assert wrong == []


def test_the_founding_golden_set_loses_no_good_row() -> None:
    rows = shared_rows("data/vera_seed_golden.jsonl")

    killed = [run_precheck(Case(r["candidate"], criteria=r["criteria"])).verdict == "KILL" for r in rows]

    assert killed == [r["human"] == "KILL" for r in rows]


@pytest.mark.parametrize("name", ["openqa_nq301", "conala_code"])
def test_no_output_that_people_pass_is_killed(name: str) -> None:
    good = [row for row in shared_rows(f"data/{name}.jsonl") if _consensus(row) == "pass"]

    assert [row["id"] for row in good if _verdict(row, row["candidate"]) == "KILL"] == []


@pytest.mark.parametrize("name", ["llmbar_pairwise", "pandalm_pairwise"])
def test_of_compared_outputs_only_empty_ones_are_killed(name: str) -> None:
    rows = shared_rows(f"data/{name}.jsonl")

    killed = [
        text for r in rows for text in (r["candidate_a"], r["candidate_b"]) if _verdict(r, text) == "KILL"
    ]

    assert all(not text.strip() for text in killed)


def _verdict(row: Row, candidate: str) -> str:
    criteria = criteria_text_of(row.get("criteria") or [])
    return run_precheck(Case(candidate, criteria=criteria, request=row["request"])).verdict


def _consensus(row: Row) -> str | None:
    return next((label["verdict"] for label in row["human"] if label["annotator"] == "consensus"), None)
