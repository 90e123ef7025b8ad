"""Kappa of rows that were drawn with unequal probabilities: rows that were likelier to be drawn count less.

Counted plainly, rows of which too many were drawn decide the result: a true .69 came out as .50.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from statistics import NormalDist
from typing import NamedTuple

from labeling.domain.agreement.graded import fisher_interval
from labeling.domain.agreement.tables import Interval, Margins, Table, Undefined

# Below this a standard error is rounding, not spread.
_NO_SPREAD = 1e-9


class Cell(NamedTuple):
    """One cell of a table: whether people and judge pass its rows."""

    human: bool
    judge: bool


CELLS = (Cell(True, True), Cell(True, False), Cell(False, True), Cell(False, False))  # a, b, c, d


@dataclass(frozen=True, slots=True)
class Stratum:
    """Scored rows that had the same `probability` of being drawn, above 0 and at most 1.

    Raises ValueError for a probability that no draw has.
    """

    probability: float
    table: Table

    def __post_init__(self) -> None:
        if not 0 < self.probability <= 1:
            raise ValueError("A row's probability of being drawn lies above 0 and is at most 1.")

    @property
    def weight(self) -> float:
        """How many rows of the frame each row stands for."""
        return 1 / self.probability

    def cells(self) -> Iterator[tuple[Cell, int]]:
        """Each cell with its rows."""
        return zip(CELLS, astuple(self.table), strict=True)


@dataclass(frozen=True, slots=True)
class DrawnKappa:
    """Kappa of the frame that `n` rows were drawn from, `se` its standard error, `margins` the frame's pass
    rates. `influences`: how far a row of each cell moves kappa, times the rows of the frame.
    """

    value: float
    se: float
    n: int
    margins: Margins
    influences: Mapping[Cell, float]
    method: str = "kappa weighted by 1/p, linearised standard error, Fisher-z bound"

    @property
    def bound(self) -> float | None:
        """The one-sided 95 % lower bound."""
        return self.lower(NormalDist().inv_cdf(0.95))

    def lower(self, z: float, inflation: float = 1.0) -> float | None:
        """tanh(atanh κ − z·SE/(1 − κ²)) with an error `inflation` times as large; None where no row deviates,
        as with perfect agreement: there the error knows no doubt.
        """
        if not self._knows_doubt:
            return None
        return math.tanh(math.atanh(self.value) - z * self._spread * inflation)

    def z(self, bar: float, inflation: float = 1.0) -> float | None:
        """How many errors kappa is above `bar` on Fisher's scale; None where `lower` is."""
        if not self._knows_doubt:
            return None
        return (math.atanh(self.value) - math.atanh(bar)) / (self._spread * inflation)

    def interval(self, level: float = 0.95, inflation: float = 1.0) -> Interval | None:
        """Two-sided on Fisher's scale; None where `lower` is."""
        return fisher_interval(self.value, self.se * inflation, level)

    @property
    def _knows_doubt(self) -> bool:
        return abs(self.value) < 1 and self.se >= _NO_SPREAD

    @property
    def _spread(self) -> float:
        return self.se / (1 - self.value**2)


def drawn_kappa(strata: Sequence[Stratum]) -> DrawnKappa:
    """Kappa with each row weighing 1/p (Horvitz & Thompson 1952), its error by linearisation over strata
    (Woodruff 1971, J. Am. Stat. Assoc. 66:411).

    A stratum of one row, whose spread nobody can tell, is put together with the one nearest in probability
    (Cochran 1977, Sampling Techniques, 5A.12). Raises Undefined with fewer than two rows, and where people
    and judge give all rows one and the same verdict.
    """
    strata = [each for each in strata if each.table.n]
    n = sum(each.table.n for each in strata)
    if n < 2:
        raise Undefined("There are no two scored rows, so there is no agreement to speak of.")
    whole = math.fsum(each.weight * each.table.n for each in strata)
    margins = Margins(_share(strata, whole, 0), _share(strata, whole, 1))
    apart = margins.human * (1 - margins.judge) + margins.judge * (1 - margins.human)
    if apart == 0:
        raise Undefined("All rows have one and the same verdict from people and judge: kappa is undefined.")
    disagreed = math.fsum(each.weight * (each.table.b + each.table.c) for each in strata)
    value = 1 - disagreed / whole / apart
    influences = {cell: _influence(cell, value, margins, apart) for cell in CELLS}
    return DrawnKappa(value, _standard_error(strata, influences) / whole, n, margins, influences)


def _share(strata: Iterable[Stratum], whole: float, side: int) -> float:
    """Weighted share of the rows that one side passes; exactly 0 or 1 where it passes none or all."""
    counts = [(each.weight, rows, cell[side]) for each in strata for cell, rows in each.cells()]
    if all(passed for _, rows, passed in counts if rows):
        return 1.0
    return math.fsum(weight * rows for weight, rows, passed in counts if passed) / whole


def _influence(cell: Cell, value: float, margins: Margins, apart: float) -> float:
    """[1(h = j) − κ − (1 − κ)(q_h + p_j − p_e)]/(1 − p_e), with the judge's share q of the human's class and
    people's share p of the judge's; its weighted sum over rows is 0.
    """
    of_human = margins.judge if cell.human else 1 - margins.judge
    of_judge = margins.human if cell.judge else 1 - margins.human
    chance = of_human + of_judge - 1 + apart
    return ((cell.human == cell.judge) - value - (1 - value) * chance) / apart


type _Members = list[tuple[int, float]]  # rows, and what each of them adds to the total


def _standard_error(strata: Sequence[Stratum], influences: Mapping[Cell, float]) -> float:
    """Standard error of the weighted sum of influences: √Σ_s N_s² s_s²/n_s."""
    parts: list[_Members] = []
    for each in sorted(strata, key=lambda stratum: stratum.probability):
        members = [(rows, each.weight * influences[cell]) for cell, rows in each.cells() if rows]
        if parts and 1 in (each.table.n, _rows(parts[-1])):
            parts[-1] += members
        else:
            parts.append(members)
    return math.sqrt(math.fsum(map(_variance, parts)))


def _rows(members: _Members) -> int:
    return sum(rows for rows, _ in members)


def _variance(members: _Members) -> float:
    """Of the sum over one stratum."""
    n = _rows(members)
    mean = math.fsum(rows * each for rows, each in members) / n
    return math.fsum(rows * (each - mean) ** 2 for rows, each in members) * n / (n - 1)
