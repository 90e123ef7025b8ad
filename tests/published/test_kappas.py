"""Kappas of real judges and real people, recomputed from the published rows."""

from collections.abc import Iterable
from itertools import combinations
from typing import Any

import pytest

from labeling.domain.agreement import Table, kappa
from labeling.domain.content import content_hash
from labeling.domain.human import pair_kappa
from labeling.domain.truth import RulingFact, settle
from labeling.domain.verdicts import HumanVerdict, parse_verdict
from tests.shared import shared_rows

pytestmark = pytest.mark.published

Row = dict[str, Any]
OPENQA, CONALA, PANDALM = (
    f"data/{name}.jsonl" for name in ("openqa_nq301", "conala_code", "pandalm_pairwise")
)
GPT4, DAVINCI = "gpt-4", "text-davinci-003"
PROMPTS = ("no-cot", "no-cot+ref", "cot", "cot+ref")
ANNOTATORS = combinations(("a1", "a2", "a3"), 2)


@pytest.mark.parametrize(("judge", "published", "n"), [(GPT4, 0.695, 1487), (DAVINCI, 0.675, 1490)])
def test_openqa_all_rows(judge: str, published: float, n: int) -> None:
    table = _table(shared_rows(OPENQA), judge)

    assert (kappa(table), table.n) == (_printed(published), n)


def test_openqa_duplicates_once() -> None:
    table = _table(_first_of_each(shared_rows(OPENQA)), DAVINCI)

    assert (kappa(table), table.n) == (_printed(0.674), 1489)


def test_openqa_people_with_people() -> None:
    assert pair_kappa(_pairs(shared_rows(OPENQA), "verdict", "a1", "a2")) == _printed(0.735)


@pytest.mark.parametrize(("prompt", "published"), [*zip(PROMPTS, [0.464, 0.537, 0.598, 0.623], strict=True)])
def test_conala_all_rows(prompt: str, published: float) -> None:
    assert kappa(_table(shared_rows(CONALA), f"gpt-3.5-turbo/{prompt}")) == _printed(published)


@pytest.mark.parametrize(("prompt", "figure"), [*zip(PROMPTS, [0.4579, 0.5327, 0.6095, 0.6236], strict=True)])
def test_conala_duplicates_once_with_the_first_rating_kept(prompt: str, figure: float) -> None:
    # Published as .458 / .533 / .610 / .624, “conflicting ones out”: rows that contradict an earlier one.
    table = _table(_first_of_each(shared_rows(CONALA)), f"gpt-3.5-turbo/{prompt}")

    assert kappa(table) == pytest.approx(figure, abs=5e-5)


@pytest.mark.parametrize(("prompt", "figure"), [*zip(PROMPTS, [0.4617, 0.5446, 0.6204, 0.6372], strict=True)])
def test_conala_duplicates_once_with_contradicting_ones_unresolved(prompt: str, figure: float) -> None:
    # 41 texts were rated more than once with opposite outcomes: by our rule they are unresolved and stay out.
    rows = shared_rows(CONALA)
    kept = _resolved(rows)

    assert len(_first_of_each(rows)) - len(kept) == 41
    assert kappa(_table(kept, f"gpt-3.5-turbo/{prompt}")) == pytest.approx(figure, abs=5e-5)


@pytest.mark.parametrize(("pair", "published"), [*zip(ANNOTATORS, [0.852, 0.879, 0.862], strict=True)])
def test_pandalm_annotators_pairwise(pair: tuple[str, str], published: float) -> None:
    assert pair_kappa(_pairs(shared_rows(PANDALM), "vote", *pair)) == _printed(published)


def _printed(figure: float) -> Any:
    return pytest.approx(figure, abs=0.0005001)


def _table(rows: Iterable[Row], judge: str) -> Table:
    """Consensus against one judge, over the rows on which it gave a verdict."""
    cells = {"pass pass": 0, "pass fail": 0, "fail pass": 0, "fail fail": 0}
    for row in rows:
        said = _said(row["judges"], "judge", judge, "verdict")
        if said is not None:
            cells[f"{_consensus(row)} {parse_verdict(said)}"] += 1
    return Table(*cells.values())


def _pairs(rows: list[Row], field: str, first: str, second: str) -> list[tuple[str, str]]:
    both = [tuple(_said(row["human"], "annotator", who, field) for who in (first, second)) for row in rows]
    return [(one, other) for one, other in both if one is not None and other is not None]


def _said(entries: list[Row], who: str, name: str, field: str) -> str | None:
    return next((entry[field] for entry in entries if entry[who] == name), None)


def _consensus(row: Row) -> HumanVerdict:
    return parse_verdict(_said(row["human"], "annotator", "consensus", "verdict"))


def _by_content(rows: list[Row]) -> dict[str, list[Row]]:
    groups: dict[str, list[Row]] = {}
    for row in rows:
        criteria = "\n".join(criterion["description"] for criterion in row["criteria"])
        identity = content_hash(row["request"], row["candidate"], row["grounding"], criteria)
        groups.setdefault(identity, []).append(row)
    return groups


def _first_of_each(rows: list[Row]) -> list[Row]:
    return [group[0] for group in _by_content(rows).values()]


def _resolved(rows: list[Row]) -> list[Row]:
    """One row for each content whose duplicates do not contradict each other."""
    kept = []
    for group in _by_content(rows).values():
        verdicts = {_consensus(row) for row in group}
        ruling = RulingFact(verdicts.pop() if len(verdicts) == 1 else None, blind=True)
        if settle([], ruling, "certify") != "unresolved":
            kept.append(group[0])
    return kept
