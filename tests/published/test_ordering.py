"""The published pairs come in as reference sets, and a judge that knows the better one violates none."""

import pytest

from judging.models import ReferenceCandidate, ReferenceSet
from judging.services.engine import work_on
from judging.services.ordering import start_ordering
from judging.services.reference_imports import import_references
from judging.services.reference_report import ReferenceReport
from labeling.models import Candidate, CriteriaSet, Slot
from tests.factories import live
from tests.judging.running import juror, scripted
from tests.shared import shared_path

pytestmark = [pytest.mark.published, pytest.mark.django_db]


def bring_in(name: str) -> ReferenceReport:
    path = shared_path(f"data/{name}.jsonl")
    with path.open("rb") as stream:
        return import_references(stream=stream, file_name=path.name, slug="pairs", create=True)


@pytest.mark.parametrize(
    ("name", "rows", "sets", "known", "ties", "candidates"),
    # PandaLM compares 784 different pairs: 894 of its rows have a winner, and 110 of them repeat another.
    [("pandalm_pairwise", 999, 784, 110, 105, 685), ("llmbar_pairwise", 419, 419, 0, 0, 838)],
)
def test_published_pairs_come_in(
    name: str, rows: int, sets: int, known: int, ties: int, candidates: int
) -> None:
    report = bring_in(name)
    again = bring_in(name)

    counts = report.counts
    assert (report.kept, report.refused, counts["rows"]) == (True, [], rows)
    assert (counts["sets"], counts["sets_known"], counts["ties"]) == (sets, known, ties)
    assert (counts["candidates"], Candidate.objects.count()) == (candidates, candidates)
    assert (again.counts["sets"], again.counts["sets_known"]) == (0, sets + known)
    assert not Slot.objects.exists()


def test_a_judge_that_knows_the_better_one_violates_none_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    bring_in("llmbar_pairwise")
    few = ReferenceSet.objects.order_by("pk").values_list("pk", flat=True)[:30]
    ReferenceSet.objects.exclude(pk__in=list(few)).update(retired_at="2026-01-01T00:00Z")
    worse = ReferenceCandidate.objects.filter(is_good=False).values_list("candidate__output", flat=True)

    with scripted(monkeypatch, verdicts=dict.fromkeys(worse, "fail")):
        run, _ = start_ordering(
            judge_version=juror(), criteria_version=live(CriteriaSet.objects.get(slug="pairs"))
        )
        work_on(run.pk)

    result = run.orderings.get()
    assert (result.sets, result.violated, result.left_out, result.auc) == (30, 0, 0, 1.0)
    assert result.deciding_sets == 0  # the worse one of two need not be clearly deficient
