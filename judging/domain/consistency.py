"""How steady a judge is: what it says when it is asked the same question several times.

The unit is the row. A repeat without a verdict says nothing about steadiness: it is no flip, and a row with
fewer than two scored repeats is left out and counted.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt

from labeling.domain.agreement import Estimate, Undefined, exact_interval

# Rows by how often the judge passed and how often it failed them: (passes, fails) → rows.
type Repeats = Mapping[tuple[int, int], int]

# Two answers to one question may differ on one row in twenty before a judge is called unsteady.
UNSTEADY = 0.05


@dataclass(frozen=True, slots=True)
class Moves:
    """One criterion: of `rows` scored at least twice those whose score is not always the same, with `spread`,
    the mean over rows of the standard deviation within a row, in points of the scale.
    """

    name: str
    rows: int
    moved: int
    spread: float

    @property
    def share(self) -> Estimate:
        """Share of rows whose score moves, with its Clopper–Pearson interval. Raises `Undefined`."""
        return _share(self.moved, self.rows)


def compared(repeats: Repeats) -> int:
    """Rows with at least two scored repeats."""
    return sum(_comparable(repeats).values())


def left_out(repeats: Repeats) -> int:
    """Rows with fewer."""
    return sum(repeats.values()) - compared(repeats)


def flipped(repeats: Repeats) -> int:
    """Rows that the judge passed at least once and failed at least once."""
    return sum(rows for (passes, fails), rows in repeats.items() if passes and fails)


def flip_rate(repeats: Repeats) -> Estimate:
    """Share of the compared rows whose outcomes are not all the same, with its Clopper–Pearson 95 % interval.

    It grows with the number of repeats: compare only judges that were asked equally often. Raises `Undefined`
    without a row to compare.
    """
    return _share(flipped(repeats), compared(repeats))


def disagreement(repeats: Repeats) -> Estimate:
    """The probability that two answers to the same question differ, with a 95 % interval.

    Within a row with p passes and f fails of n = p + f scored repeats it is estimated, without bias, by
    2pf / (n(n−1)); rows weigh the same, so the number of repeats does not matter. The interval takes rows as
    the unit: Clopper–Pearson on the effective sample size, after Korn & Graubard 1998 (Survey Methodology
    24:193), which does not collapse where no answer differs. Raises `Undefined` for fewer than two rows.
    """
    rows = _comparable(repeats)
    n = sum(rows.values())
    if n < 2:
        raise Undefined("Two rows or more are needed, each scored twice.")
    mean = sum(_within(*row) * weight for row, weight in rows.items()) / n
    squares = sum((_within(*row) - mean) ** 2 * weight for row, weight in rows.items())
    pairs = sum((p + f) * (p + f - 1) // 2 * weight for (p, f), weight in rows.items())
    low, high = _korn_graubard(mean, squares / (n - 1) / n, n, pairs)
    return Estimate(mean, low, high, n, "Korn–Graubard, rows as clusters")


def best_agreement(differ: float) -> float:
    """The largest share of rows on which a judge can agree with anybody who is of one mind.

    `differ`: how often two of its answers to one question differ. A row that is passed with probability p
    has d = 2p(1−p) and agrees at best with max(p, 1−p) = (1 + √(1−2d))/2, which is concave in d, so that the
    mean over rows is at most the same of the mean d (Jensen).
    """
    return (1 + sqrt(max(0.0, 1 - 2 * differ))) / 2


def steadiness(differ: Estimate) -> str:
    """`steady`, `unsteady`, or `unknown` where the interval holds both."""
    if differ.low > UNSTEADY:
        return "unsteady"
    return "steady" if differ.high <= UNSTEADY else "unknown"


def by_passes(repeats: Repeats, times: int) -> list[int]:
    """Rows that were scored all of `times` repeats, by the number of passes among them, from 0."""
    return [repeats.get((passes, times - passes), 0) for passes in range(times + 1)]


def _comparable(repeats: Repeats) -> dict[tuple[int, int], int]:
    return {row: rows for row, rows in repeats.items() if sum(row) >= 2 and rows}


def _within(passes: int, fails: int) -> float:
    n = passes + fails
    return 2 * passes * fails / (n * (n - 1))


def _share(some: int, rows: int) -> Estimate:
    if not rows:
        raise Undefined("No row was scored twice.")
    return Estimate(some / rows, *exact_interval(some, rows), rows, "Clopper–Pearson")


def _korn_graubard(share: float, variance: float, rows: int, pairs: int) -> tuple[float, float]:
    """95 % limits of a share with this variance between `rows` clusters that hold `pairs` observations."""
    from scipy.special import betaincinv, stdtrit

    by_variance = share * (1 - share) / variance if variance else rows
    loss = stdtrit(max(pairs - 1, 1), 0.975) / stdtrit(rows - 1, 0.975)
    n = min(float(by_variance * min(loss, 1.0) ** 2), float(pairs))
    some = share * n
    low = float(betaincinv(some, n - some + 1, 0.025)) if share > 0 else 0.0
    high = float(betaincinv(some + 1, n - some, 0.975)) if share < 1 else 1.0
    return low, high
