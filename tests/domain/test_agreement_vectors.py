"""Every checked vector of the kinds that this package computes, with the tolerances of the vectors' file."""

from collections.abc import Callable
from typing import Any

import pytest

from labeling.domain import agreement as ours
from labeling.domain.agreement import Margins, Table, Undefined
from labeling.domain.verdicts import HumanVerdict
from tests.shared import vectors

POINT, BOUND = 1e-6, 1e-4
STATISTICS: dict[str, Callable[[Table], float | None]] = {
    "n": lambda t: t.n,
    "po": lambda t: t.agreement,
    "kappa": ours.kappa,
    "se_fce": ours.kappa_se,
    "score_z_k0_065": lambda t: ours.score_z(t, 0.65),
    "kappa_max": ours.kappa_max,
    "ac1": ours.ac1,
    "ac1_se": ours.ac1_se,
    "pabak": ours.pabak,
    "mcc": ours.mcc,
    "prevalence_index": ours.prevalence_index,
    "bias_index": ours.bias_index,
    "mcnemar_exact_p": lambda t: ours.mcnemar_exact(t.b, t.c),
}


@pytest.mark.parametrize("name", STATISTICS)
def test_point_statistics(name: str) -> None:
    checked = [v for v in vectors("binary_2x2") if name in v["expected"]]

    for vector in checked:
        found = _or_none(STATISTICS[name], _table(vector))
        assert found == pytest.approx(vector["expected"][name], abs=POINT), vector["name"]
    assert len(checked) >= 18


def test_score_bounds() -> None:
    checked = [v for v in vectors("binary_2x2") if "score95_two_sided" in v["expected"]]

    for vector in checked:
        table, expected = _table(vector), vector["expected"]
        assert ours.score_interval(table) == pytest.approx(expected["score95_two_sided"], abs=BOUND), vector[
            "name"
        ]
        lower = expected["score95_one_sided_lower"]
        assert ours.score_lower_bound(table) == pytest.approx(lower, abs=BOUND), vector["name"]
    assert len(checked) >= 18


def test_recall_of_both_classes_averages_to_balanced_accuracy() -> None:
    checked = [v for v in vectors("binary_2x2") if _table(v).n_pass and _table(v).n_fail]

    for vector in checked:
        balanced = sum(ours.recall(_table(vector), verdict).value for verdict in HumanVerdict) / 2
        expected = vector["expected"]["balanced_accuracy_human_as_truth"]
        assert balanced == pytest.approx(expected, abs=POINT), vector["name"]
    assert len(checked) >= 17


def test_mcnemar() -> None:
    checked = vectors("mcnemar")

    for vector in checked:
        (_, b), (c, _) = vector["table"]
        assert ours.mcnemar_exact(b, c) == pytest.approx(vector["expected"]["exact_p"], rel=POINT), vector[
            "name"
        ]
    assert len(checked) == 4


def test_planner() -> None:
    (vector,) = vectors("planner")

    for case, rows in vector["expected"].items():
        pass_rate, value = (float(number) for number in case.removeprefix("prev").split("_k"))
        assert ours.labels_needed(Margins(pass_rate, pass_rate), value, 0.65) == rows, case


def _table(vector: dict[str, Any]) -> Table:
    (a, b), (c, d) = vector["table"]
    return Table(a, b, c, d)


def _or_none(statistic: Callable[[Table], float | None], table: Table) -> float | None:
    try:
        return statistic(table)
    except Undefined:
        return None
