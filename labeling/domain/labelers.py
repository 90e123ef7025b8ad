"""What one labeler's labels say of how they work: agreement, change over time, and pace.

Each is a hint for a lead to look, never a judgement of a person.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from labeling.domain.agreement import Estimate, Interval, Table, Undefined, agreement_rate
from labeling.domain.agreement.people import PeopleKappa, is_telling, kappa_of_people

FEWEST = 5  # rows under which no figure is worth telling
FEWEST_IN_HALF = 10  # rows that either half of somebody's time must have to be compared
FEWEST_TIMED = 20  # labels with a time, to speak of somebody's pace
CHANCE = 0.05  # of calling some change among all labelers where there is none
_HURRIED = 0.5  # of the others' median


@dataclass(frozen=True, slots=True)
class Compared:
    """Somebody's verdicts beside others' on the same rows; `same` of `rows` are alike.

    `share` has its exact interval, `kappa` its score interval from 20 rows on. Both are None for fewer than 5
    rows, and kappa where either side gave one verdict throughout.
    """

    same: int
    rows: int
    share: Estimate | None
    kappa: PeopleKappa | None

    @property
    def apart(self) -> int:
        """Rows on which the two verdicts differ."""
        return self.rows - self.same


def compared(table: Table) -> Compared:
    """The agreement on a table whose rows are the others' verdicts and whose columns are somebody's own."""
    same = table.a + table.d
    if table.n < FEWEST:
        return Compared(same, table.n, None, None)
    kappa = kappa_of_people(table) if is_telling(table) else None
    return Compared(same, table.n, agreement_rate(table), kappa)


@dataclass(frozen=True, slots=True)
class Change:
    """Agreement before and since a day: (rows alike, rows). `p` is Fisher's, two-sided."""

    since: date
    before: tuple[int, int]
    after: tuple[int, int]
    p: float

    @property
    def worse(self) -> bool:
        return self.after[0] * self.before[1] < self.before[0] * self.after[1]


def change_between_halves(days: Mapping[date, tuple[int, int]]) -> Change:
    """Somebody's earlier half of rows against the later, parted between two days, by Fisher's exact test.

    `days`: (rows alike, rows) of each. Halves and not a running sum: a sum needs a level that is in order,
    and nobody has set one for people. Raises Undefined where a half would have fewer than 10 rows.
    """
    ordered = sorted(days.items())
    rows = sum(of_all for _, (_, of_all) in ordered)
    best: tuple[int, date, tuple[int, int]] | None = None
    alike = seen = 0
    for number, (_, (same, of_all)) in enumerate(ordered[:-1]):
        alike, seen = alike + same, seen + of_all
        off = abs(2 * seen - rows)
        if best is None or off < best[0]:
            best = off, ordered[number + 1][0], (alike, seen)
    if best is None or min(best[2][1], rows - best[2][1]) < FEWEST_IN_HALF:
        raise Undefined(
            f"Too few rows to compare an earlier with a later half: each needs {FEWEST_IN_HALF} on days of "
            "its own."
        )
    _, since, before = best
    after = sum(same for _, (same, _) in ordered) - before[0], rows - before[1]
    p = fisher_exact(before[0], before[1] - before[0], after[0], after[1] - after[0])
    return Change(since, before, after, p)


def fisher_exact(a: int, b: int, c: int, d: int) -> float:
    """Two-sided p-value of independence in [[a, b], [c, d]] (Fisher 1922): all tables as unlikely, or more.

    By logarithms of factorials: scipy.stats has it and takes seconds to import.
    """
    first, second, left = a + b, c + d, a + c
    low, high = max(0, left - second), min(first, left)
    logs = [_log_ways(first, x) + _log_ways(second, left - x) for x in range(low, high + 1)]
    whole = _log_ways(first + second, left)
    bound = logs[a - low] + 1e-7
    return min(1.0, math.fsum(math.exp(log - whole) for log in logs if log <= bound))


def _log_ways(of: int, chosen: int) -> float:
    return math.lgamma(of + 1) - math.lgamma(chosen + 1) - math.lgamma(of - chosen + 1)


@dataclass(frozen=True, slots=True)
class Pace:
    """Median seconds for a row over `n` labels; `interval` is None for fewer than six of them."""

    median: float
    interval: Interval | None
    n: int


def pace_of(seconds: Mapping[int, int], level: float = 0.95) -> Pace:
    """The median of times that are counted already ({seconds: labels}), with the interval between two order
    statistics that holds whatever times are distributed like (Conover 1999, section 3.2).

    Raises Undefined without a label that has a time.
    """
    n = sum(seconds.values())
    if not n:
        raise Undefined("No label has a time, so there is no pace to speak of.")
    middle = (_nth(seconds, (n + 1) // 2) + _nth(seconds, n // 2 + 1)) / 2
    return Pace(middle, _median_interval(seconds, n, level), n)


def _median_interval(seconds: Mapping[int, int], n: int, level: float) -> Interval | None:
    from scipy.special import bdtr

    # The most labels that may be cut off at either end: P(B ≤ cut − 1) ≤ (1 − level)/2 for B ~ Bin(n, ½).
    cut, over = 0, n // 2 + 1
    while over - cut > 1:
        trial = (cut + over) // 2
        cut, over = (trial, over) if bdtr(trial - 1, n, 0.5) <= (1 - level) / 2 else (cut, trial)
    return Interval(_nth(seconds, cut), _nth(seconds, n + 1 - cut)) if cut else None


def _nth(counts: Mapping[int, int], number: int) -> int:
    """The `number`th smallest, from 1."""
    for value in sorted(counts):
        number -= counts[value]
        if number <= 0:
            return value
    raise IndexError("There are not so many.")


def is_hurried(own: Pace, others: Mapping[int, Pace]) -> bool:
    """Whether somebody's median is below half of what is usual for `others`, by its interval's upper end.

    Usual is the middle one of their medians, each person once. It takes 20 timed labels of everybody, and two
    others: between two people nobody knows which pace is the odd one.
    """
    known = sorted(each.median for each in others.values() if each.n >= FEWEST_TIMED)
    if own.n < FEWEST_TIMED or own.interval is None or len(known) < 2:
        return False
    usual = (known[(len(known) - 1) // 2] + known[len(known) // 2]) / 2
    return own.interval.high < _HURRIED * usual
