"""What one labeler's labels say: agreement, change over time, pace."""

from collections import Counter
from datetime import date, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from labeling.domain.agreement import Table, Undefined, score_interval
from labeling.domain.labelers import (
    Pace,
    change_between_halves,
    compared,
    fisher_exact,
    is_hurried,
    pace_of,
)

SEED = 20_261_201
FIRST = date(2026, 11, 1)
small = st.integers(0, 40)
times = st.lists(st.integers(1, 90), min_size=1, max_size=80)


@given(small, small, small, small)
def test_fishers_test_is_that_of_scipy(a: int, b: int, c: int, d: int) -> None:
    theirs = stats.fisher_exact([[a, b], [c, d]]).pvalue

    assert fisher_exact(a, b, c, d) == pytest.approx(theirs, rel=1e-6, abs=1e-12)


def test_fisher_by_hand() -> None:
    # The lady tasting tea: 3 of 4 right. Ways 1, 16, 36, 16, 1 of 70; as unlikely or more: 34.
    assert fisher_exact(3, 1, 1, 3) == pytest.approx(34 / 70)


def test_shares_and_kappa_have_their_intervals() -> None:
    found = compared(Table(20, 5, 10, 15))

    assert (found.same, found.apart, found.rows) == (35, 15, 50)
    assert found.share is not None
    assert (found.share.low, found.share.high) == pytest.approx(
        stats.binomtest(35, 50).proportion_ci(method="exact")
    )
    assert found.kappa is not None
    assert found.kappa.value == pytest.approx(0.4)
    assert found.kappa.interval == score_interval(Table(20, 5, 10, 15))


@pytest.mark.parametrize("table", [Table(9, 0, 0, 0), Table(7, 2, 0, 0), Table(7, 0, 2, 0)])
def test_one_verdict_throughout_has_a_share_and_no_kappa(table: Table) -> None:
    found = compared(table)

    assert found.share is not None
    assert found.kappa is None


def test_of_a_few_rows_no_figure_is_told() -> None:
    assert compared(Table(2, 1, 0, 1)).share is None
    assert compared(Table(2, 1, 0, 2)).share is not None


@given(times)
def test_the_median_and_its_interval_are_those_of_scipy(seconds: list[int]) -> None:
    found = pace_of(Counter(seconds))

    theirs = stats.quantile_test(seconds, p=0.5).confidence_interval(0.95)
    assert (found.median, found.n) == (np.median(seconds), len(seconds))
    if found.interval is None:
        assert not np.isfinite(theirs.low) or not np.isfinite(theirs.high)
    else:
        assert found.interval == (theirs.low, theirs.high)


def test_the_interval_of_the_median_covers_it() -> None:
    rng, inside = np.random.default_rng(SEED), 0

    for drawn in rng.exponential(1000, size=(400, 30)):
        interval = pace_of(Counter(drawn.astype(int).tolist())).interval
        inside += interval is not None and interval.low <= 1000 * np.log(2) <= interval.high

    assert 0.93 <= inside / 400 <= 0.995  # never below .95 but for the draw: order statistics are discrete


def test_no_time_no_pace() -> None:
    with pytest.raises(Undefined, match="no pace"):
        pace_of({})
    assert pace_of({9: 5}).interval is None


def days(*of_each: tuple[int, int]) -> dict[date, tuple[int, int]]:
    return {FIRST + timedelta(days=number): each for number, each in enumerate(of_each)}


def test_halves_part_between_two_days() -> None:
    found = change_between_halves(days((9, 10), (10, 10), (5, 10), (3, 10)))

    assert (found.before, found.after, found.since) == ((19, 20), (8, 20), FIRST + timedelta(days=2))
    assert found.worse
    assert found.p == pytest.approx(stats.fisher_exact([[19, 1], [8, 12]]).pvalue)


@pytest.mark.parametrize("too_few", [(), ((40, 50),), ((9, 9), (60, 60)), ((5, 60), (9, 9))])
def test_halves_need_days_and_rows(too_few: tuple[tuple[int, int], ...]) -> None:
    with pytest.raises(Undefined, match="Too few rows"):
        change_between_halves(days(*too_few))


def test_who_works_alike_throughout_is_rarely_called_changed_and_who_slackens_often_is() -> None:
    rng, alarms = np.random.default_rng(SEED), Counter[str]()

    for _ in range(400):
        for name, second in (("steady", 0.85), ("slack", 0.6)):
            same = [*rng.binomial(10, 0.85, 5), *rng.binomial(10, second, 5)]
            alarms[name] += change_between_halves(days(*((int(n), 10) for n in same))).p < 0.05

    assert alarms["steady"] <= 0.05 * 400
    assert alarms["slack"] >= 0.7 * 400


def pace(median: int, n: int = 60) -> Pace:
    return pace_of({median - 1: n // 3, median: n - 2 * (n // 3), median + 1: n // 3})


def test_haste_is_below_half_of_what_is_usual_for_others() -> None:
    others = {2: pace(20), 3: pace(24), 4: pace(200)}

    assert is_hurried(pace(8), others)
    assert not is_hurried(pace(15), others)
    assert not is_hurried(pace(8, n=15), others)
    assert not is_hurried(pace(8), {2: pace(20)})  # of two nobody knows whose pace is the odd one
