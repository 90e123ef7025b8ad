"""The rule `bound`: a judge certifies when its kappa is shown to be above the bar, at planned looks only.

Whoever tests after every batch of labels certifies by luck in the end. So the looks are planned before rows
are scored, and each may spend a part of the 5 % (Lan & DeMets 1983, Biometrika 70:659, with their function
like Pocock's). Where few rows are in, most of it is kept for later.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from judging.domain.measured import Measured

if TYPE_CHECKING:
    import numpy as np

    type Floats = np.ndarray[tuple[int], np.dtype[np.float64]]

DEFAULT_LOOKS = (30, 60, 100, 150, 200, 300, 400)
ALPHA = 0.05
# The density is cut where it no longer matters, and followed at so many points of each step's own spread.
_FARTHEST, _POINTS_PER_SPREAD, _FEWEST_POINTS = 8.0, 5, 600


class PlanUsedUp(ValueError):
    """There are more rows than were planned for; the message says how many. A new plan wants fresh rows."""


@dataclass(frozen=True, slots=True)
class Plan:
    """When one may look. `looks`: scored rows, ascending; `n_max`: the rows at which all of alpha is spent,
    by default the last look. `attempt`: from 1, the versions of this judge that were scored on these rows.

    Raises ValueError for a plan that cannot be followed.
    """

    looks: tuple[int, ...] = DEFAULT_LOOKS
    n_max: int = 0
    attempt: int = 1
    alpha: float = field(default=ALPHA, kw_only=True)

    def __post_init__(self) -> None:
        if not self.looks or self.looks[0] < 1 or list(self.looks) != sorted(set(self.looks)):
            raise ValueError("A plan names its looks as growing numbers of rows, at least one.")
        if self.n_max == 0:
            object.__setattr__(self, "n_max", self.looks[-1])
        if self.n_max < self.looks[-1]:
            raise ValueError("The last planned look lies beyond the rows that the plan has in all.")
        if self.attempt < 1 or not 0 < self.alpha < 0.5:
            raise ValueError("Attempts count from 1, and alpha lies between 0 and one half.")


@dataclass(frozen=True, slots=True)
class Look:
    """What one look found. `number`: which planned look, from 1; `n`: the rows that were there at it, or so
    many as they count like where they were drawn unequally.

    `z`: score statistic of "true kappa is at most the bar". `boundary`: what it must reach. `low`: lower
    bound of kappa that holds at all looks together (Jennison & Turnbull 1989, J. R. Stat. Soc. B 51:305).
    """

    number: int
    n: int
    value: float
    low: float
    z: float
    boundary: float
    method: str = "score test of kappa at planned looks (Lan & DeMets 1983)"

    @property
    def shown(self) -> bool:
        """Whether kappa is shown to be above the bar."""
        return self.z >= self.boundary


def take_look(plan: Plan, taken: Sequence[int], measured: Measured, bar: Decimal) -> Look | None:
    """The look that is due with these rows; None between looks, where a state may only fall.

    `taken`: rows at this attempt's earlier looks, ascending. Raises `PlanUsedUp` beyond `n_max`, and
    Undefined where kappa or its test against the bar does not exist.
    """
    n = measured.counts_like()
    number = look_due(plan, taken, n)
    if number is None:
        return None
    boundary = boundaries((*taken, n), plan.n_max, attempt_alpha(plan.attempt, plan.alpha))[-1]
    value, low = float(measured.kappa()), measured.lower_at(boundary)
    return Look(number, n, value, low, measured.z(bar), boundary)


def next_look(plan: Plan, taken: Sequence[int], n: int) -> int | None:
    """The scored rows at which the next look is planned: one that `n` has reached if it was not taken yet.

    None where no look is left.
    """
    if n > plan.n_max:
        return None
    number = look_due(plan, taken, n)
    if number is not None:
        return plan.looks[number - 1]
    return next((planned for planned in plan.looks if planned > max(n, *taken, 0)), None)


def look_due(plan: Plan, taken: Sequence[int], n: int) -> int | None:
    """The number, from 1, of the look that `n` rows are the first to reach; of several, of the last.

    None before the first and where each look up to `n` was taken. Raises `PlanUsedUp` beyond `n_max`.
    """
    if n > plan.n_max:
        raise PlanUsedUp(f"{n} rows are more than the {plan.n_max} that were planned.")
    reached = sum(planned <= n for planned in plan.looks)
    used = sum(planned <= max(taken, default=0) for planned in plan.looks)
    return reached if reached > used else None


def attempt_alpha(attempt: int, alpha: float = ALPHA) -> float:
    """The chance of certifying wrongly that the k-th version of a judge on the same rows may take.

    The first has all of `alpha`, the k-th α·6/(π²k²); all later ones together have no more than 0.4 α.
    """
    return alpha if attempt == 1 else alpha * 6 / (math.pi * attempt) ** 2


def alpha_spent(share: float, alpha: float = ALPHA) -> float:
    """What may be spent once this share (0 to 1) of the planned rows is in: α·ln(1 + (e−1)t)."""
    return alpha * math.log1p((math.e - 1) * share)


@lru_cache(maxsize=256)
def boundaries(rows: tuple[int, ...], n_max: int, alpha: float = ALPHA) -> tuple[float, ...]:
    """What z must reach at each look taken with so many `rows`, so that all of them together err with at most
    the `alpha` spent by then. Later looks never change earlier ones.
    """
    shares = [n / n_max for n in rows]
    return tuple(spending_boundaries(shares, [alpha_spent(share, alpha) for share in shares]))


def spending_boundaries(shares: Sequence[float], spent: Sequence[float]) -> list[float]:
    """Boundaries of z at these shares (0 to 1, growing) of the planned rows, with `spent` of alpha by then.

    The score √t·z has independent increments; its density where no look stopped is followed by integration
    (Armitage, McPherson & Rowe 1969, J. R. Stat. Soc. A 132:235). Raises ValueError where shares do not grow.
    """
    steps = [later - earlier for earlier, later in pairwise((0.0, *shares))]
    if min(steps) <= 0 or shares[-1] > 1:
        raise ValueError("Looks are taken with growing numbers of rows, at most the planned ones.")
    spends = [later - earlier for earlier, later in pairwise((0.0, *spent))]
    found, walk = [], _Walk()
    for share, step, spend in zip(shares, steps, spends, strict=True):
        limit = walk.limit(spend, step)
        found.append(limit / math.sqrt(share))
        walk.go_on(limit, share, step)
    return found


class _Walk:
    """Where the score is, if no look has stopped it: mass at points, which starts as all of it at 0."""

    def __init__(self) -> None:
        import numpy as np

        self.at: Floats = np.zeros(1)
        self.mass: Floats = np.ones(1)

    def limit(self, spend: float, step: float) -> float:
        """What the next score, `step` further on, exceeds with probability `spend`."""
        from scipy.optimize import brentq
        from scipy.special import ndtr

        def excess(limit: float) -> float:
            return float(self.mass @ ndtr((self.at - limit) / math.sqrt(step))) - spend

        return float(brentq(excess, -_FARTHEST, _FARTHEST, xtol=1e-10))

    def go_on(self, limit: float, share: float, step: float) -> None:
        """Move on by `step` to `share` and lose what lies beyond `limit`."""
        import numpy as np

        lowest, spread = -_FARTHEST * math.sqrt(share), math.sqrt(step)
        points = max(_FEWEST_POINTS, math.ceil(_POINTS_PER_SPREAD * (limit - lowest) / spread)) // 2 * 2 + 1
        at, width = np.linspace(lowest, limit, points, retstep=True)
        density = np.exp(-(((at[:, None] - self.at) / spread) ** 2) / 2) @ self.mass
        self.at, self.mass = at, density * _simpson(points) * width / (spread * math.sqrt(2 * math.pi))


def _simpson(points: int) -> "Floats":
    """Simpson's weights for an odd number of points a width of 1 apart."""
    import numpy as np

    weights = np.full(points, 2 / 3)
    weights[1::2] = 4 / 3
    weights[[0, -1]] = 1 / 3
    return weights
