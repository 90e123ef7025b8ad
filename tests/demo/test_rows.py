"""The example's rows agree with its criteria, and its jurors with its rows."""

from collections import Counter

import pytest

from demo.example import CALIBRATIONS
from demo.provider import JURORS
from demo.rows import FILES, FOLDER, rows_of
from judging.domain.judges import ModelEntry, PanelEntry
from judging.domain.judges_toml import read_judges
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


def test_people_are_given_enough_to_certify_by_and_something_to_do() -> None:
    verdicts = Counter(str(o.verdict) for row in imported("meeting-summaries") for o in row.opinions)

    assert min(verdicts.values()) >= 5
    assert sum(verdicts.values()) >= 30
    assert sum(not row.opinions and row.decision is None for row in imported("meeting-summaries")) >= 10


def test_judges_are_jurors_of_the_provider_and_every_kind_they_know_is_in_the_rows() -> None:
    entries = read_judges((FOLDER / "judges.toml").read_text())
    kinds = {row.kind for slug in FILES for row in rows_of(slug)}

    assert {entry.model for entry in entries if isinstance(entry, ModelEntry)} == {
        f"openai/{j}" for j in JURORS
    }
    assert {judge for judge, _ in CALIBRATIONS} <= {entry.slug for entry in entries}
    assert any(isinstance(entry, PanelEntry) for entry in entries)
    for juror in JURORS.values():
        assert juror.misses | juror.imagines | juror.trips <= kinds
