"""Two versions of a judge, or two generators under one judge, on the same rows: what moved, and by luck?"""

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from statistics import NormalDist

from judging.domain.verdicts import Outcome
from labeling.domain.agreement import Interval, Undefined, mcnemar_exact
from labeling.domain.verdicts import HumanVerdict

# Where no row moved, or all did one way, the found difference is a root, too, but no end of the interval.
_NOT_ITSELF = 1e-6
_VERDICTS = (Outcome.PASS, Outcome.FAIL)


class Change(StrEnum):
    """What became of one row. `inconclusive`: one side has no verdict on it."""

    FIXED = "fixed"
    REGRESSED = "regressed"
    STABLE = "stable"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True, slots=True)
class Changes:
    """How many rows there are of each kind of change."""

    fixed: int = 0
    regressed: int = 0
    stable: int = 0
    inconclusive: int = 0
    method: str = "McNemar exact; score interval of the difference (Tango 1998)"

    @property
    def n(self) -> int:
        """Rows on which both sides have a verdict."""
        return self.fixed + self.regressed + self.stable

    @property
    def net(self) -> int:
        """Fixed minus regressed."""
        return self.fixed - self.regressed

    @property
    def chance(self) -> float:
        """How often two equally good sides would differ so unevenly, either way (McNemar's exact test)."""
        return mcnemar_exact(self.fixed, self.regressed)

    @property
    def chance_of_worse(self) -> float:
        """How often a side that is no worse would lose so many rows: McNemar's exact test, one-sided."""
        return chance_of_worse(self.fixed, self.regressed)

    @property
    def net_share(self) -> float:
        """Net as a share of `n`, −1 to 1. Raises Undefined where no row has both verdicts."""
        if self.n == 0:
            raise Undefined("No row has a verdict on both sides, so there is nothing to compare.")
        return self.net / self.n

    def interval(self, level: float = 0.95) -> Interval:
        """Two-sided interval of `net_share`, with rows as the unit. Raises Undefined as it does."""
        return net_interval(self.fixed, self.regressed, self.n, level)


@dataclass(frozen=True, slots=True)
class Comparison[Key: Hashable]:
    """The rows by what became of them, each in the order they came."""

    fixed: tuple[Key, ...]
    regressed: tuple[Key, ...]
    stable: tuple[Key, ...]
    inconclusive: tuple[Key, ...]

    @property
    def counts(self) -> Changes:
        """How many there are of each, and what follows from that."""
        return Changes(len(self.fixed), len(self.regressed), len(self.stable), len(self.inconclusive))


def compare[Key: Hashable](rows: Iterable[tuple[Key, bool | None, bool | None]]) -> Comparison[Key]:
    """From (key, well before?, well after?); None: no verdict on that side."""
    found: dict[Change, list[Key]] = {change: [] for change in Change}
    for key, before, after in rows:
        found[change_of(before, after)].append(key)
    fixed, regressed, stable, inconclusive = (tuple(found[change]) for change in Change)
    return Comparison(fixed, regressed, stable, inconclusive)


def changes_of(groups: Iterable[tuple[str, str, str | None, int]]) -> Changes:
    """From rows counted by what a side should say, what one said before and what one says after.

    What it should say is people's verdict where judges are compared, and `pass` where generators are.
    """
    counts = dict.fromkeys(Change, 0)
    for truth, before, after, rows in groups:
        counts[change_of(was_right(truth, before), was_right(truth, after))] += rows
    fixed, regressed, stable, inconclusive = (counts[change] for change in Change)
    return Changes(fixed, regressed, stable, inconclusive)


def change_of(before: bool | None, after: bool | None) -> Change:
    """What became of a row that went well, or not, before and after."""
    if before is None or after is None:
        return Change.INCONCLUSIVE
    if before == after:
        return Change.STABLE
    return Change.FIXED if after else Change.REGRESSED


def was_right(truth: HumanVerdict | str, outcome: Outcome | str | None) -> bool | None:
    """Whether a judge says what it should; None without a verdict."""
    return outcome == truth if outcome in _VERDICTS else None


def chance_of_worse(fixed: int, regressed: int) -> float:
    """P(X ≤ fixed) of X ~ Binomial(fixed + regressed, ½); 1.0 where nothing moved (McNemar 1947)."""
    from scipy.special import bdtr

    return float(bdtr(fixed, fixed + regressed, 0.5)) if fixed + regressed else 1.0


def net_interval(fixed: int, regressed: int, n: int, level: float = 0.95) -> Interval:
    """Score interval of (fixed − regressed)/n of `n` paired rows (Tango 1998, Stat. Med. 17:891).

    It does not collapse where nothing moved. Raises Undefined without rows.
    """
    if n == 0:
        raise Undefined("No row has a verdict on both sides, so there is nothing to compare.")
    return Interval(-_upper(regressed, fixed, n, level), _upper(fixed, regressed, n, level))


def _upper(fixed: int, regressed: int, n: int, level: float) -> float:
    """The difference above the found one that the score test just rejects; 1 where all rows are fixed."""
    from scipy.optimize import brentq

    if fixed == n:
        return 1.0
    z = NormalDist().inv_cdf((1 + level) / 2)

    def excess(trial: float) -> float:
        return fixed - regressed - n * trial + z * _spread(fixed, regressed, n, trial)

    difference = (fixed - regressed) / n
    inside = difference + _NOT_ITSELF * (1 - difference)
    return float(brentq(excess, inside, 1.0, xtol=1e-12))


def _spread(fixed: int, regressed: int, n: int, trial: float) -> float:
    """Standard deviation of fixed − regressed if the true difference were `trial`, at its likeliest."""
    b = -fixed - regressed + (2 * n - fixed + regressed) * trial
    c = -regressed * trial * (1 - trial)
    rate = (math.sqrt(max(0.0, b**2 - 8 * n * c)) - b) / (4 * n)  # of regressed rows
    return math.sqrt(max(0.0, n * (2 * rate + trial * (1 - trial))))
