"""Agreement on scores of several steps: weighted kappa (Cohen 1968, Psychol. Bull. 70:213) and tau-b."""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

from labeling.domain.agreement.tables import Interval, Undefined

type Pairs = Sequence[tuple[float, float]]
type Weights = Callable[[float, float], float]

# Below this a standard error is rounding, not spread.
_NO_SPREAD = 1e-9


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


@dataclass(frozen=True, slots=True)
class TauB:
    """Kendall's tau-b, −1 to 1, of `n` rows. `p_value`: how often unrelated scores come so far from 0."""

    value: float
    p_value: float
    n: int
    method: str = "Kendall's tau-b"


def squared(one: float, other: float) -> float:
    """Disagreement that grows with the square of the distance: "quadratic weights"."""
    return (one - other) ** 2


def weighted_kappa(
    pairs: Pairs,
    requests: Sequence[Hashable] | None = None,
    weights: Weights = squared,
    level: float = 0.95,
) -> GradedKappa:
    """Kappa of (human score, judge score) rows, with disagreements weighed.

    `requests`: what each row answers; answers to one request are no independent rows. None: all differ.
    The standard error is that of Fleiss, Cohen & Everitt 1969 (Psychol. Bull. 72:323) by influence values.
    Raises Undefined without rows, and where chance cannot disagree: everybody gave one and the same score.
    """
    observed, chance = _disagreements(pairs, weights)
    deviations = _influences(pairs, weights, observed, chance)
    clusters = list(range(len(pairs))) if requests is None else list(requests)
    sums: defaultdict[Hashable, float] = defaultdict(float)
    for request, deviation in zip(clusters, deviations, strict=True):
        sums[request] += deviation
    se = max(math.hypot(*deviations), math.hypot(*sums.values())) / len(pairs)
    value = 1 - observed / chance
    interval = fisher_interval(value, se, level) if len(sums) > 1 else None
    return GradedKappa(value, se, interval, len(pairs), len(sums))


def fisher_interval(value: float, se: float, level: float = 0.95) -> Interval | None:
    """Two-sided interval of a coefficient on the scale of its inverse hyperbolic tangent (Fisher 1921), which
    stays within −1 and 1; None where that scale has no such point or the error is 0.
    """
    if abs(value) >= 1 or se < _NO_SPREAD:
        return None
    reach = NormalDist().inv_cdf((1 + level) / 2) * se / (1 - value**2)
    return Interval(math.tanh(math.atanh(value) - reach), math.tanh(math.atanh(value) + reach))


def tau_b(pairs: Pairs) -> TauB:
    """Kendall's tau-b (1945, Biometrika 33:239): how far people and judge put rows in the same order.

    Raises Undefined where either side gave fewer than two different scores.
    """
    human, judge = [one for one, _ in pairs], [other for _, other in pairs]
    if min(len(set(human)), len(set(judge))) < 2:
        raise Undefined("One side gave all rows the same score, so there is no order to compare.")
    from scipy.stats import kendalltau

    found = kendalltau(human, judge)
    return TauB(float(found.statistic), float(found.pvalue), len(pairs))


def _disagreements(pairs: Pairs, weights: Weights) -> tuple[float, float]:
    """Mean disagreement within rows, and between a person's and a judge's score of any two rows."""
    if not pairs:
        raise Undefined("There are no scored rows, so there is no agreement to speak of.")
    human, judge = _margins(pairs)
    chance = sum(weights(x, y) * p * q for x, p in human.items() for y, q in judge.items())
    if chance == 0:
        raise Undefined("All rows have one and the same score from people and judge: kappa is undefined.")
    return sum(weights(x, y) for x, y in pairs) / len(pairs), chance


def _influences(pairs: Pairs, weights: Weights, observed: float, chance: float) -> list[float]:
    """How far each row moves kappa, times n; they sum to 0.

    With human x, judge y: −(w_xy − D_o)/D_e + D_o/D_e²·(Σ_j w_xj q_j + Σ_i w_iy p_i − 2 D_e).
    """
    human, judge = _margins(pairs)
    of_human = {x: sum(weights(x, y) * q for y, q in judge.items()) for x in human}
    of_judge = {y: sum(weights(x, y) * p for x, p in human.items()) for y in judge}
    return [
        (observed - weights(x, y)) / chance + observed / chance**2 * (of_human[x] + of_judge[y] - 2 * chance)
        for x, y in pairs
    ]


def _margins(pairs: Pairs) -> tuple[dict[float, float], dict[float, float]]:
    """Shares of each score, people's and the judge's."""
    return _shares([one for one, _ in pairs]), _shares([other for _, other in pairs])


def _shares(scores: Sequence[float]) -> dict[float, float]:
    return {score: rows / len(scores) for score, rows in Counter(scores).items()}
