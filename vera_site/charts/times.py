"""Axes of time, and of mere order where moments lie too close together to be told apart.

Ticks are round in the reader's time zone. A tick for a day stands at its noon: the middle of that date.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from itertools import pairwise

from vera_site.charts.axis import Axis, Tick

_PAD = 4.0  # per cent, so that the first and last mark are whole
_SHORT = [timedelta(minutes=n) for n in (1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720)]
_DAYS = (1, 2, 4, 7, 14)
_MONTHS = (1, 2, 3, 6, 12, 24, 60, 120)
_LEAST = timedelta(minutes=2)
_CLOSE = 2.5  # per cent of the plot: nearer marks cover each other


def time_axis(first: datetime, last: datetime, *, zone: tzinfo = UTC, most: int = 4) -> Axis:
    """An axis from `first` to `last`, minutes at the least, at most `most` ticks on times round in `zone`."""
    if last - first < _LEAST:
        middle = first + (last - first) / 2
        first, last = middle - _LEAST / 2, middle + _LEAST / 2
    axis = Axis(first.timestamp(), last.timestamp(), pad=_PAD)
    for ticks in _candidates(first.astimezone(zone), last.astimezone(zone)):
        if len(ticks) <= most:
            return axis.with_ticks(*(_tick(axis, moment, step, n) for n, (moment, step) in enumerate(ticks)))
    raise AssertionError("decades fit any axis")  # pragma: no cover


def order_axis(number: int) -> Axis:
    """An axis on which `number` marks stand evenly, the first at 0; it has no ticks."""
    return Axis(-0.5, max(number, 1) - 0.5)


def spread_out(moments: Sequence[datetime]) -> bool:
    """Whether marks at these moments, in order, can be told apart on an axis of time."""
    if len(moments) < 2:
        return True
    span = (moments[-1] - moments[0]).total_seconds()
    gaps = [(later - sooner).total_seconds() for sooner, later in pairwise(moments)]
    return span > 0 and 100 * min(gaps) / span >= _CLOSE


def _tick(axis: Axis, moment: datetime, step: str, number: int) -> Tick:
    form = {"minute": "%H:%M", "day": "%b %-d", "month": "%b", "year": "%Y"}[step]
    if step == "month" and (number == 0 or moment.month == 1):
        form += " %Y"
    return Tick(axis.at(moment.timestamp()), moment.strftime(form), moment, step)


def _candidates(start: datetime, end: datetime) -> Iterator[list[tuple[datetime, str]]]:
    """Ticks in ever larger steps, in the zone of `start`."""
    for gap in _SHORT:
        if (end - start) / gap < 20:
            yield [(moment, "minute") for moment in _every(gap, start, end)]
    noon = start.replace(hour=12, minute=0, second=0, microsecond=0)
    for days in _DAYS:
        if (end - start).days / days < 20:
            yield [(m, "day") for m in _from(noon, timedelta(days=days), end) if m >= start]
    for months in _MONTHS:
        yield [(m, "month" if months < 12 else "year") for m in _months(start, end, months)]


def _every(gap: timedelta, start: datetime, end: datetime) -> Iterator[datetime]:
    """Round times of day, counted from midnight."""
    midnight = start.replace(hour=0, minute=0, second=0, microsecond=0)
    return _from(midnight + -(-(start - midnight) // gap) * gap, gap, end)


def _from(moment: datetime, gap: timedelta, end: datetime) -> Iterator[datetime]:
    while moment <= end:
        yield moment
        moment += gap


def _months(start: datetime, end: datetime, gap: int) -> Iterator[datetime]:
    number = -(-(start.year * 12 + start.month - 1) // gap) * gap
    while (moment := datetime(number // 12, number % 12 + 1, 1, 12, tzinfo=start.tzinfo)) <= end:
        if moment >= start:
            yield moment
        number += gap
