"""Whether a panel's jurors err apart: jurors that err together are one juror, however many they are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING

from judging.domain.aggregation import JurorVerdict, OnSplit, panel_verdict
from judging.domain.early_stop import SIDES
from judging.domain.verdicts import Outcome
from labeling.domain.agreement import Interval, Table, Undefined, mcc

if TYPE_CHECKING:
    import numpy as np

    type Floats = np.ndarray[tuple[int, ...], np.dtype[np.float64]]

# Rows by people's verdict and the jurors' outcomes, in the order of their seats.
type Judged = Mapping[tuple[str, tuple[str, ...]], int]

_RESAMPLES = 1_000
# Where more resamples than this share have no correlation, the rest say too little of the doubt.
_LOST = 0.02


@dataclass(frozen=True, slots=True)
class Without:
    """What the panel would be without the juror on `seat`, from 0.

    `undecided`: rows on which the others have no verdict together. `unknown`: rows on which one of them was
    left unasked, so that nobody knows.
    """

    seat: int
    table: Table
    undecided: int
    unknown: int


@dataclass(frozen=True, slots=True)
class SharedErrors:
    """How far the errors of `jurors` go together, over `n` rows on which two or more gave a verdict.

    `pairs`: correlation of each two seats' errors, −1 to 1, None where one of them is never or always wrong.
    `value`: the mean of those that exist, with a 95 % `interval`. `votes`: how many jurors that err apart are
    worth the same, with `votes_interval`. Intervals are None where resampling shows no doubt or cannot tell.
    """

    pairs: Mapping[tuple[int, int], float | None]
    value: float
    interval: Interval | None
    jurors: int
    n: int
    method: str = "mean correlation of errors, bootstrap over rows"

    @property
    def votes(self) -> float:
        return effective_votes(self.jurors, self.value)

    @property
    def votes_interval(self) -> Interval | None:
        if self.interval is None:
            return None
        low, high = self.interval
        return Interval(effective_votes(self.jurors, high), effective_votes(self.jurors, low))


def effective_votes(jurors: int, correlation: float) -> float:
    """m/(1 + (m − 1)r): voters that err apart whose majority wobbles as much (Kish 1965, design effect).

    Never more than there are jurors: a negative correlation, on so few of them, is mostly luck.
    """
    return jurors / (1 + (jurors - 1) * max(0.0, correlation))


def leave_one_out(judged: Judged, on_split: OnSplit = "majority") -> list[Without]:
    """The panel without each of its jurors in turn, by its own rule. Empty for fewer than two seats."""
    seats = _seats(judged)
    return [_without(judged, seat, on_split) for seat in range(seats)] if seats > 1 else []


def shared_errors(judged: Judged, seed: int) -> SharedErrors:
    """How far the jurors err together; rows are drawn again with `seed` for the interval.

    Raises Undefined where no two jurors have both been right and wrong on rows that they share.
    """
    seats = _seats(judged)
    pairs = {(one, other): mcc(_errors(judged, one, other)) for one, other in combinations(range(seats), 2)}
    known = [value for value in pairs.values() if value is not None]
    if not known:
        raise Undefined("No two jurors erred on some shared rows and were right on others.")
    n = sum(rows for (_, said), rows in judged.items() if sum(each in SIDES for each in said) > 1)
    interval = _bootstrap(judged, list(pairs), seed)
    return SharedErrors(pairs, sum(known) / len(known), interval, seats, n)


def _seats(judged: Judged) -> int:
    """Seats of the panel. Raises ValueError where rows differ in it."""
    seats = {len(outcomes) for _, outcomes in judged}
    if len(seats) > 1:
        raise ValueError("All rows of a panel have one outcome for each of its jurors.")
    return next(iter(seats), 0)


def _without(judged: Judged, seat: int, on_split: OnSplit) -> Without:
    cells = {(truth, side): 0 for truth in SIDES for side in SIDES}
    undecided = unknown = 0
    for (truth, outcomes), rows in judged.items():
        others = outcomes[:seat] + outcomes[seat + 1 :]
        verdict = _verdict(others, on_split)
        if Outcome.NOT_ASKED in others:
            unknown += rows
        elif verdict in SIDES:
            cells[Outcome(truth), verdict] += rows
        else:
            undecided += rows
    return Without(seat, Table(*cells.values()), undecided, unknown)


def _verdict(outcomes: Sequence[str], on_split: OnSplit) -> Outcome:
    bare = [JurorVerdict(Outcome(o), Fraction(0), (), ()) if o in SIDES else None for o in outcomes]
    return panel_verdict(bare, on_split).outcome


def _errors(judged: Judged, one: int, other: int) -> Table:
    """Rows that both jurors scored: both right, the other wrong, the one wrong, both wrong."""
    cells = [0, 0, 0, 0]
    for (truth, outcomes), rows in judged.items():
        cell = _cell(truth, outcomes, one, other)
        if cell is not None:
            cells[cell] += rows
    return Table(*cells)


def _cell(truth: str, outcomes: tuple[str, ...], one: int, other: int) -> int | None:
    if outcomes[one] not in SIDES or outcomes[other] not in SIDES:
        return None
    return 2 * (outcomes[one] != truth) + (outcomes[other] != truth)


def _bootstrap(judged: Judged, pairs: Sequence[tuple[int, int]], seed: int) -> Interval | None:
    """Percentiles of the mean correlation over rows drawn with replacement (Efron 1979)."""
    import numpy as np

    rows = np.array(list(judged.values()))
    times = np.random.default_rng(seed).multinomial(rows.sum(), rows / rows.sum(), _RESAMPLES)
    cells = np.array([[_cell(*row, *pair) for pair in pairs] for row in judged], dtype=float)  # None: nan
    each = np.stack([_correlations([times @ (column == cell) for cell in range(4)]) for column in cells.T])
    told = ~np.isnan(each)
    known = told.any(axis=0)
    means = np.where(told, each, 0).sum(axis=0)[known] / told.sum(axis=0)[known]
    if known.mean() < 1 - _LOST or means.max() - means.min() < 1e-12:
        return None
    low, high = np.quantile(means, [0.025, 0.975])
    return Interval(float(low), float(high))


def _correlations(cells: Sequence["Floats"]) -> "Floats":
    """Phi of each resample; nan where one of the two was never or always wrong."""
    import numpy as np

    a, b, c, d = (cell.astype(float) for cell in cells)
    product = (a + b) * (c + d) * (a + c) * (b + d)
    return np.where(product > 0, (a * d - b * c) / np.sqrt(np.where(product > 0, product, 1)), np.nan)
