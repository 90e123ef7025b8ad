"""Kappa of rows that were drawn with unequal probabilities: rows that were likelier to be drawn count less.

Counted plainly, rows of which too many were drawn decide the result: a true .69 came out as .50.
"""

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

from labeling.domain.agreement.tables import Undefined

# Below this a standard error is rounding, not spread.
_NO_SPREAD = 1e-9


@dataclass(frozen=True, slots=True)
class DrawnRow:
    """Whether people and judge pass it, its probability of being drawn (over 0, at most 1), and the part of
    the frame, in which all rows had the same probability, that it was drawn from.

    Raises ValueError for a probability that no draw has.
    """

    human: bool
    judge: bool
    probability: float
    stratum: Hashable

    def __post_init__(self) -> None:
        if not 0 < self.probability <= 1:
            raise ValueError("A row's probability of being drawn lies above 0 and is at most 1.")


@dataclass(frozen=True, slots=True)
class DrawnKappa:
    """Kappa of the frame that `n` rows were drawn from. `se`: its standard error. `bound`: one-sided lower
    bound, None where no row deviates, as with perfect agreement: there `se` knows no doubt.
    """

    value: float
    se: float
    bound: float | None
    n: int
    method: str = "kappa weighted by 1/p, linearised standard error, Fisher-z bound"


def drawn_kappa(rows: Sequence[DrawnRow], level: float = 0.95) -> DrawnKappa:
    """Kappa with each row weighing 1/p (Horvitz & Thompson 1952), its error by linearisation over strata
    (Woodruff 1971, J. Am. Stat. Assoc. 66:411), and its one-sided bound on Fisher's scale.

    Raises Undefined without rows, where people and judge give all rows one and the same verdict, and where a
    stratum has a single row, whose spread nobody can tell.
    """
    weights = [1 / row.probability for row in rows]
    if not rows:
        raise Undefined("There are no scored rows, so there is no agreement to speak of.")
    human, judge = _share(rows, weights, "human"), _share(rows, weights, "judge")
    apart = human * (1 - judge) + judge * (1 - human)
    if apart == 0:
        raise Undefined("All rows have one and the same verdict from people and judge: kappa is undefined.")
    agreed = math.fsum(w for row, w in zip(rows, weights, strict=True) if row.human == row.judge)
    value = 1 - (1 - agreed / math.fsum(weights)) / apart
    se = _standard_error(rows, weights, _influences(rows, value, human, judge))
    return DrawnKappa(value, se, _bound(value, se, level), len(rows))


def _share(rows: Iterable[DrawnRow], weights: Sequence[float], side: str) -> float:
    """Weighted share of the rows that one side passes; exactly 0 or 1 where it passes none or all."""
    passed = math.fsum(w for row, w in zip(rows, weights, strict=True) if getattr(row, side))
    return passed / math.fsum(weights)


def _influences(rows: Iterable[DrawnRow], value: float, human: float, judge: float) -> list[float]:
    """[1(h = j) − κ − (1 − κ)(q_h + p_j − p_e)]/(1 − p_e), with the judge's share q of the human's class and
    people's share p of the judge's; their weighted sum is 0.
    """
    apart = human * (1 - judge) + judge * (1 - human)
    return [
        (
            (row.human == row.judge)
            - value
            - (1 - value) * (_of(row.human, judge) + _of(row.judge, human) - 1 + apart)
        )
        / apart
        for row in rows
    ]


def _of(passed: bool, passes: float) -> float:
    return passes if passed else 1 - passes


def _standard_error(rows: Iterable[DrawnRow], weights: Iterable[float], influences: Iterable[float]) -> float:
    """√Σ_s (N_s/N)² s_s²/n_s, where N_s is the stratum's weight and s_s² the variance of influences in it."""
    strata: defaultdict[Hashable, list[tuple[float, float]]] = defaultdict(list)
    for row, weight, influence in zip(rows, weights, influences, strict=True):
        strata[row.stratum].append((weight, influence))
    whole = math.fsum(weight for members in strata.values() for weight, _ in members)
    return math.hypot(*(_spread(members) / whole for members in strata.values()))


def _spread(members: Sequence[tuple[float, float]]) -> float:
    """N_s·s_s/√n_s of one stratum."""
    n = len(members)
    if n < 2:
        raise Undefined("A stratum has a single scored row, so its spread is unknown: score more of it.")
    mean = math.fsum(influence for _, influence in members) / n
    squares = math.fsum((influence - mean) ** 2 for _, influence in members)
    return math.fsum(weight for weight, _ in members) * math.sqrt(squares / (n - 1) / n)


def _bound(value: float, se: float, level: float) -> float | None:
    """tanh(atanh κ − z·SE/(1 − κ²))."""
    if abs(value) >= 1 or se < _NO_SPREAD:
        return None
    return math.tanh(math.atanh(value) - NormalDist().inv_cdf(level) * se / (1 - value**2))
