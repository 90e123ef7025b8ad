"""Whether a judge puts candidates to one request in the right order.

Scores wobble and change their scale with the judge; the order of good and clearly deficient should not.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from itertools import chain

from judging.domain.comparison import Comparison, compare
from labeling.domain.agreement import Undefined, exact_interval


class Fault(StrEnum):
    """How a deficient candidate came to stand beside or before a good one."""

    HIGHER = "higher"
    TIED = "tied"
    PASSED = "passed"  # it passed where the good one failed, whatever their scores


@dataclass(frozen=True, slots=True)
class Placed:
    """A candidate of a reference set: what people marked it and what the judge says.

    `score` and `passed` are both None where the judge gave no verdict. Raises ValueError for one without the
    other.
    """

    name: str
    good: bool
    score: Fraction | float | None = None
    passed: bool | None = None

    def __post_init__(self) -> None:
        if (self.score is None) != (self.passed is None):
            raise ValueError("A verdict has a score and an outcome; a skipped candidate has neither.")


@dataclass(frozen=True, slots=True)
class Violation:
    """A deficient candidate that should have come after a good one, by name, and how it did not."""

    good: str
    deficient: str
    fault: Fault


type Sets = Mapping[str, Sequence[Placed]]


@dataclass(frozen=True, slots=True)
class Ordering:
    """What the sets show. `n`: sets in which every candidate has a verdict, or a violation is there already.

    `violated`: the sets, by name, with their violations. `left_out`: sets with a skip and no violation.
    `high`: one-sided 95 % upper bound of the share of such sets. `auc`: P(good > deficient) + ½P(tie) over
    the `pairs` of scored candidates within sets; None where there is none.
    """

    n: int
    violated: Mapping[str, tuple[Violation, ...]]
    left_out: tuple[str, ...]
    high: float
    auc: float | None
    pairs: int
    method: str = "Clopper–Pearson, one-sided, over reference sets"

    @property
    def share(self) -> float:
        """Violated sets, as a share of `n`."""
        return len(self.violated) / self.n


def ordering(sets: Sets) -> Ordering:
    """Violations by set with their upper bound, and the AUC.

    Raises Undefined where no set can be told, and ValueError for a set without a good or a deficient one.
    """
    found = {name: violations(placed) for name, placed in sets.items()}
    states = {name: in_order(placed) for name, placed in sets.items()}
    n = sum(state is not None for state in states.values())
    if n == 0:
        raise Undefined("No reference set has a verdict on each of its candidates, so no order is known.")
    violated = {name: each for name, each in found.items() if each}
    left_out = tuple(name for name, state in states.items() if state is None)
    steps = list(chain.from_iterable(_steps(placed) for placed in sets.values()))
    return Ordering(n, violated, left_out, upper_bound(len(violated), n), _auc(steps), len(steps))


def upper_bound(violated: int, sets: int, level: float = 0.95) -> float:
    """One-sided Clopper–Pearson upper bound (1934, Biometrika 26:404) of the share of violated sets.

    None seen in 29 sets still leaves up to 10 %. `sets` is at least 1.
    """
    return exact_interval(violated, sets, 2 * level - 1).high


def in_order(placed: Sequence[Placed]) -> bool | None:
    """Whether all good candidates come before all deficient ones; None where a skip leaves it open."""
    if violations(placed):
        return False
    return None if any(each.score is None for each in placed) else True


def violations(placed: Sequence[Placed]) -> tuple[Violation, ...]:
    """Each pair of a good and a deficient candidate in which the deficient one is scored at or above the good
    one, or passed where that failed. Pairs with a skip are none. Raises ValueError without both kinds.
    """
    good, deficient = [each for each in placed if each.good], [each for each in placed if not each.good]
    if not good or not deficient:
        raise ValueError("A reference set needs at least one good and one clearly deficient candidate.")
    pairs = [(one, other, _fault(one, other)) for one in good for other in deficient]
    return tuple(Violation(one.name, other.name, fault) for one, other, fault in pairs if fault)


def compare_orders[Key: Hashable](
    before: Mapping[Key, bool | None], after: Mapping[Key, bool | None]
) -> Comparison[Key]:
    """What became of each set that both versions were asked about, by `in_order` of each: what broke is
    `regressed`.
    """
    return compare((key, before[key], after[key]) for key in before if key in after)


def _fault(good: Placed, deficient: Placed) -> Fault | None:
    if good.score is None or deficient.score is None:
        return None
    if deficient.passed and not good.passed:
        return Fault.PASSED
    if deficient.score >= good.score:
        return Fault.TIED if deficient.score == good.score else Fault.HIGHER
    return None


def _steps(placed: Sequence[Placed]) -> list[float]:
    """1 for each scored pair in which the good one is above the deficient one, ½ for a tie, else 0."""
    good = [each.score for each in placed if each.good and each.score is not None]
    deficient = [each.score for each in placed if not each.good and each.score is not None]
    return [((one > other) + (one >= other)) / 2 for one in good for other in deficient]


def _auc(steps: Sequence[float]) -> float | None:
    return sum(steps) / len(steps) if steps else None
