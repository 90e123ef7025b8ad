"""Score ("profile variance") interval of kappa and what follows from it (Lee & Tu 1994, Stat. Med. 13:2275;
the base recommended by Shan & Wang 2017, Stat. Methods Med. Res. 26:1759)."""

import math
from collections.abc import Callable, Iterator
from statistics import NormalDist
from typing import Literal

from labeling.domain.agreement.cohen import kappa, kappa_max
from labeling.domain.agreement.tables import Estimate, Interval, Margins, Table, Undefined
from labeling.domain.agreement.variance import chance_disagreement, kappa_variance

# Below this a variance is rounding, not spread.
_NO_VARIANCE = 1e-12
# The scan away from the estimate starts at this share of the way and grows by this factor.
_SCAN_START, _SCAN_GROWTH = 1e-12, 1.1
# Planned labels show kappa above the bar with 95 % confidence, four times out of five.
_PLAN_CONFIDENCE, _PLAN_POWER = 0.95, 0.80


def estimate_kappa(table: Table, level: float = 0.95) -> Estimate:
    """Kappa with its two-sided score interval; raises Undefined as `kappa_exact` does."""
    low, high = score_interval(table, level)
    return Estimate(kappa(table), low, high, table.n, "Cohen's kappa, score interval (Lee & Tu 1994)")


def score_interval(table: Table, level: float = 0.95, sided: Literal[1, 2] = 2) -> Interval:
    """Score interval of kappa, within what the observed pass rates allow.

    The variance holds both pass rates as they were observed; a trial kappa that no table with these pass
    rates has is no hypothesis about them. Other rows will have other pass rates, and so another limit.

    `sided=2`: both ends hold together with confidence `level`. `sided=1`: each end alone holds with it.
    Raises Undefined as `kappa_exact` does.
    """
    z = NormalDist().inv_cdf(level if sided == 1 else (1 + level) / 2)
    return Interval(_bound(table, z, _lowest_kappa(table)), _bound(table, z, kappa_max(table)))


def score_lower_bound(table: Table, level: float = 0.95) -> float:
    """One-sided lower bound of kappa with confidence `level`; raises Undefined as `kappa_exact` does."""
    return score_interval(table, level, sided=1).low


def score_lower_at(table: Table, z: float) -> float:
    """The bound whose score statistic is `z`, such as what a planned look must reach; raises Undefined as
    `kappa_exact` does.
    """
    return _bound(table, z, _lowest_kappa(table))


def score_z(table: Table, bar: float) -> float:
    """Score statistic z of "true kappa is at most `bar`": large positive values speak against it.

    Raises Undefined as `kappa_exact` does, and where the pass rates rule a kappa of `bar` out.
    """
    estimate = kappa(table)
    variance = kappa_variance(table.margins, bar)
    if variance <= _NO_VARIANCE:
        raise Undefined(f"With these pass rates kappa cannot be {bar}, so there is nothing to test.")
    return (estimate - bar) / math.sqrt(variance / table.n)


def labels_needed(source: Table | Margins, kappa: float, bar: float) -> int:
    """Rows in all (not further rows) that would show with 95 % confidence and 80 % power that a judge of this
    `kappa`, at these pass rates, is above `bar` (normal approximation on the variance of Lee & Tu 1994).

    Raises Undefined where kappa is not above the bar or the pass rates do not allow it.
    """
    margins = source.margins if isinstance(source, Table) else source
    if kappa <= bar:
        raise Undefined(
            "Kappa is not above the bar: more labels of the same kind would not certify this judge."
        )
    if chance_disagreement(margins) == 0 or kappa_variance(margins, bar) <= _NO_VARIANCE:
        raise Undefined("With these pass rates kappa cannot reach the bar, however many rows are labelled.")
    spread_at_bar, spread_at_kappa = (math.sqrt(max(0.0, kappa_variance(margins, k))) for k in (bar, kappa))
    confidence, power = NormalDist().inv_cdf(_PLAN_CONFIDENCE), NormalDist().inv_cdf(_PLAN_POWER)
    return math.ceil(((confidence * spread_at_bar + power * spread_at_kappa) / (kappa - bar)) ** 2)


def _lowest_kappa(table: Table) -> float:
    """Smallest kappa that the two pass rates allow: as few common passes as possible."""
    human, judge = table.n_pass, table.a + table.c
    fewest = max(0, human + judge - table.n)
    return kappa(Table(fewest, human - fewest, judge - fewest, table.n - human - judge + fewest))


def _bound(table: Table, z: float, limit: float) -> float:
    """Trial kappa nearest to the estimate, on the way to `limit`, that the test rejects; else the limit."""
    from scipy.optimize import brentq

    estimate, margins = kappa(table), table.margins

    def excess(trial: float) -> float:
        variance = max(0.0, kappa_variance(margins, trial))
        return abs(estimate - trial) - z * math.sqrt(variance / table.n)

    bracket = _first_crossing(excess, estimate, limit)
    return limit if bracket is None else float(brentq(excess, *bracket, xtol=1e-12))


def _first_crossing(
    excess: Callable[[float], float], estimate: float, limit: float
) -> tuple[float, float] | None:
    """Neighbouring scan points between which `excess` first turns positive.

    The estimate itself is never a bracket: with perfect agreement the variance there is 0 and so is `excess`,
    a root that would bring the Wald interval [1, 1] back.
    """
    inner = estimate + (limit - estimate) * _SCAN_START
    for outer in _scan(estimate, limit):
        if excess(outer) > 0:
            return inner, outer
        inner = outer
    return None


def _scan(estimate: float, limit: float) -> Iterator[float]:
    share = _SCAN_START
    while share < 1:
        yield estimate + (limit - estimate) * share
        share *= _SCAN_GROWTH
    yield limit
