"""People's marks of one criterion against a judge's scores, as they are read."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from judging.domain.figures import many
from judging.services.criterion_agreement import Marked
from judging.views.figures import defined, table_lines
from judging.views.lines import Line
from labeling.domain.agreement import Interval, Table, Undefined, band, kappa, score_interval
from labeling.domain.agreement.graded import Counts, mean_difference, tau_b, weighted_kappa
from labeling.models import Criterion

_WIDEST = 11  # different scores of one side, up to which the whole table is shown
_APART = 1.05  # from here on it matters that rows answer one request


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far a judge's scores on a criterion agree with people's marks, in words.

    `value`: kappa, or "undefined" with `why`. `n`: rows that both scored.
    """

    value: str
    doubt: str
    why: str
    n: int
    word: str
    lines: list[Line]


@dataclass(frozen=True, slots=True)
class Grid:
    """Rows by people's mark (down) and the judge's score (across)."""

    scores: Sequence[float]
    lines: Sequence[tuple[float, Sequence[tuple[float, int]]]]


def is_binary(criterion: Criterion) -> bool:
    """Whether there are two scores to choose from: met, or not."""
    return criterion.scale_max - criterion.scale_min == 1


def table_of(criterion: Criterion, counts: Counts) -> Table:
    """Rows of a binary criterion as a 2×2 table; where either side is halved they stand nowhere."""
    high, low = criterion.scale_max, criterion.scale_min
    cells = [(high, high), (high, low), (low, high), (low, low)]
    return Table(*(counts.get(cell, 0) for cell in cells))


def agreement_on(criterion: Criterion, marked: Marked) -> Agreement:
    """Kappa with its doubt and what stands beside it, by the criterion's scale."""
    return _binary(criterion, marked) if is_binary(criterion) else _graded(marked)


def _binary(criterion: Criterion, marked: Marked) -> Agreement:
    table = table_of(criterion, marked.counts)
    try:
        value, ends = kappa(table), score_interval(table)
    except Undefined as why:
        return _undefined(str(why), table.n, table_lines(table) if table.n else [])
    return Agreement(f"{value:.3f}", _interval_words(ends), "", table.n, band(value), table_lines(table))


def _graded(marked: Marked) -> Agreement:
    n = sum(marked.counts.values())
    beside = [_tau(marked.counts), _lean(marked.counts)]
    try:
        found = weighted_kappa(marked.counts, marked.requests)
    except Undefined as why:
        return _undefined(str(why), n, beside if n else [])
    doubt = _interval_words(found.interval) if found.interval else "no interval: nothing here shows its doubt"
    lines = [*beside, *_clustering(marked, weighted_kappa(marked.counts).se)]
    return Agreement(f"{found.value:.3f}", doubt, "", n, band(found.value), lines)


def _undefined(why: str, n: int, lines: list[Line]) -> Agreement:
    return Agreement("undefined", "", why, n, "", lines)


def _interval_words(ends: Interval) -> str:
    return f"95% interval {ends.low:.3f} to {ends.high:.3f}"


def _tau(counts: Counts) -> Line:
    value = defined(lambda: tau_b(counts))
    return Line(
        "Same order (Kendall's tau-b)",
        "undefined" if value is None else f"{value:.3f}",
        many(sum(counts.values()), "row"),
        "Do people and judge put rows in the same order, however high their scores are? 1 is the same order, "
        "0 no relation, −1 the opposite.",
    )


def _lean(counts: Counts) -> Line:
    found = defined(lambda: mean_difference(counts))
    means = "The judge's score minus people's mark, in points of the scale. "
    if found is None:
        return Line("Leaning", "undefined", "fewer than two rows", means)
    doubt = f"95% interval {found.low:+.2f} to {found.high:+.2f}, {many(found.n, 'row')}"
    if found.low <= 0 <= found.high:
        said, says = "no lean shown", "A difference like this one may well be chance."
    else:
        said = "more lenient than people" if found.value > 0 else "stricter than people"
        says = "That is hardly chance."
    return Line("Leaning", f"{found.value:+.2f} points: {said}", doubt, means + says)


def _clustering(marked: Marked, rows_alone: float) -> list[Line]:
    """What it means for the doubt that several rows answer one request; nothing where it means nothing."""
    if marked.requests is None or rows_alone == 0:
        return []
    n = sum(marked.counts.values())
    times = sqrt(marked.requests.squares) / n / rows_alone
    if times < _APART:
        return []
    return [
        Line(
            "Rows of one request",
            f"{times:.1f} times the doubt",
            f"{many(n, 'row')}, {many(marked.requests.number, 'request')}",
            "Answers to one request go right or wrong together here, so that the interval is so many times "
            "as wide as if each row stood alone.",
        )
    ]


def grid_of(counts: Counts) -> Grid | None:
    """The whole table; None where it is too wide to read."""
    human, judge = (sorted({cell[side] for cell in counts}) for side in (0, 1))
    scores = sorted({*human, *judge})
    if len(scores) > _WIDEST:
        return None
    return Grid(scores, [(x, [(y, counts.get((x, y), 0)) for y in scores]) for x in reversed(scores)])


def left_out(criterion: Criterion, marked: Marked, scored: int) -> list[str]:
    """Why so many of the `scored` rows of the calibration are not counted here, a sentence each."""
    known = sum(marked.counts.values())
    unmarked = scored - known - marked.unscored
    found = [(unmarked, "without anybody's mark of this criterion", "")]
    found.append((marked.unscored, "with a mark of people and no score of the judge", ""))
    if is_binary(criterion):
        half = (criterion.scale_min + criterion.scale_max) / 2
        tied = sum(rows for (human, _), rows in marked.counts.items() if human == half)
        halved = sum(rows for (human, said), rows in marked.counts.items() if said == half != human)
        found.append((tied, "on which people's marks are evenly split", ", unresolved"))
        found.append((halved, "on which the jurors' scores are evenly split", ""))
    return [f"{many(rows, 'row')} {why}{more}" for rows, why, more in found if rows]
