"""When schedules fire: to the second, over zones, dates and changed clocks."""

from datetime import UTC, datetime, time, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.domain.schedules import (
    UnknownZone,
    drawn,
    in_words,
    next_firing,
    seed_of,
    zone_names,
)

BERLIN = "Europe/Berlin"
zones = st.sampled_from(zone_names())
YEARS = datetime(2000, 1, 1), datetime(2037, 1, 1)  # noqa: DTZ001  (as Hypothesis takes them)
moments = st.datetimes(*YEARS, timezones=st.just(UTC))
clock_times = st.times().map(lambda found: found.replace(second=0, microsecond=0))
weekdays = st.integers(0, 6)


def utc(words: str) -> datetime:
    return datetime.fromisoformat(words).replace(tzinfo=UTC)


def shown(moment: datetime, zone: str) -> datetime:
    return moment.astimezone(ZoneInfo(zone)).replace(tzinfo=None, fold=0)


@pytest.mark.parametrize(
    ("every", "weekday", "at", "zone", "after", "expected"),
    [
        ("day", 0, "03:00", BERLIN, "2026-01-10T01:59:59", "2026-01-10T02:00"),  # winter: UTC+1
        ("day", 0, "03:00", BERLIN, "2026-01-10T02:00", "2026-01-11T02:00"),  # later than, not at
        ("day", 0, "03:00", BERLIN, "2026-07-10T00:00", "2026-07-10T01:00"),  # summer: UTC+2
        ("week", 4, "03:00", BERLIN, "2026-01-10T12:00", "2026-01-16T02:00"),  # a Saturday, to Friday
        ("week", 5, "14:00", BERLIN, "2026-01-10T12:00", "2026-01-10T13:00"),  # later the same day
        ("hour", 0, "07:20", BERLIN, "2026-01-10T12:20", "2026-01-10T13:20"),
        ("hour", 0, "00:15", "Asia/Kolkata", "2026-01-10T12:00", "2026-01-10T12:45"),  # UTC+5:30
        # 02:30 is left out on 29 March 2026: the clock goes from 02:00 to 03:00 at 01:00 UTC.
        ("day", 0, "02:30", BERLIN, "2026-03-28T12:00", "2026-03-29T01:00"),
        ("day", 0, "02:30", BERLIN, "2026-03-29T01:00", "2026-03-30T00:30"),
        # 02:30 comes twice on 25 October 2026, at 00:30 and at 01:30 UTC.
        ("day", 0, "02:30", BERLIN, "2026-10-24T12:00", "2026-10-25T00:30"),
        ("day", 0, "02:30", BERLIN, "2026-10-25T00:30", "2026-10-26T01:30"),
        ("hour", 0, "00:30", BERLIN, "2026-10-25T00:30", "2026-10-25T01:30"),  # an hour is an hour
        # Samoa had no 30 December 2011; from the 29th, 23:59:59 at UTC-10, to the 31st at UTC+14.
        ("day", 0, "03:00", "Pacific/Apia", "2011-12-29T13:00", "2011-12-30T10:00"),
        ("week", 4, "03:00", "Pacific/Apia", "2011-12-28T13:00", "2011-12-30T10:00"),
        # Lord Howe's clock moves by half an hour, from 02:00 to 02:30 on 4 October 2026.
        ("day", 0, "02:10", "Australia/Lord_Howe", "2026-10-03T10:00", "2026-10-03T15:30"),
        ("day", 0, "02:00", "MET", "2032-03-27T01:00", "2032-03-28T01:00"),  # left out to the second
        ("day", 0, "00:00", "America/Havana", "2026-03-07T12:00", "2026-03-08T05:00"),  # a gap at midnight
    ],
)
def test_examples(every: str, weekday: int, at: str, zone: str, after: str, expected: str) -> None:
    found = next_firing(every, weekday, time.fromisoformat(at), zone, utc(after))  # type: ignore[arg-type]

    assert found == utc(expected)
    assert found.utcoffset() == timedelta(0)


@given(at=clock_times, zone=zones, after=moments)
def test_a_daily_one_fires_within_a_day_and_a_half_when_the_clock_shows_its_time_or_skips_it(
    at: time, zone: str, after: datetime
) -> None:
    found = next_firing("day", 0, at, zone, after)

    assert after < found <= after + timedelta(hours=49)
    wall = shown(found, zone)
    earlier = shown(found - timedelta(seconds=1), zone)
    if wall.time() != at:  # the time was left out: the clock jumped over it in this very second
        due = datetime.combine(wall.date(), at)
        due = due if due <= wall else due - timedelta(days=1)
        assert earlier < due < wall or wall - earlier >= timedelta(hours=23)


