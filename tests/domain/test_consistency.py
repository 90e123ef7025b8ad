"""How steady a judge is: hand-derived values, an independent library, properties, and coverage."""

import random
from math import sqrt

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from judging.domain.consistency import (
    Moves,
    best_agreement,
    by_passes,
    compared,
    disagreement,
    flip_rate,
    flipped,
    left_out,
    steadiness,
)
from labeling.domain.agreement import Estimate, Undefined

# Ten rows asked three times: six always pass, two always fail, one is passed twice, one was scored but once.
TEN = {(3, 0): 6, (0, 3): 2, (2, 1): 1, (1, 0): 1}

repeats = st.dictionaries(
    st.tuples(st.integers(0, 6), st.integers(0, 6)), st.integers(1, 30), min_size=1, max_size=12
)


def test_rows_scored_less_than_twice_are_left_out_and_counted() -> None:
    assert (compared(TEN), left_out(TEN), flipped(TEN)) == (9, 1, 1)


def test_the_flip_rate_is_the_share_of_rows_with_both_outcomes() -> None:
    rate = flip_rate(TEN)

    expected = stats.binomtest(1, 9).proportion_ci(method="exact")
    assert rate.value == 1 / 9
    assert (rate.low, rate.high) == pytest.approx((expected.low, expected.high))


def test_two_answers_differ_as_often_as_pairs_within_rows_do() -> None:
    # Of the three pairs of answers P P F two differ: 2/3 on one row of nine, and none on the others.
    assert disagreement(TEN).value == pytest.approx(2 / 3 / 9)
    # Of the six pairs of P P F F four differ; of P F the only one.
    assert disagreement({(2, 2): 1, (1, 1): 1}).value == pytest.approx((4 / 6 + 1) / 2)


def test_its_interval_is_clopper_and_pearson_on_the_effective_size() -> None:
    rows = {(5, 0): 40, (0, 5): 30, (4, 1): 10, (3, 2): 5, (1, 4): 3}
    found = disagreement(rows)

    within = numpy.repeat([0, 0, 0.4, 0.6, 0.4], [40, 30, 10, 5, 3])
    pairs, n, mean = 10 * len(within), len(within), within.mean()
    size = mean * (1 - mean) / (within.var(ddof=1) / n)
    size *= (stats.t.ppf(0.975, pairs - 1) / stats.t.ppf(0.975, n - 1)) ** 2
    expected = proportion_confint(mean * size, size, 0.05, "beta")
    assert found.value == pytest.approx(mean)
    assert (found.low, found.high) == pytest.approx(expected)
    assert size > n  # a row whose answers were compared ten times tells more than one pair


def test_without_any_difference_the_doubt_does_not_vanish() -> None:
    found = disagreement({(3, 0): 30, (0, 3): 30})

    assert (found.value, found.low) == (0, 0)
    assert 0.04 < found.high < 0.08


def test_what_cannot_be_said_is_not_said() -> None:
    for none in ({}, {(1, 0): 5}, {(0, 0): 3}):
        with pytest.raises(Undefined):
            flip_rate(none)
    with pytest.raises(Undefined):
        disagreement({(3, 0): 1})
    with pytest.raises(Undefined):
        Moves("tone", 0, 0, 0.0).share  # noqa: B018


@pytest.mark.parametrize("chance", [0.5, 0.7, 0.9, 1.0])
def test_a_judge_agrees_at_best_as_often_as_its_likelier_answer(chance: float) -> None:
    assert best_agreement(2 * chance * (1 - chance)) == pytest.approx(chance)


def test_over_different_rows_it_agrees_even_less() -> None:
    chances = [0.55, 0.8, 0.99, 1.0]
    differ = sum(2 * p * (1 - p) for p in chances) / 4
    assert best_agreement(differ) > sum(chances) / 4
    assert best_agreement(0.6) == 0.5  # an estimate may be above the half that no judge can exceed


def test_steadiness_takes_the_interval_into_account() -> None:
    assert steadiness(Estimate(0.2, 0.1, 0.3, 50, "")) == "unsteady"
    assert steadiness(Estimate(0.01, 0.0, 0.04, 50, "")) == "steady"
    assert steadiness(Estimate(0.05, 0.01, 0.1, 50, "")) == "unknown"


def test_rows_by_passes_hold_those_that_were_scored_every_time() -> None:
    assert by_passes(TEN, 3) == [2, 0, 1, 6]


@given(repeats)
def test_figures_are_shares_within_their_intervals(rows: dict[tuple[int, int], int]) -> None:
    assert compared(rows) + left_out(rows) == sum(rows.values())
    if compared(rows) < 2:
        return
    flips, differ = flip_rate(rows), disagreement(rows)
    for found in (flips, differ):
        assert 0 <= found.low <= found.value + 1e-9
        assert found.value - 1e-9 <= found.high <= 1
    assert differ.value <= flips.value + 1e-9  # where answers differ the row has flipped
    assert (differ.value == 0) == (flips.value == 0)


@given(repeats)
def test_pass_and_fail_are_treated_alike(rows: dict[tuple[int, int], int]) -> None:
    turned: dict[tuple[int, int], int] = {(fails, passes): n for (passes, fails), n in rows.items()}
    if compared(rows) >= 2:
        assert disagreement(turned).value == pytest.approx(disagreement(rows).value)
        assert flip_rate(turned) == flip_rate(rows)


@pytest.mark.parametrize(("shape", "times", "rows"), [((0.3, 0.2), 3, 40), ((6, 0.4), 5, 60)])
def test_the_interval_covers_what_it_should(shape: tuple[float, float], times: int, rows: int) -> None:
    """Rows whose chance of a pass is drawn from a beta distribution: E 2p(1−p) = 2ab / ((a+b)(a+b+1))."""
    chance, (a, b), covered, runs = random.Random(20), shape, 0, 400
    truth = 2 * a * b / ((a + b) * (a + b + 1))

    for _ in range(runs):
        found: dict[tuple[int, int], int] = {}
        for _ in range(rows):
            p = chance.betavariate(a, b)
            passes = sum(chance.random() < p for _ in range(times))
            found[passes, times - passes] = found.get((passes, times - passes), 0) + 1
        interval = disagreement(found)
        covered += interval.low <= truth <= interval.high

    assert covered / runs > 0.95 - 3 * sqrt(0.95 * 0.05 / runs)
