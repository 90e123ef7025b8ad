"""The example's rows agree with its criteria, and its jurors with its rows."""

from collections import Counter

import pytest

from demo.example import STEPS
from demo.provider import JURORS
from demo.rows import FILES, FOLDER, rows_of
from judging.domain.judges import ModelEntry, PanelEntry
from judging.domain.judges_toml import read_judges
from judging.domain.precheck import Case, run_precheck
from labeling.domain.criteria import JUDGE
from labeling.formats import jsonl
from labeling.formats.criteria_toml import read_criteria
from labeling.formats.rows import Row

SETS = {entry.slug: entry for entry in read_criteria((FOLDER / "criteria.toml").read_text())}


def imported(slug: str) -> list[Row]:
    """The rows as an import reads them; none of them is refused."""
    with (FOLDER / FILES[slug]).open("rb") as stream:
        found = list(jsonl.read(stream))
    return [row for row in found if isinstance(row, Row)] if all(isinstance(r, Row) for r in found) else []


def test_the_files_are_of_the_sets() -> None:
    assert SETS.keys() == FILES.keys()


@pytest.mark.parametrize("slug", FILES)
def test_rows_fault_only_criteria_that_a_judge_is_asked_about(slug: str) -> None:
    asked = {criterion.name for criterion in SETS[slug].spec.criteria if criterion.strategy == JUDGE}

    assert {name for row in rows_of(slug) for name in row.fails} <= asked


@pytest.mark.parametrize("slug", FILES)
def test_every_row_has_its_verdict_and_says_why(slug: str) -> None:
    rows = dict(zip((row.candidate for row in rows_of(slug)), rows_of(slug), strict=True))

    assert len(rows) >= 45
    for row in imported(slug):
        if row.opinions and len({opinion.verdict for opinion in row.opinions}) == 1:
            assert (row.opinions[0].verdict == "fail") == bool(rows[row.output].fails), row.external_id
        assert rows[row.output].why


def test_people_are_given_enough_to_certify_by_and_fifty_rows_to_do() -> None:
    certify = [row for row in imported("meeting-summaries") if row.split != "tune"]
    settled = Counter(
        str(row.opinions[0].verdict) for row in certify if len({o.verdict for o in row.opinions}) == 1
    )

    assert min(settled.values()) >= 5
    assert sum(settled.values()) >= 30
    assert sum(not row.opinions for row in certify) >= 50


def test_people_disagree_somewhere_and_layer_1_kills_something_of_what_they_settled() -> None:
    found = imported("meeting-summaries")

    assert any(len({opinion.verdict for opinion in row.opinions}) > 1 for row in found)
    killed = [row for row in found if run_precheck(Case(row.output)).check]
    assert {bool(row.opinions) for row in killed} == {True, False}
    assert {row.kind for row in rows_of("meeting-summaries") if run_precheck(Case(row.candidate)).check} == {
        "killed"
    }


def test_judges_are_jurors_of_the_provider_and_every_kind_they_know_is_in_the_rows() -> None:
    entries = read_judges((FOLDER / "judges.toml").read_text())
    kinds = {row.kind for slug in FILES for row in rows_of(slug)}

    assert {entry.model for entry in entries if isinstance(entry, ModelEntry)} == {
        f"openai/{j}" for j in JURORS
    }
    assert {step.judge.partition("@")[0] for step in STEPS} <= {entry.slug for entry in entries}
    assert any(isinstance(entry, PanelEntry) for entry in entries)
    for juror in JURORS.values():
        assert juror.misses | juror.imagines | juror.trips <= kinds