@given(at=clock_times, zone=zones, after=moments)
def test_no_day_has_two_firings_and_none_is_left_out(at: time, zone: str, after: datetime) -> None:
    firings = [after]
    for _ in range(4):
        firings.append(next_firing("day", 0, at, zone, firings[-1]))

    days = [shown(firing, zone).date() for firing in firings[1:]]
    assert len(set(days)) == 4 or zone in {"Pacific/Apia", "Pacific/Fakaofo", "Pacific/Kwajalein"}
    gaps = [later - earlier for earlier, later in pairwise(days)]
    assert all(gap <= timedelta(days=2) for gap in gaps)


@given(
    every=st.sampled_from(["hour", "day", "week"]),
    weekday=weekdays,
    at=clock_times,
    zone=zones,
    data=st.data(),
)
def test_what_was_missed_is_due_once(
    every: str, weekday: int, at: time, zone: str, data: st.DataObject
) -> None:
    after = data.draw(moments)
    due = next_firing(every, weekday, at, zone, after)  # type: ignore[arg-type]
    now = due + data.draw(st.timedeltas(timedelta(0), timedelta(days=400)))

    following = next_firing(every, weekday, at, zone, now)  # type: ignore[arg-type]

    assert following > now
    # Whatever moment before it one asks from, no other firing lies between.
    between = now + (following - now) * data.draw(st.floats(0, 0.999))
    assert next_firing(every, weekday, at, zone, between) == following  # type: ignore[arg-type]


@given(weekday=weekdays, at=clock_times, zone=zones, after=moments)
def test_a_weekly_one_fires_on_its_day(weekday: int, at: time, zone: str, after: datetime) -> None:
    found = next_firing("week", weekday, at, zone, after)

    assert after < found <= after + timedelta(days=8, hours=1)
    wall = shown(found, zone)
    if wall.time() == at:
        assert wall.weekday() == weekday


@given(at=clock_times, zone=zones, after=moments)
def test_an_hourly_one_fires_when_the_clock_shows_its_minute(at: time, zone: str, after: datetime) -> None:
    found = next_firing("hour", 0, at, zone, after)

    assert shown(found, zone).minute == at.minute
    assert found - after <= timedelta(minutes=90)


def test_a_time_that_says_the_second_time_round_fires_the_first_time_all_the_same() -> None:
    at = time(2, 30, fold=1)

    assert next_firing("day", 0, at, BERLIN, utc("2026-10-24T12:00")) == utc("2026-10-25T00:30")
    assert next_firing("day", 0, at, BERLIN, utc("2026-03-28T12:00")) == utc("2026-03-29T01:00")


@pytest.mark.parametrize("name", ["", "Europe/Atlantis", "../etc/passwd", "x" * 300, "europe/berlin", "\0"])
def test_an_unknown_zone_is_a_sentence(name: str) -> None:
    with pytest.raises(UnknownZone, match=r"There is no time zone “.*Write it as a place"):
        next_firing("day", 0, time(3), name, utc("2026-01-01"))


def test_a_weekday_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="from 0, Monday, to 6"):
        next_firing("week", 7, time(3), "UTC", utc("2026-01-01"))


def test_words() -> None:
    assert in_words("day", 0, time(3), BERLIN) == "every day at 03:00, Europe/Berlin"
    assert in_words("week", 4, time(22, 5), "UTC") == "every Friday at 22:05, UTC"
    assert in_words("hour", 0, time(9, 5), "UTC") == "every hour at minute 05, UTC"


@given(
    hashes=st.lists(st.text("0123456789abcdef", min_size=1), unique=True),
    most=st.integers(0, 9),
    data=st.data(),
)
def test_a_draw_is_the_same_in_any_order(hashes: list[str], most: int, data: st.DataObject) -> None:
    rows = [(number, content) for number, content in enumerate(hashes)]
    seed = seed_of(3, utc("2026-01-01T02:00"))

    found = drawn(rows, seed, most)

    assert len(found) == len(set(found)) == min(most, len(rows))
    assert drawn(data.draw(st.permutations(rows)), seed, most) == found


def test_another_firing_draws_other_rows_and_every_row_has_its_chance() -> None:
    rows = [(number, f"{number:064x}") for number in range(100)]
    seeds = [seed_of(1, utc("2026-01-01") + timedelta(days=day)) for day in range(400)]

    draws = [drawn(rows, seed, 10) for seed in seeds]

    assert len({tuple(draw) for draw in draws}) == 400
    times = [sum(row in draw for draw in draws) for row, _ in rows]
    # 400 draws of 1 in 10: mean 40, standard deviation 6; five of them to both sides.
    assert min(times) >= 10
    assert max(times) <= 70
