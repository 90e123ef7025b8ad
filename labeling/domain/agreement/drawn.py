"""Kappa of rows that were drawn with unequal probabilities: rows that were likelier to be drawn count less.

Counted plainly, rows of which too many were drawn decide the result: a true .69 came out as .50. Weighed, a
handful of rows that stand for many others does: so it counts how many rows drawn evenly would say as much.
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

    `widened_se`: the same where each stratum also holds two rows of the pooled kind, one on which both agree
    and one on which they do not. Bounds and tests go by it: with few rows a stratum often shows no error, or
    too few, and its own spread then says that nothing is in doubt.
    """

    value: float
    se: float
    n: int
    margins: Margins
    influences: Mapping[Cell, float]
    widened_se: float
    method: str = "kappa weighted by 1/p, linearised standard error, Fisher-z bound of a widened one"

    @property
    def bound(self) -> float | None:
        """The one-sided 95 % lower bound."""
        return self.lower(NormalDist().inv_cdf(0.95))

    def lower(self, z: float, inflation: float = 1.0) -> float | None:
        """tanh(atanh κ − z·SE/(1 − κ²)) with the widened error, `inflation` times as large; None where no
        row deviates, as with perfect agreement: there the error knows no doubt.
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
        return fisher_interval(self.value, self.widened_se * inflation, level)

    @property
    def _knows_doubt(self) -> bool:
        return abs(self.value) < 1 and self.widened_se >= _NO_SPREAD

    @property
    def _spread(self) -> float:
        return self.widened_se / (1 - self.value**2)


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
    parts = _parts(strata, influences)
    exact, widened = _error(parts), _error(parts, _pooled(strata, influences))
    return DrawnKappa(value, exact / whole, n, margins, influences, widened / whole)


def effective_rows(strata: Iterable[Stratum], human: bool | None = None) -> int:
    """How many rows drawn evenly say as much: (Σw)²/Σw², rounded down (Kish 1965, Survey Sampling, 8.2).

    `human`: only of the rows that people pass, or of those they fail.
    """
    counts = [
        (each.weight, rows)
        for each in strata
        for cell, rows in each.cells()
        if rows and human in (None, cell.human)
    ]
    if not counts:
        return 0
    whole = math.fsum(rows * weight for weight, rows in counts)
    # Rows that weigh alike count fully: a little is added, so that rounding takes none of them away.
    return math.floor(whole**2 / math.fsum(rows * weight**2 for weight, rows in counts) + 1e-6)


def drawn_agreement(strata: Sequence[Stratum]) -> float:
    """Share of the frame, 0 to 1, on which people and judge agree; raises Undefined without a row."""
    return 1 - _disagreed(strata) / _whole(strata)


def drawn_margins(strata: Sequence[Stratum]) -> Margins:
    """Shares of the frame that people and judge pass; raises Undefined without a row."""
    whole = _whole(strata)
    return Margins(_share(strata, whole, 0), _share(strata, whole, 1))


def _whole(strata: Iterable[Stratum]) -> float:
    """The rows of the frame, as far as these stand for it."""
    whole = math.fsum(each.weight * each.table.n for each in strata)
    if not whole:
        raise Undefined("There are no scored rows, so there is no agreement to speak of.")
    return whole


def _disagreed(strata: Iterable[Stratum]) -> float:
    """Those of them on which people and judge disagree."""
    return math.fsum(each.weight * (each.table.b + each.table.c) for each in strata)


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


class _Member(NamedTuple):
    """So many `rows` of one weight and one influence."""

    rows: int
    weight: float
    influence: float


def _parts(strata: Sequence[Stratum], influences: Mapping[Cell, float]) -> list[list[_Member]]:
    """The rows by stratum, a stratum of one row with the one nearest in probability."""
    parts: list[list[_Member]] = []
    for each in sorted(strata, key=lambda stratum: stratum.probability):
        members = [_Member(rows, each.weight, influences[cell]) for cell, rows in each.cells() if rows]
        if parts and 1 in (each.table.n, _rows(parts[-1])):
            parts[-1] += members
        else:
            parts.append(members)
    return parts


def _pooled(strata: Sequence[Stratum], influences: Mapping[Cell, float]) -> list[float]:
    """Mean influence in the frame of rows on which people and judge agree, and of those on which they do not;
    of one kind only where the other has no row.
    """
    found = []
    for agree in (True, False):
        counts = [
            (each.weight * rows, influences[cell])
            for each in strata
            for cell, rows in each.cells()
            if (cell.human == cell.judge) == agree
        ]
        if whole := math.fsum(weight for weight, _ in counts):
            found.append(math.fsum(weight * moved for weight, moved in counts) / whole)
    return found


def _error(parts: Iterable[Sequence[_Member]], added: Sequence[float] = ()) -> float:
    """Standard error of the weighted sum of influences: √Σ_s N_s² s_s²/n_s, with rows of the influences
    `added` beside those of each stratum when its spread s is taken.
    """
    return math.sqrt(math.fsum(_variance(part, added) for part in parts))


def _rows(members: Iterable[_Member]) -> int:
    return sum(each.rows for each in members)


def _variance(members: Sequence[_Member], added: Sequence[float]) -> float:
    """Of the sum over one stratum; added rows weigh as its rows do on average, and are none of its n."""
    n = _rows(members)
    weight = math.fsum(each.rows * each.weight for each in members) / n
    moved = [(each.rows, each.weight * each.influence) for each in members]
    moved += [(1, weight * influence) for influence in added]
    spread_over = n + len(added)
    mean = math.fsum(rows * each for rows, each in moved) / spread_over
    return math.fsum(rows * (each - mean) ** 2 for rows, each in moved) * n / (spread_over - 1)
