"""A corpus of outputs in the form of real agents' ones, each with the verdict and the check that are due.

`precheck_corpus.jsonl`: name, request, candidate, criteria, expected verdict, check, and mostly why; `meta`
where the submitter says something of the run.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from judging.domain.precheck import Case, run_precheck

CORPUS = Path(__file__).with_name("precheck_corpus.jsonl")
ROWS: list[dict[str, Any]] = [json.loads(line) for line in CORPUS.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["name"])
def test_each_output_of_the_corpus_gets_its_verdict(row: dict[str, Any]) -> None:
    case = Case(row["candidate"], criteria=row["criteria"], request=row["request"], meta=row.get("meta", {}))

    outcome = run_precheck(case)

    assert (outcome.verdict, outcome.check) == (row["expected"], row["check"]), row.get("why")
