"""Agreement on scores of several steps: weighted kappa (Cohen 1968, Psychol. Bull. 70:213) and tau-b."""

import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import NormalDist
from typing import NamedTuple

from labeling.domain.agreement.tables import Estimate, Interval, Undefined

# Rows by (human score, judge's score).
type Counts = Mapping[tuple[float, float], int]
type Weights = Callable[[float, float], float]

# Below this a standard error is rounding, not spread.
_NO_SPREAD = 1e-9


class Requests(NamedTuple):
    """What rows answer, where several answer one request: such rows are not independent.

    `squares`: the influences summed within each request, squared, summed over the `number` of requests.
    """

    squares: float
    number: int


@dataclass(frozen=True, slots=True)
class GradedKappa:
    """Weighted kappa, −1 to 1, of `n` rows on `requests` requests, with its interval.

    `se`: the larger of the standard errors with rows and with requests as the unit. `interval` is None where
    no row deviates (as with perfect agreement) or all rows answer one request: there `se` knows no doubt.
    """

    value: float
    se: float
    interval: Interval | None
    n: int
    requests: int
    method: str = "weighted kappa, Fisher-z interval"


def squared(one: float, other: float) -> float:
    """Disagreement that grows with the square of the distance: "quadratic weights"."""
    return (one - other) ** 2


def weighted_kappa(
    counts: Counts, requests: Requests | None = None, weights: Weights = squared, level: float = 0.95
) -> GradedKappa:
    """Kappa with disagreements weighed. `requests`: None where every row answers a request of its own.

    The standard error is that of Fleiss, Cohen & Everitt 1969 (Psychol. Bull. 72:323) by influence values.
    Raises Undefined without rows, and where chance cannot disagree: everybody gave one and the same score.
    """
    observed, chance = _disagreements(counts, weights)
    n, value = sum(counts.values()), 1 - observed / chance
    deviations = influences(counts, weights)
    squares = math.fsum(rows * deviations[cell] ** 2 for cell, rows in counts.items())
    clustered, number = requests or Requests(squares, n)
    se = math.sqrt(max(squares, clustered)) / n
    return GradedKappa(value, se, fisher_interval(value, se, level) if number > 1 else None, n, number)


def influences(counts: Counts, weights: Weights = squared) -> dict[tuple[float, float], float]:
    """How far a row of each cell moves kappa, times n; over all rows they sum to 0.

    With human x, judge y: −(w_xy − D_o)/D_e + D_o/D_e²·(Σ_j w_xj q_j + Σ_i w_iy p_i − 2 D_e).
    Raises Undefined as `weighted_kappa` does.
    """
    observed, chance = _disagreements(counts, weights)
    human, judge = _margins(counts)
    of_human = {x: sum(weights(x, y) * q for y, q in judge.items()) for x in human}
    of_judge = {y: sum(weights(x, y) * p for x, p in human.items()) for y in judge}
    return {
        (x, y): (observed - weights(x, y)) / chance
        + observed / chance**2 * (of_human[x] + of_judge[y] - 2 * chance)
        for x, y in counts
    }


def fisher_interval(value: float, se: float, level: float = 0.95) -> Interval | None:
    """Two-sided interval of a coefficient on the scale of its inverse hyperbolic tangent (Fisher 1921), which
    stays within −1 and 1; None where that scale has no such point or the error is 0.
    """
    if abs(value) >= 1 or se < _NO_SPREAD:
        return None
    reach = NormalDist().inv_cdf((1 + level) / 2) * se / (1 - value**2)
    return Interval(math.tanh(math.atanh(value) - reach), math.tanh(math.atanh(value) + reach))


def tau_b(counts: Counts) -> float:
    """Kendall's tau-b (1945, Biometrika 33:239), −1 to 1: how far both put rows in the same order.

    From the cells: scipy.stats has it for rows, and takes seconds to import. Raises Undefined where either
    side gave fewer than two different scores.
    """
    import numpy as np

    xs, ys = (sorted({cell[side] for cell in counts}) for side in (0, 1))
    if min(len(xs), len(ys)) < 2:
        raise Undefined("One side gave all rows the same score, so there is no order to compare.")
    table = np.zeros((len(xs) + 1, len(ys) + 1))
    for (x, y), rows in counts.items():
        table[xs.index(x) + 1, ys.index(y) + 1] = rows
    below = table.cumsum(0).cumsum(1)  # rows with scores up to these
    inner = table[1:, 1:]
    agreeing = float((inner * below[:-1, :-1]).sum())
    opposed = float((inner * (below[:-1, -1:] - below[:-1, 1:])).sum())
    untied = [(inner.sum() ** 2 - (inner.sum(side) ** 2).sum()) / 2 for side in (0, 1)]
    return (agreeing - opposed) / math.sqrt(untied[0] * untied[1])


def mean_difference(counts: Counts, level: float = 0.95) -> Estimate:
    """The judge's score minus people's, on average; above 0 the judge is lenient.

    With a normal interval over rows: it only has to say whether there is a lean at all. Raises Undefined for
    fewer than two rows, which know no spread.
    """
    n = sum(counts.values())
    if n < 2:
        raise Undefined("Fewer than two rows have scores from both, so their difference has no spread.")
    mean = math.fsum((y - x) * rows for (x, y), rows in counts.items()) / n
    spread = math.fsum((y - x - mean) ** 2 * rows for (x, y), rows in counts.items()) / (n - 1)
    reach = NormalDist().inv_cdf((1 + level) / 2) * math.sqrt(spread / n)
    return Estimate(mean, mean - reach, mean + reach, n, "mean difference, normal interval")


def _disagreements(counts: Counts, weights: Weights) -> tuple[float, float]:
    """Mean disagreement within rows, and between a person's and a judge's score of any two rows."""
    if not sum(counts.values()):
        raise Undefined("There are no scored rows, so there is no agreement to speak of.")
    human, judge = _margins(counts)
    chance = sum(weights(x, y) * p * q for x, p in human.items() for y, q in judge.items())
    if chance == 0:
        raise Undefined("All rows have one and the same score from people and judge: kappa is undefined.")
    return sum(weights(x, y) * rows for (x, y), rows in counts.items()) / sum(counts.values()), chance


def _margins(counts: Counts) -> tuple[dict[float, float], dict[float, float]]:
    """Shares of each score, people's and the judge's."""
    found: tuple[Counter[float], Counter[float]] = (Counter(), Counter())
    for cell, rows in counts.items():
        for side in (0, 1):
            found[side][cell[side]] += rows
    n = sum(counts.values())
    human, judge = ({score: rows / n for score, rows in side.items()} for side in found)
    return human, judge
