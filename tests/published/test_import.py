"""The published sets come in as they are, and go round without loss."""

from collections import Counter

import pytest

from labeling.domain.agreement import Table, kappa
from labeling.models import Candidate, CriteriaSet, Submission
from labeling.services.imports import FileProblem, Report, import_golden
from tests.factories import live
from tests.labeling.importing import export_text
from tests.labeling.test_export import import_text
from tests.shared import shared_path, shared_rows

pytestmark = [pytest.mark.published, pytest.mark.django_db]


def bring_in(name: str, slug: str = "set") -> Report:
    path = shared_path(f"data/{name}.jsonl")
    with path.open("rb") as stream:
        return import_golden(stream=stream, file_name=path.name, slug=slug, create=True)


@pytest.mark.parametrize(
    ("name", "form", "rows", "candidates", "truths"),
    [
        ("vera_seed_golden", "vera", 8, 8, {"pass": 4, "fail": 4}),
        ("openqa_nq301", "jsonl", 1490, 1489, {"pass": 815, "fail": 674}),
        ("conala_code", "jsonl", 2360, 2032, {"pass": 470, "fail": 1521, "unresolved": 41}),
    ],
)
def test_a_published_set_comes_in_and_goes_round(
    name: str, form: str, rows: int, candidates: int, truths: dict[str, int]
) -> None:
    report = bring_in(name)
    criteria_set = CriteriaSet.objects.get()
    counted = Counter(Candidate.objects.with_truth(live(criteria_set)).values_list("truth", flat=True))
    exported = export_text(criteria_set)

    assert (report.kept, report.format, report.counts["rows"]) == (True, form, rows)
    assert (report.counts["candidates"], counted) == (candidates, truths)
    assert export_text(import_text("other", exported, create=True)) == exported
    assert bring_in(name).counts["labels"] == 0


@pytest.mark.parametrize("name", ["llmbar_pairwise", "pandalm_pairwise"])
def test_pairwise_sets_are_refused_as_such(name: str) -> None:
    with pytest.raises(FileProblem, match="pairwise"):
        bring_in(name)


def test_a_collection_with_criteria_of_many_kinds_names_every_row_that_does_not_belong() -> None:
    fields = Counter(refused.field for refused in bring_in("wild").refused)

    assert fields == {"criteria": 10, "candidate": 1}  # one row holds a NUL character


@pytest.mark.parametrize(
    ("name", "judge", "expected"),
    [("openqa_nq301", "text-davinci-003", 0.674), ("conala_code", "gpt-3.5-turbo/cot+ref", 0.637)],
)
def test_the_published_kappa_comes_out_of_the_database(name: str, judge: str, expected: float) -> None:
    bring_in(name)
    golden = Candidate.objects.golden(live(CriteriaSet.objects.get()))
    # The first arrival of each: later duplicates come earlier in this order and are overwritten.
    ids = dict(Submission.objects.order_by("-pk").values_list("candidate", "external_id"))
    truths = {ids[pk]: truth for pk, truth in golden.values_list("pk", "truth")}
    cells: Counter[tuple[str | None, str]] = Counter()
    for row in shared_rows(f"data/{name}.jsonl"):
        said = next((entry["verdict"] for entry in row["judges"] if entry["judge"] == judge), None)
        if row["id"] in truths and said is not None:
            cells[truths[row["id"]], said] += 1
    table = Table(*(cells[human, said] for human in ("pass", "fail") for said in ("pass", "fail")))

    assert kappa(table) == pytest.approx(expected, abs=0.0005001)
