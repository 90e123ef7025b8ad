"""What a benchmark hands back: figures with their baselines, and the targets they are held to."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

ROUNDS = 3


@dataclass(frozen=True, slots=True)
class Target:
    """`on` the ratio to the baseline or on the value itself; met up to and including `limit`."""

    on: Literal["ratio", "value"]
    kind: Literal["at most", "at least"]
    limit: float

    def met(self, figure: "Figure") -> bool:
        measured = figure.ratio if self.on == "ratio" else figure.value
        if measured is None:
            return False
        return measured <= self.limit if self.kind == "at most" else measured >= self.limit


@dataclass(frozen=True, slots=True)
class Figure:
    """One row of the table. `values` and `baselines`: one of each round, in `unit`; no baseline, no ratio.

    `meaning` says what was measured; `against` what the baseline is. Without targets it is information.
    `where` the time goes, as a profile says, is told where a target is missed.
    """

    name: str
    unit: str
    values: tuple[float, ...]
    meaning: str
    baselines: tuple[float, ...] = ()
    against: str = ""
    targets: tuple[Target, ...] = ()
    where: str = ""

    @property
    def value(self) -> float:
        return median(self.values)

    @property
    def baseline(self) -> float | None:
        return median(self.baselines) if self.baselines else None

    @property
    def ratio(self) -> float | None:
        """The median of the rounds' ratios: what slows a whole round down, slows both its parts."""
        if not self.baselines:
            return None
        return median(v / b for v, b in zip(self.values, self.baselines, strict=True))

    @property
    def met(self) -> bool | None:
        """Whether all targets are; None where there is none."""
        return all(target.met(self) for target in self.targets) if self.targets else None


def in_turns[N, T](rounds: int, measures: Mapping[N, Callable[[], T]]) -> dict[N, tuple[T, ...]]:
    """The results of each measure, by name: every one in turn, `rounds` times over."""
    taken: dict[N, list[T]] = {name: [] for name in measures}
    for _ in range(rounds):
        for name, measure in measures.items():
            taken[name].append(measure())
    return {name: tuple(results) for name, results in taken.items()}


def percentile(values: Sequence[float], percent: float) -> float:
    """The smallest value that at least so many per cent of all do not exceed. Raises ValueError on none."""
    if not values:
        raise ValueError("No values, no percentile.")
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * percent // 100).__int__() - 1)]
