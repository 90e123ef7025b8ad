"""An axis: where a value stands, and at which round values to say so."""

import math
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Self


@dataclass(frozen=True, slots=True)
class Tick:
    """A labelled place on an axis. `at` is a percentage; `moment` is set where the axis is of time.

    `step` says how finely a moment is written: "minute", "day", "month" or "year".
    """

    at: float
    text: str
    moment: datetime | None = None
    step: str = ""

    @property
    def from_top(self) -> float:
        """The same place on an axis that runs upwards, measured from its top."""
        return place(100 - self.at)

    @property
    def anchor(self) -> str:
        """How its text stands to it, so that it does not leave the plot."""
        if self.at < 2:
            return "start"
        return "end" if self.at > 98 else "middle"


@dataclass(frozen=True, slots=True)
class Axis:
    """A linear scale from `low` to `high`; `pad` is the percentage left free at either end."""

    low: float
    high: float
    ticks: tuple[Tick, ...] = ()
    pad: float = 0.0

    def at(self, value: float) -> float:
        """Where `value` stands, 0 to 100; values beyond the ends are drawn at them."""
        share = (value - self.low) / (self.high - self.low)
        return place(self.pad + (100 - 2 * self.pad) * min(1.0, max(0.0, share)))

    def from_top(self, value: float) -> float:
        """The same, measured from the top."""
        return place(100 - self.at(value))

    def with_ticks(self, *ticks: Tick) -> Self:
        return replace(self, ticks=ticks)


def linear_axis(low: float, high: float, *, most: int = 6) -> Axis:
    """An axis over `low` to `high` that begins and ends on round values, with at most `most` ticks.

    Raises ValueError unless `low` is below `high` and there is room for three ticks.
    """
    if not low < high or most < 3:
        raise ValueError("An axis runs from a lower to a higher value and has at least three ticks.")
    step, (first, last) = 0.0, (0, most)
    while last - first + 1 > most:  # rounding outwards may take one step more than there are
        step = nice_step(high - low, most - 1) if not step else nice_step(step * 1.1, 1)
        first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    axis = Axis(first * step, last * step)
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    values = [number * step for number in range(first, last + 1)]
    return axis.with_ticks(*(Tick(axis.at(value), f"{value + 0.0:,.{decimals}f}") for value in values))


def nice_step(span: float, steps: int) -> float:
    """The smallest of 1, 2, 5 times a power of ten with which `span` takes no more than `steps` steps."""
    least = span / steps
    power = 10.0 ** math.floor(math.log10(least))
    return next(times * power for times in (1, 2, 5, 10) if times * power >= least * (1 - 1e-9))


def place(percent: float) -> float:
    """A percentage as it is written into a page."""
    return round(percent, 2)
