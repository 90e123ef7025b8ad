"""Shares per day against what is usual."""

from datetime import date, timedelta
from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from judging.domain.control_charts import Baseline, Counted, control_chart, limits

MONDAY = date(2026, 3, 2)
counts = st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


def days(*counted: tuple[int, int]) -> list[Counted]:
    return [Counted(MONDAY + timedelta(days=number), *each) for number, each in enumerate(counted)]


def test_the_limits_by_hand() -> None:
    # (30 + 2)/(100 + 4) = .3077; 3·√(.3077·.6923·(1/50 + 1/100)) = .2398 about .30
    low, high = limits(Baseline(30, 100, MONDAY, MONDAY), 50)

    assert (low, high) == pytest.approx((0.3 - 0.2398, 0.3 + 0.2398), abs=1e-4)


def test_with_a_long_baseline_they_are_those_of_the_textbook() -> None:
    # Montgomery, Introduction to Statistical Quality Control: p̄ ± 3·√(p̄(1 − p̄)/n), here .2313 and n = 50.
    low, high = limits(Baseline(231_300, 1_000_000, MONDAY, MONDAY), 50)

    assert (low, high) == pytest.approx((0.2313 - 0.1789, 0.2313 + 0.1789), abs=2e-4)


def test_the_spread_is_that_of_statsmodels_with_the_same_rows_added() -> None:
    # Agresti & Coull add z²/2 hits and z² rows; with z = 2 these are our 2 and 4.
    low, high = proportion_confint(12, 200, alpha=0.0455, method="agresti_coull")
    steadied = 14 / 204

    assert (high - low) / 4 == pytest.approx(sqrt(steadied * (1 - steadied) / 204), rel=0.01)


def test_days_are_compared_once_it_is_known_what_is_usual() -> None:
    chart = control_chart(days((22, 40), (20, 40), (23, 40), (21, 40), (2, 40), (5, 6), (40, 40)))

    assert [day.state for day in chart.days] == [*["baseline"] * 3, "within", "below", "few", "above"]
    assert chart.baseline == Baseline(65, 120, MONDAY, MONDAY + timedelta(days=2))
    assert [day.counted.hits for day in chart.out] == [2, 40]
    assert chart.newest_out == chart.days[-1]


def test_a_day_that_is_in_again_is_no_news() -> None:
    chart = control_chart(days((32, 40), (30, 40), (33, 40), (12, 40), (31, 40), (1, 2)))

    assert len(chart.out) == 1
    assert chart.newest_out is None


@pytest.mark.parametrize("counted", [[], [(90, 99)], [(50, 60), (50, 60)], [(9, 10)] * 9])
def test_too_few_rows_or_days_say_nothing_of_what_is_usual(counted: list[tuple[int, int]]) -> None:
    chart = control_chart(days(*counted))

    assert chart.baseline is None
    assert {day.state for day in chart.days} <= {"baseline"}
    assert chart.newest_out is None


def test_a_share_that_was_always_nothing_may_once_be_something() -> None:
    chart = control_chart(days((0, 50), (0, 50), (0, 50), (1, 50), (20, 50)))

    assert [day.state for day in chart.days[3:]] == ["within", "above"]


def test_days_without_a_row_are_left_out_and_more_hits_than_rows_refused() -> None:
    assert control_chart(days((0, 0))).days == ()
    with pytest.raises(ValueError, match="no more than all"):
        control_chart(days((3, 2)))


@given(st.lists(counts, max_size=12), st.randoms())
def test_the_order_of_days_is_that_of_the_calendar(counted: list[tuple[int, int]], random: object) -> None:
    found = days(*counted)
    shuffled = list(found)
    random.shuffle(shuffled)  # type: ignore[attr-defined]

    chart = control_chart(shuffled)

    assert chart == control_chart(found)
    assert [day.counted for day in chart.days] == found
    assert all(0 <= day.low < day.high <= 1 for day in chart.days if day.low is not None and day.high)


@pytest.mark.parametrize(("share", "n"), [(0.8, 40), (0.02, 60), (0.5, 25), (0.0, 30)])
def test_a_steady_share_seldom_leaves_its_limits(share: float, n: int) -> None:
    rng = np.random.default_rng(20_250_209)
    drawn = rng.binomial(n, share, size=(300, 12)).tolist()

    charts = [control_chart(days(*((hits, n) for hits in row))) for row in drawn]

    compared = [day for chart in charts for day in chart.days if day.low is not None]
    assert len(compared) >= 300 * 7
    assert sum(day.is_out for day in compared) / len(compared) <= 0.015


def test_a_share_that_falls_by_a_quarter_is_seen_within_days() -> None:
    rng = np.random.default_rng(20_250_210)
    before, after = rng.binomial(60, 0.8, size=(200, 3)), rng.binomial(60, 0.55, size=(200, 3))

    seen = [
        bool(control_chart(days(*((hits, 60) for hits in (*one, *other)))).out)
        for one, other in zip(before.tolist(), after.tolist(), strict=True)
    ]

    assert np.mean(seen) >= 0.9
