"""The checked vectors of what no page shows: coefficients with other ideas of chance, on scales, by Wald.

Vera computes none of these. They are asserted through statsmodels, or through the papers' formulas written
out here: every vector is held by something, and the vectors themselves by a second source.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from math import sqrt
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.inter_rater import cohens_kappa

from tests.shared import vectors

type Matrix = np.ndarray[tuple[int, ...], np.dtype[np.float64]]
type Distance = Callable[[Sequence[float], int, int], float]  # of two values, by the totals of all

CLOSE = 1e-6


def _weights(name: str, classes: int) -> Matrix:
    """Agreement of two classes, 1 for the same."""
    apart = np.abs(np.subtract.outer(np.arange(classes), np.arange(classes))) / (classes - 1)
    by_name: dict[str, Matrix] = {
        "unweighted": (apart == 0) * 1.0,
        "linear": 1 - apart,
        "quadratic": 1 - apart**2,
    }
    return by_name[name]


@pytest.mark.parametrize("weights", ["unweighted", "linear", "quadratic"])
def test_wald_intervals_and_null_errors_on_scales(weights: str) -> None:
    for vector in vectors("ordinal_kxk"):
        expected = vector["expected"][weights]
        scale = None if weights == "unweighted" else weights
        found = cohens_kappa(np.array(vector["table"]), wt=scale)
        assert (found.kappa_low, found.kappa_upp) == pytest.approx(
            (expected["low"], expected["high"]), abs=CLOSE
        )
        assert found.std_kappa0 == pytest.approx(expected["se_null0"], abs=CLOSE), vector["name"]


def test_wald_intervals_and_null_errors_of_two_classes() -> None:
    # Where one side says one thing only, statsmodels divides by an error of 0.
    checked = [each for each in vectors("binary_2x2") if each["expected"].get("se_null0")]

    for vector in checked:
        found, expected = cohens_kappa(np.array(vector["table"])), vector["expected"]
        ends = (expected["wald95_low"], expected["wald95_high"])
        assert (found.kappa_low, found.kappa_upp) == pytest.approx(ends, abs=CLOSE), vector["name"]
        assert found.std_kappa0 == pytest.approx(expected["se_null0"], abs=CLOSE), vector["name"]
    assert len(checked) >= 15


def test_agreement_on_each_class_and_by_chance() -> None:
    for vector in vectors("binary_2x2"):
        (a, b), (c, d) = vector["table"]
        n, expected = a + b + c + d, vector["expected"]
        assert ((a + b) * (a + c) + (b + d) * (c + d)) / n**2 == pytest.approx(expected["pe"], abs=CLOSE)
        for name, agreed in (("pos_agreement", a), ("neg_agreement", d)):
            if expected.get(name) is not None:
                assert 2 * agreed / (2 * agreed + b + c) == pytest.approx(expected[name], abs=CLOSE)


def test_the_score_tests_chance() -> None:
    checked = [v for v in vectors("binary_2x2") if v["expected"].get("score_p_k0_065") is not None]

    for vector in checked:
        z, p = vector["expected"]["score_z_k0_065"], vector["expected"]["score_p_k0_065"]
        assert 1 - NormalDist().cdf(z) == pytest.approx(p, abs=CLOSE), vector["name"]
    assert checked


def test_mcnemars_chi_square() -> None:
    binary = [v for v in vectors("binary_2x2") if v["expected"].get("mcnemar_chi2_cc") is not None]
    expected = [
        (v["table"], v["expected"]["mcnemar_chi2_nocc"], v["expected"]["mcnemar_chi2_cc"]) for v in binary
    ]
    expected += [
        (v["table"], v["expected"]["chi2_nocc"], v["expected"]["chi2_cc"]) for v in vectors("mcnemar")
    ]

    for table, plain, corrected in expected:
        if table[0][1] + table[1][0]:
            found = [mcnemar(table, exact=False, correction=each).statistic for each in (False, True)]
            assert found == pytest.approx([plain, corrected], abs=CLOSE)
    for vector in vectors("mcnemar"):
        found = [mcnemar(vector["table"], exact=False, correction=each).pvalue for each in (False, True)]
        assert found == pytest.approx([vector["expected"]["p_nocc"], vector["expected"]["p_cc"]], rel=CLOSE)


def test_other_ideas_of_chance() -> None:
    (vector,) = vectors("multi_coeff")
    table, expected = np.array(vector["table"], float), vector["expected"]

    plain = _weights("unweighted", 3)
    assert _scott(table, plain) == pytest.approx(expected["scott"], abs=CLOSE)
    assert _gwet(table, plain) == pytest.approx(expected["gwet"], abs=CLOSE)
    assert _brennan_prediger(table, plain) == pytest.approx(expected["bp"], abs=CLOSE)


@pytest.mark.parametrize("weights", ["linear", "quadratic"])
def test_gwets_coefficient_on_scales(weights: str) -> None:
    for vector in vectors("ordinal_kxk"):
        table = np.array(vector["table"], float)
        value, _ = _gwet(table, _weights(weights, len(table)))
        assert value == pytest.approx(vector["expected"][f"gwet_ac2_{weights}"], abs=CLOSE), vector["name"]


def _shares(table: Matrix) -> tuple[Matrix, Matrix]:
    """Of each cell, and of each class over both sides."""
    cells = table / table.sum()
    return cells, (cells.sum(axis=0) + cells.sum(axis=1)) / 2


def _scott(table: Matrix, weights: Matrix) -> tuple[float, float]:
    """Scott 1955, with the error of Gwet 2014, Handbook of Inter-Rater Reliability, chapter 5."""
    cells, classes = _shares(table)
    chance, near = float(classes @ weights @ classes), weights @ classes
    value = (float((weights * cells).sum()) - chance) / (1 - chance)
    return value, _error(table, weights, value, chance, np.add.outer(near, near) / 2)


def _gwet(table: Matrix, weights: Matrix) -> tuple[float, float]:
    """Gwet 2008; with weights AC2 (Gwet 2014)."""
    cells, classes = _shares(table)
    share = weights.sum() / (len(table) * (len(table) - 1))
    chance = float(share * (classes * (1 - classes)).sum())
    value = (float((weights * cells).sum()) - chance) / (1 - chance)
    return value, _error(table, weights, value, chance, share * (1 - np.add.outer(classes, classes) / 2))


def _error(table: Matrix, weights: Matrix, value: float, chance: float, of_cell: Matrix) -> float:
    """Linearised: how far each cell moves the coefficient, with its own part in chance."""
    cells, agreed = table / table.sum(), float((weights * table).sum() / table.sum())
    spread = (cells * (weights - 2 * (1 - value) * of_cell) ** 2).sum() - (
        agreed - 2 * (1 - value) * chance
    ) ** 2
    return sqrt(spread / table.sum()) / (1 - chance)


def _brennan_prediger(table: Matrix, weights: Matrix) -> tuple[float, float]:
    """Brennan & Prediger 1981: chance as if all classes were as likely."""
    cells, chance = table / table.sum(), float(weights.sum() / len(table) ** 2)
    agreed = float((weights * cells).sum())
    spread = float((weights**2 * cells).sum()) - agreed**2
    return (agreed - chance) / (1 - chance), sqrt(spread / table.sum()) / (1 - chance)


DISTANCES: dict[str, Distance] = {
    "interval": lambda totals, x, y: (x - y) ** 2,
    "ratio": lambda totals, x, y: ((x - y) / (x + y)) ** 2 if x + y else 0.0,
    "ordinal": lambda totals, x, y: (
        (sum(totals[min(x, y) : max(x, y) + 1]) - (totals[x] + totals[y]) / 2) ** 2
    ),
}


@pytest.mark.parametrize("distance", DISTANCES)
def test_alpha_with_distances(distance: str) -> None:
    for vector in vectors("krippendorff"):
        columns = zip(*vector["data"], strict=True)
        rows = [[label for label in column if label is not None] for column in columns]
        expected = vector["expected"].get(distance, vector["published"].get(distance))
        assert _alpha(rows, DISTANCES[distance]) == pytest.approx(expected, abs=CLOSE), vector["name"]


def test_alpha_of_two_on_scales() -> None:
    for vector in vectors("ordinal_kxk"):
        rows = [
            [i, j] for i, line in enumerate(vector["table"]) for j, n in enumerate(line) for _ in range(n)
        ]
        expected = vector["expected"]["krippendorff_alpha_ordinal"]
        assert _alpha(rows, DISTANCES["ordinal"]) == pytest.approx(expected, abs=CLOSE), vector["name"]


def _alpha(rows: list[list[int]], distance: Distance) -> float:
    """Krippendorff 2011: coincidences of labels within rows against those of any two labels."""
    pairable = [row for row in rows if len(row) > 1]
    counts = Counter(label for row in pairable for label in row)
    totals: list[float] = [counts[label] for label in range(max(counts) + 1)]
    observed = sum(
        distance(totals, x, y) / (len(row) - 1) for row in pairable for x in row for y in row if x != y
    )
    expected = sum(totals[x] * totals[y] * distance(totals, x, y) for x in counts for y in counts)
    return 1 - (sum(totals) - 1) * observed / expected


def test_every_kind_of_vector_is_one_that_some_test_knows() -> None:
    known = {"binary_2x2", "ordinal_kxk", "multi_coeff", "krippendorff", "mcnemar", "kendall_tau_b"}
    known |= {"ordering_auc", "ordering_upper", "group_sequential", "planner", "rogan_gladen", "cusum"}
    every: Any = [each for kind in known for each in vectors(kind)]

    assert len(every) == 39
