"""A share per day against what is usual for it: the p-chart of Shewhart (1931) with limits at three sigma.

The usual share comes from the first days that are drawn, later ones are compared with it. A day outside its
limits is a warning and no more: a product that changed looks the same as a judge that did.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

SIGMAS = 3.0
LEAST_ROWS = 20  # a day with fewer is drawn and not judged
BASELINE_ROWS, BASELINE_DAYS = 100, 3  # what the usual share rests on at the least

type State = Literal["baseline", "few", "within", "above", "below"]


@dataclass(frozen=True, slots=True)
class Counted:
    """Of `n` rows of one day, `hits` were so."""

    day: date
    hits: int
    n: int


@dataclass(frozen=True, slots=True)
class Baseline:
    """What is usual: `hits` of `n` rows from `first` to `last`, both included."""

    hits: int
    n: int
    first: date
    last: date

    @property
    def share(self) -> float:
        return self.hits / self.n


@dataclass(frozen=True, slots=True)
class ChartDay:
    """One day: its share (0 to 1) and the limits for so many rows; None where nothing is compared."""

    counted: Counted
    low: float | None
    high: float | None
    state: State

    @property
    def share(self) -> float:
        return self.counted.hits / self.counted.n

    @property
    def is_out(self) -> bool:
        return self.state in ("above", "below")


@dataclass(frozen=True, slots=True)
class ControlChart:
    """Days in their order. `baseline` is None while there are too few rows to say what is usual."""

    days: tuple[ChartDay, ...]
    baseline: Baseline | None
    rows: int
    method: str = "p-chart, limits at three sigma"

    @property
    def out(self) -> tuple[ChartDay, ...]:
        return tuple(day for day in self.days if day.is_out)

    @property
    def newest_out(self) -> ChartDay | None:
        """The last day that was compared, if it is out of its limits: whether something is odd now."""
        compared = [day for day in self.days if day.low is not None]
        return compared[-1] if compared and compared[-1].is_out else None


def control_chart(counted: Iterable[Counted]) -> ControlChart:
    """The chart of these days, in any order; days without a row are left out.

    Raises ValueError where a day has more hits than rows.
    """
    days = sorted((each for each in counted if each.n > 0), key=lambda each: each.day)
    if any(not 0 <= each.hits <= each.n for each in days):
        raise ValueError("Of a day's rows no fewer than none and no more than all are hits.")
    rows = sum(each.n for each in days)
    length = _baseline_days(days)
    if length is None:
        return ControlChart(tuple(ChartDay(each, None, None, "baseline") for each in days), None, rows)
    first = days[:length]
    baseline = Baseline(
        sum(each.hits for each in first), sum(each.n for each in first), first[0].day, first[-1].day
    )
    begun = [ChartDay(each, None, None, "baseline") for each in first]
    return ControlChart((*begun, *(_compared(each, baseline) for each in days[length:])), baseline, rows)


def _baseline_days(days: Sequence[Counted]) -> int | None:
    """How many of the first days say what is usual; None where all of them are too few."""
    rows = 0
    for number, each in enumerate(days, start=1):
        rows += each.n
        if rows >= BASELINE_ROWS and number >= BASELINE_DAYS:
            return number
    return None


def _compared(counted: Counted, baseline: Baseline) -> ChartDay:
    if counted.n < LEAST_ROWS:
        return ChartDay(counted, None, None, "few")
    low, high = limits(baseline, counted.n)
    share = counted.hits / counted.n
    state: State = "above" if share > high else "below" if share < low else "within"
    return ChartDay(counted, low, high, state)


def limits(baseline: Baseline, n: int) -> tuple[float, float]:
    """Between which shares a day of `n` rows lies unless something changed, within 0 and 1.

    The spread holds the doubt of the baseline too, and is that of (hits + 2) of (n + 4) rows (Agresti & Coull
    1998, Am. Statistician 52:119): a usual share of exactly 0 is no promise that nothing ever happens.
    """
    steadied = (baseline.hits + 2) / (baseline.n + 4)
    spread = SIGMAS * math.sqrt(steadied * (1 - steadied) * (1 / n + 1 / baseline.n))
    return max(0.0, baseline.share - spread), min(1.0, baseline.share + spread)
