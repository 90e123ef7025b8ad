"""When a schedule fires next, in words and to the second; and which rows a nightly sample takes."""

import hashlib
import heapq
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from typing import Literal
from zoneinfo import ZoneInfo, available_timezones

type Every = Literal["hour", "day", "week"]

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

# Clocks change by a full day at most, so a wall time is never further from its day than this.
_DAYS_TO_LOOK = 16
_MINUTES_TO_LOOK = 181


class UnknownZone(ValueError):
    """No zone has this name; the sentence says how names look."""


@cache
def zone_names() -> tuple[str, ...]:
    """The names of all zones, in the order of the alphabet."""
    return tuple(sorted(available_timezones()))


def zone_of(name: str) -> ZoneInfo:
    """The zone of that name. Raises `UnknownZone`."""
    if name not in zone_names():
        raise UnknownZone(
            f"There is no time zone “{name[:60]}”. Write it as a place, such as Europe/Berlin, or UTC."
        )
    return ZoneInfo(name)


def next_firing(every: Every, weekday: int, at: time, zone: str, after: datetime) -> datetime:
    """The first moment later than `after` at which a schedule is due, in UTC.

    `at` is a time on the clocks of `zone`; `weekday`, 0 for Monday, counts for a weekly schedule and the
    minute alone for an hourly one, which fires whenever the clock shows it. A time that a day's clock leaves
    out fires at the first moment after the gap; one that it shows twice fires the first time. Nothing is
    made up for: it is due once, however long `after` is past the firings before. Raises `UnknownZone`, and
    `ValueError` for a weekday that is none.
    """
    clock, later = zone_of(zone), after.astimezone(UTC)
    if every == "hour":
        return _next_minute(at.minute, clock, later)
    if weekday not in range(7):
        raise ValueError(f"A weekday is a number from 0, Monday, to 6, Sunday, not {weekday}.")
    firings = (
        _moment(datetime.combine(day, at.replace(tzinfo=None, fold=0)), clock)
        for day in _days(later.astimezone(clock).date())
        if every == "day" or day.weekday() == weekday
    )
    return next(moment for moment in firings if moment > later)


def _days(today: date) -> Iterator[date]:
    return (today + timedelta(days=number) for number in range(-1, _DAYS_TO_LOOK))


def _next_minute(minute: int, clock: ZoneInfo, later: datetime) -> datetime:
    start = later.replace(second=0, microsecond=0)
    moments = (start + timedelta(minutes=number) for number in range(1, _MINUTES_TO_LOOK))
    return next(moment for moment in moments if moment.astimezone(clock).minute == minute)


def _moment(wall: datetime, clock: ZoneInfo) -> datetime:
    """When the clock shows `wall` for the first time, or else first shows more."""
    usual = wall.replace(tzinfo=clock).astimezone(UTC)
    if _shown(usual, clock) == wall:
        return usual
    before = wall.replace(tzinfo=clock, fold=1).astimezone(UTC)  # in a gap: by the offset that comes after it
    seconds = range(int((usual - before).total_seconds()) + 1)
    first = bisect_left(
        seconds, True, key=lambda second: _shown(before + timedelta(seconds=second), clock) >= wall
    )
    return before + timedelta(seconds=first)


def _shown(moment: datetime, clock: ZoneInfo) -> datetime:
    return moment.astimezone(clock).replace(tzinfo=None, fold=0)


def in_words(every: Every, weekday: int, at: time, zone: str) -> str:
    """Such as “every day at 03:00, Europe/Berlin”."""
    if every == "hour":
        return f"every hour at minute {at.minute:02}, {zone}"
    days = "every day" if every == "day" else f"every {WEEKDAYS[weekday]}"
    return f"{days} at {at:%H:%M}, {zone}"


def seed_of(schedule: int, firing: datetime) -> str:
    """What the draw of one firing depends on, beside the rows; kept, so that it can be made again."""
    return f"schedule {schedule} at {firing.astimezone(UTC).isoformat(timespec='seconds')}"


def drawn[Row](rows: Iterable[tuple[Row, str]], seed: str, most: int) -> list[Row]:
    """At most `most` of `rows`, each given with its content hash: any set of rows is as likely as any other.

    The same rows and seed draw the same ones, in whatever order they come.
    """
    ranked = ((hashlib.sha256(f"{content} {seed}".encode()).digest(), content, row) for row, content in rows)
    return [row for _, _, row in heapq.nsmallest(most, ranked, key=lambda each: each[:2])]
