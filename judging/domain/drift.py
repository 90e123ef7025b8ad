"""Does a certified judge still agree with people? A running sum over audited live candidates, one by one.

The Bernoulli CUSUM (Page 1954, Biometrika 41:100; Reynolds & Stoumbos 1999, J. Qual. Technol. 31:87): each
agreement lowers the sum a little, each disagreement raises it a lot, and it never falls below 0. Rows without
a verdict of people or judge are no part of it.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from judging.domain.measured import Measured

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray

# A clean judge of the simulated case (.93 against .85 at 5) raises a false alarm once in so many rows.
CLEAN_ROWS = 6_400
_LOWEST_LIMIT, _HIGHEST_LIMIT = 1.0, 12.0
_STATES = 300


@dataclass(frozen=True, slots=True)
class Cusum:
    """`p0`: agreement (0 to 1) of a judge that is as it was; `p1`: of one that has got worse; `h`: alarm.

    Raises ValueError unless 0 < p1 < p0 < 1 and h > 0.
    """

    p0: float
    p1: float
    h: float = 5.0

    def __post_init__(self) -> None:
        if not 0 < self.p1 < self.p0 < 1:
            raise ValueError("The agreement to notice lies below the certified one, and both within 0 and 1.")
        if not self.h > 0:
            raise ValueError("The limit of the alarm lies above 0.")

    def after(self, total: float, agreed: bool) -> float:
        """The sum after one more row."""
        return max(0.0, total + self.step(agreed))

    def step(self, agreed: bool) -> float:
        """What a row adds: how much likelier it is with a judge that has got worse, as a logarithm."""
        return math.log(self.p1 / self.p0) if agreed else math.log((1 - self.p1) / (1 - self.p0))

    def alarms(self, total: float) -> bool:
        """Whether the sum has reached the limit."""
        return total >= self.h


@dataclass(frozen=True, slots=True)
class Watch:
    """Where the sum stands after `n` rows. `alarm_at`: the row, from 1, that first raised it to the limit."""

    total: float
    n: int
    alarm_at: int | None
    method: str = "Bernoulli CUSUM"


def watch(cusum: Cusum, agreements: Iterable[bool]) -> Watch:
    """The sum over audited rows in their order. After an alarm it goes on, so that the page can show it."""
    total, n, alarm_at = 0.0, 0, None
    for n, agreed in enumerate(agreements, start=1):
        total = cusum.after(total, agreed)
        if alarm_at is None and cusum.alarms(total):
            alarm_at = n
    return Watch(total, n, alarm_at)


def agreements_of(certified: Measured, bar: float) -> tuple[float, float]:
    """(p0, p1) from the rows that a certificate rests on, each by its weight, with kappa's `bar`.

    p0: its agreement, at most 1 − 1/(n + 2), n as `counts_like`: on few rows even all is no promise. p1: what
    kappa at the bar would agree, 1 − (1 − bar)·D with D = chance disagreement, but .05 to .08 below p0.
    Raises Undefined without a row.
    """
    human, judge = certified.margins()
    chance = human * (1 - judge) + judge * (1 - human)
    p0 = min(certified.agreement(), 1 - 1 / (certified.counts_like() + 2))
    return p0, min(p0 - 0.05, max(1 - (1 - bar) * chance, p0 - 0.08))


def cusum_for(certified: Measured, bar: float) -> Cusum:
    """The CUSUM that watches a judge measured so. Raises as `agreements_of`, and ValueError where it
    agrees so seldom that it cannot fall further.
    """
    p0, p1 = agreements_of(certified, bar)
    return Cusum(p0, p1, alarm_limit(p0, p1))


@lru_cache(maxsize=64)
def alarm_limit(p0: float, p1: float, clean_rows: float = CLEAN_ROWS) -> float:
    """The h with which a judge that is as it was raises an alarm once in so many rows on average.

    The same 5 for all would notice a small fall far later than need be, since a clean judge then hardly ever
    comes near it.
    """
    from scipy.optimize import brentq

    def excess(h: float) -> float:
        return math.log(run_length(Cusum(p0, p1, h), p0) / clean_rows)

    return float(brentq(excess, _LOWEST_LIMIT, _HIGHEST_LIMIT, xtol=0.01))


def run_length(cusum: Cusum, agreement: float) -> float:
    """Rows to the alarm on average, from 0, of a judge that agrees on this share of them.

    By a Markov chain over the sum (Brook & Evans 1972, Biometrika 59:539), between its states by lines.
    """
    import numpy as np

    width = cusum.h / _STATES
    states = np.arange(_STATES)
    moves = np.zeros((_STATES, _STATES + 2))
    for agreed, chance in ((True, agreement), (False, 1 - agreement)):
        to = np.maximum(0.0, states + cusum.step(agreed) / width)
        below = np.minimum(np.floor(to), _STATES).astype(int)  # the last two states are the alarm
        above = np.minimum(to - below, 1.0)
        np.add.at(moves, (states, below), chance * (1 - above))
        np.add.at(moves, (states, below + 1), chance * above)
    falls = math.ceil(-cusum.step(True) / width)
    return _first_of_solution(np.eye(_STATES) - moves[:, :_STATES], falls)


def _first_of_solution(matrix: "NDArray[float64]", below: int) -> float:
    """The first of x where matrix · x = 1, with at most `below` entries under each of the diagonal.

    By plain elimination, which needs no pivots where diagonals outweigh their rows. LAPACK's takes megabytes
    of stack, and a thread that answers pages has two: it would end the whole process.
    """
    import numpy as np

    left, right = matrix.copy(), [1.0] * len(matrix)
    for k in range(len(left) - 1, 0, -1):
        above = np.flatnonzero(left[:k, k])
        share = left[above, k] / left[k, k]
        lowest = max(0, k - below)
        left[above, lowest:k] -= share[:, None] * left[k, lowest:k]
        for row, part in zip(above.tolist(), share.tolist(), strict=True):
            right[row] -= part * right[k]
    return right[0] / float(left[0, 0])
