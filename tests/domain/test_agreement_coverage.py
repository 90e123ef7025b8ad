"""Does the score interval hold what it says? Seeded simulation of judges whose true kappa is known."""

from collections import Counter

import numpy as np
import pytest

from labeling.domain.agreement import Table, score_interval, score_lower_bound

DRAWS = 600


@pytest.mark.parametrize(
    ("n", "pass_rate", "true_kappa"), [(30, 0.5, 0.65), (60, 0.7, 0.65), (100, 0.85, 0.65), (100, 0.7, 0.4)]
)
def test_the_interval_and_the_bound_cover_the_true_kappa(n: int, pass_rate: float, true_kappa: float) -> None:
    inside = bounded = 0

    for table, times in _draw(n, pass_rate, true_kappa).items():
        low, high = score_interval(table)
        inside += times * (low <= true_kappa <= high)
        bounded += times * (score_lower_bound(table) <= true_kappa)

    # A share of 600 draws at .95 has a standard deviation of .009; with few rows the bound errs on the
    # safe side.
    assert 0.92 <= inside / DRAWS <= 0.98
    assert 0.93 <= bounded / DRAWS <= 0.99


def _draw(n: int, pass_rate: float, true_kappa: float) -> Counter[Table]:
    """Tables of n rows from people and a judge who pass equally often and agree with the given kappa."""
    common = pass_rate**2 + true_kappa * pass_rate * (1 - pass_rate)
    apart = pass_rate - common
    cells = [common, apart, apart, 1 - common - 2 * apart]
    drawn = np.random.default_rng(20_240_607).multinomial(n, cells, size=DRAWS)
    return Counter(Table(*map(int, row)) for row in drawn)
