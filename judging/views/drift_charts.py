"""The drawings of the page about drift: the running sum of the audit, and a share per day with its limits."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from judging.domain.control_charts import ChartDay, ControlChart
from judging.domain.figures import many, percent, percent_interval
from judging.services.drift import Watched
from vera_site.charts import Axis, line_path, linear_axis, order_axis

_MOST_ROWS = 200  # of the audit that are drawn, the newest


@dataclass(frozen=True, slots=True)
class Mark:
    """An audited row: where its sum stands, in per cent of the plot, and what the row was."""

    x: float
    y: float
    number: int
    total: str
    agreed: bool
    when: datetime
    alarms: bool


@dataclass(frozen=True, slots=True)
class SumChart:
    """The running sum after each audited row. `alarm_y`: the limit, from the top."""

    marks: list[Mark]
    path: str
    y_axis: Axis
    alarm_y: float
    limit: str
    total: str
    cut: bool


def sum_chart(watched: Watched) -> SumChart | None:
    """The drawing; None where nothing is watched or no row was audited."""
    if watched.cusum is None or not watched.rows:
        return None
    totals, total = [], 0.0
    for row in watched.rows:
        total = watched.cusum.after(total, row.agreed)
        totals.append(total)
    first = max(0, len(totals) - _MOST_ROWS)
    y_axis = linear_axis(0.0, max(watched.cusum.h * 1.1, *totals[first:]), most=5)
    x_axis = order_axis(len(totals) - first)
    marks = [
        Mark(
            x=x_axis.at(number - first),
            y=y_axis.from_top(totals[number]),
            number=number + 1,
            total=f"{totals[number]:.1f}",
            agreed=watched.rows[number].agreed,
            when=watched.rows[number].settled_at,
            alarms=watched.cusum.alarms(totals[number]),
        )
        for number in range(first, len(totals))
    ]
    return SumChart(
        marks=marks,
        path=line_path([(mark.x, mark.y) for mark in marks]),
        y_axis=y_axis,
        alarm_y=y_axis.from_top(watched.cusum.h),
        limit=f"{watched.cusum.h:.1f}",
        total=f"{totals[-1]:.1f}",
        cut=first > 0,
    )


@dataclass(frozen=True, slots=True)
class DayMark:
    """One day: positions in per cent; `low` and `high` are None where nothing is compared."""

    day: date
    x: float
    y: float
    low: float | None
    high: float | None
    state: str
    share: str
    counts: str
    limits: str
    says: str


@dataclass(frozen=True, slots=True)
class DayChart:
    """A share per day. `usual_y` is where the usual share stands, None while that is not known."""

    name: str
    of: str  # what is counted, in words
    marks: list[DayMark]
    y_axis: Axis
    usual_y: float | None
    usual: str
    first: date
    last: date
    warning: str


_SAYS = {
    "baseline": "says what is usual",
    "few": "too few rows to compare",
    "within": "as usual",
    "above": "higher than usual",
    "below": "lower than usual",
}


def day_chart(name: str, of: str, chart: ControlChart) -> DayChart | None:
    """The drawing; None where there was no day with a row."""
    if not chart.days:
        return None
    y_axis = linear_axis(0.0, _top(chart), most=6)
    x_axis = order_axis(len(chart.days))
    return DayChart(
        name=name,
        of=of,
        marks=[_mark(each, x_axis.at(number), y_axis) for number, each in enumerate(chart.days)],
        y_axis=y_axis,
        usual_y=y_axis.from_top(chart.baseline.share) if chart.baseline else None,
        usual=_usual(chart),
        first=chart.days[0].counted.day,
        last=chart.days[-1].counted.day,
        warning=_warning(name, chart.out),
    )


def _top(chart: ControlChart) -> float:
    """Where the axis ends: at all, or so low that shares of a few per cent can be told apart."""
    highest = max(max(day.share, day.high or 0.0) for day in chart.days)
    return 1.0 if highest > 0.5 else max(0.1, highest)


def _mark(each: ChartDay, x: float, axis: Axis) -> DayMark:
    compared = each.low is not None and each.high is not None
    return DayMark(
        day=each.counted.day,
        x=x,
        y=axis.from_top(each.share),
        low=axis.from_top(each.low) if each.low is not None else None,
        high=axis.from_top(each.high) if each.high is not None else None,
        state=each.state,
        share=percent(each.share),
        counts=f"{each.counted.hits:,} of {each.counted.n:,}",
        limits=percent_interval(each.low or 0.0, each.high or 0.0) if compared else "",
        says=_SAYS[each.state],
    )


def _usual(chart: ControlChart) -> str:
    """What is usual and by which days, in a sentence."""
    if chart.baseline is None:
        return (
            f"What is usual is not known yet: that takes 3 days and 100 rows, and there are "
            f"{many(len(chart.days), 'day')} and {many(chart.rows, 'row')}."
        )
    first, last = (f"{day:%-d %b %Y}" for day in (chart.baseline.first, chart.baseline.last))
    return (
        f"Usual is {percent(chart.baseline.share)}, by the first {many(chart.baseline.n, 'row')}, "
        f"{first} to {last}. Later days are compared with it: outside three standard deviations is odd."
    )


def _warning(name: str, out: Sequence[ChartDay]) -> str:
    if not out:
        return ""
    last = out[-1]
    times = "1 day was" if len(out) == 1 else f"{len(out)} days were"
    return (
        f"{name}: {times} out of what is usual, the last one {last.counted.day:%-d %b %Y} with "
        f"{percent(last.share)}, {_SAYS[last.state]}."
    )
