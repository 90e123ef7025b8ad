"""The positions in charts: round ticks, times, stacked bars, lines. No page is needed for them."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vera_site.charts import line_path, linear_axis, order_axis, spread_out, stacked, step_path, time_axis

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def texts(axis: object) -> list[str]:
    return [tick.text for tick in axis.ticks]  # type: ignore[attr-defined]


def test_an_axis_of_kappas_has_round_ticks() -> None:
    axis = linear_axis(0, 1)

    assert texts(axis) == ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]
    assert (axis.at(0), axis.at(0.65), axis.at(1)) == (0, 65, 100)
    assert axis.from_top(0.65) == 35


def test_an_axis_reaches_below_zero_without_a_negative_zero() -> None:
    axis = linear_axis(-0.3, 1)

    assert texts(axis) == ["-0.5", "0.0", "0.5", "1.0"]
    assert axis.at(0) == pytest.approx(33.33)


def test_large_counts_are_written_with_separators() -> None:
    assert texts(linear_axis(0, 96_411)) == ["0", "20,000", "40,000", "60,000", "80,000", "100,000"]


def test_values_beyond_an_axis_are_drawn_at_its_end() -> None:
    assert linear_axis(0, 1).at(-4) == 0
    assert linear_axis(0, 1).at(4) == 100


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6), st.integers(3, 9))
def test_ticks_cover_what_is_asked_for_and_are_few(low: float, span: float, most: int) -> None:
    axis = linear_axis(low, low + span, most=most)

    assert 2 <= len(axis.ticks) <= most
    assert axis.low <= low + span * 1e-6
    assert axis.high >= low + span - span * 1e-6
    assert [tick.at for tick in axis.ticks] == sorted(tick.at for tick in axis.ticks)


def test_an_axis_without_a_span_is_refused() -> None:
    with pytest.raises(ValueError, match="lower to a higher"):
        linear_axis(1, 1)


@pytest.mark.parametrize(
    ("span", "step", "shown"),
    [
        (timedelta(0), "minute", ["11:59", "12:00", "12:01"]),
        (timedelta(minutes=40), "minute", ["12:00", "12:15", "12:30"]),
        (timedelta(hours=20), "minute", ["12:00", "18:00", "00:00", "06:00"]),
        (timedelta(days=9), "day", ["Mar 1", "Mar 5", "Mar 9"]),
        (timedelta(days=50), "day", ["Mar 1", "Mar 15", "Mar 29", "Apr 12"]),
        (timedelta(days=200), "month", ["Mar 2026", "May", "Jul", "Sep"]),
        (timedelta(days=3000), "year", ["2028", "2030", "2032", "2034"]),
    ],
)
def test_ticks_of_time_are_round_and_few(span: timedelta, step: str, shown: list[str]) -> None:
    axis = time_axis(NOON, NOON + span)

    assert texts(axis) == shown
    assert {tick.step for tick in axis.ticks} == {step}


@given(st.integers(0, 10**9), st.integers(0, 10**9))
def test_ticks_of_time_lie_between_first_and_last(start: int, seconds: int) -> None:
    first = datetime.fromtimestamp(start, UTC)

    axis = time_axis(first, first + timedelta(seconds=seconds))

    assert 1 <= len(axis.ticks) <= 4
    assert all(4 <= tick.at <= 96 for tick in axis.ticks)


def test_a_day_is_marked_at_its_noon_so_that_its_date_is_the_readers_too() -> None:
    axis = time_axis(NOON - timedelta(hours=8), NOON + timedelta(days=9))

    assert {tick.moment.hour for tick in axis.ticks if tick.moment} == {12}


def test_ticks_are_round_in_the_readers_zone() -> None:
    axis = time_axis(NOON, NOON + timedelta(hours=3), zone=ZoneInfo("Asia/Kolkata"))

    assert texts(axis) == ["18:00", "19:00", "20:00"]


def test_moments_too_close_to_be_told_apart_are_noticed() -> None:
    day = timedelta(days=1)

    assert spread_out([NOON, NOON + day, NOON + 3 * day])
    assert not spread_out([NOON, NOON + timedelta(minutes=1), NOON + 3 * day])
    assert not spread_out([NOON, NOON])
    assert spread_out([NOON])


def test_marks_in_order_stand_evenly() -> None:
    axis = order_axis(4)

    assert [axis.at(number) for number in range(4)] == [12.5, 37.5, 62.5, 87.5]


def test_parts_of_a_bar_lie_side_by_side_and_empty_ones_are_left_out() -> None:
    parts = stacked([("pass", "pass", 6, "/p/"), ("fail", "fail", 0, ""), ("skipped", "no verdict", 2, "")])

    assert [(part.kind, part.x, part.width, part.share) for part in parts] == [
        ("pass", 0, 75, "75%"),
        ("skipped", 75, 25, "25%"),
    ]


def test_a_share_is_never_rounded_to_nothing_or_to_all() -> None:
    few, many = stacked([("fail", "fail", 1, ""), ("pass", "pass", 99_999, "")])

    assert (few.share, many.share) == ("under 0.1%", "over 99.9%")


def test_no_parts_make_no_bar() -> None:
    assert stacked([("pass", "pass", 0, "")]) == ()


def test_a_count_stays_until_the_next_step() -> None:
    assert step_path([(4, 100), (50, 70.5), (80, 20)], end=96) == "M4 100H50V70.5H80V20H96"
    assert step_path([]) == ""


def test_a_line_needs_two_points() -> None:
    assert line_path([(4, 10), (50, 20)]) == "M4 10L50 20"
    assert line_path([(4, 10)]) == ""
