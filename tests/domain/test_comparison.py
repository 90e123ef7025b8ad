"""What moved between two versions on the same rows."""

from math import comb, log, sqrt
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.stats import binomtest

from judging.domain.comparison import (
    Change,
    Changes,
    chance_of_worse,
    change_of,
    changes_of,
    compare,
    net_interval,
    was_right,
)
from labeling.domain.agreement import Undefined
from tests.shared import vectors

Z = NormalDist().inv_cdf(0.975)
sides = st.sampled_from([True, False, None])
moved = st.tuples(st.integers(0, 40), st.integers(0, 40), st.integers(0, 60)).filter(
    lambda rows: sum(rows) > 0
)


def test_rows_are_told_apart_and_kept_in_order() -> None:
    found = compare(
        [("a", False, True), ("b", True, False), ("c", True, True), ("d", None, True), ("e", False, True)]
    )

    assert found.fixed == ("a", "e")
    assert (found.regressed, found.stable, found.inconclusive) == (("b",), ("c",), ("d",))
    assert (found.counts.net, found.counts.n, found.counts.net_share) == (1, 4, 0.25)


@given(st.lists(st.tuples(st.integers(), sides, sides)))
def test_every_row_is_told_once_and_backwards_is_the_opposite(
    rows: list[tuple[int, bool | None, bool | None]],
) -> None:
    there = compare(rows)
    back = compare([(key, after, before) for key, before, after in rows])

    assert there.counts.n + len(there.inconclusive) == len(rows)
    assert (back.fixed, back.regressed, back.stable) == (there.regressed, there.fixed, there.stable)
    assert (back.counts.net, back.counts.chance) == (-there.counts.net, there.counts.chance)


def test_what_is_right() -> None:
    outcomes = ("fail", "pass", "skipped", "escalated", None)

    assert [was_right("fail", outcome) for outcome in outcomes] == [True, False, None, None, None]
    assert change_of(True, None) == change_of(None, None) == Change.INCONCLUSIVE


def test_counted_rows_by_hand() -> None:
    groups = [
        ("pass", "pass", "pass", 10),
        ("pass", "pass", "fail", 4),
        ("fail", "pass", "fail", 3),
        ("fail", "fail", "pass", 2),
        ("fail", "fail", "skipped", 1),
        ("pass", "escalated", "pass", 1),
        ("pass", "fail", None, 1),
    ]

    assert changes_of(groups) == Changes(fixed=3, regressed=6, stable=10, inconclusive=3)


def test_checked_chances() -> None:
    for vector in vectors("mcnemar"):
        (both, lost), (won, neither) = vector["table"]
        found = Changes(fixed=won, regressed=lost, stable=both + neither)
        assert found.chance == pytest.approx(vector["expected"]["exact_p"], rel=1e-6), vector["name"]


def test_the_chance_of_worse_by_hand() -> None:
    # Two fixed and nine lost: (1 + 11 + 55)/2¹¹.
    assert chance_of_worse(2, 9) == pytest.approx((comb(11, 0) + comb(11, 1) + comb(11, 2)) / 2**11)
    assert chance_of_worse(0, 0) == 1
    assert chance_of_worse(0, 7) < 0.01 < chance_of_worse(0, 6)


@given(st.integers(0, 80), st.integers(0, 80))
def test_the_chance_of_worse_is_that_of_scipy(fixed: int, regressed: int) -> None:
    assume(fixed + regressed > 0)

    theirs = binomtest(fixed, fixed + regressed, 0.5, alternative="less").pvalue

    assert chance_of_worse(fixed, regressed) == pytest.approx(theirs, rel=1e-9)


def test_nothing_moved_is_not_nothing_possible() -> None:
    # With no row moved the score test of δ is nδ/(1 − δ) = z², so that δ = z²/(n + z²).
    assert net_interval(0, 0, 100) == pytest.approx((-(Z**2) / (100 + Z**2), Z**2 / (100 + Z**2)))


def test_the_interval_leaves_no_difference_out_just_where_mcnemars_test_does() -> None:
    # At δ = 0 the score test is McNemar's without correction, whose values are checked.
    for vector in vectors("mcnemar"):
        (both, lost), (won, neither) = vector["table"]
        n = both + lost + won + neither
        level = 2 * NormalDist().cdf(sqrt(vector["expected"]["chi2_nocc"])) - 1
        ends = net_interval(won, lost, n, level)
        assert min(abs(end) for end in ends) == pytest.approx(0, abs=1e-7), vector["name"]


@given(moved)
def test_at_its_ends_the_score_test_just_rejects(rows: tuple[int, int, int]) -> None:
    fixed, regressed, stable = rows
    n = sum(rows)

    low, high = net_interval(fixed, regressed, n)

    assert -1 <= low <= (fixed - regressed) / n <= high <= 1
    assert net_interval(regressed, fixed, n) == pytest.approx((-high, -low), abs=1e-9)
    if stable and fixed:
        assert _score(fixed, regressed, n, high) == pytest.approx(-Z, abs=2e-3)


@pytest.mark.parametrize(("fixed", "regressed"), [(0.10, 0.05), (0.03, 0.03), (0.25, 0.05)])
def test_the_interval_covers_the_true_difference(fixed: float, regressed: float) -> None:
    drawn = np.random.default_rng(20_250_206).multinomial(
        80, [fixed, regressed, 1 - fixed - regressed], 1_000
    )

    ends = [net_interval(int(won), int(lost), 80) for won, lost, _ in drawn]

    # 1 000 draws at .95 have a standard deviation of .007.
    inside = np.mean([low <= fixed - regressed <= high for low, high in ends])
    assert 0.93 <= inside <= 0.98


def test_without_rows_there_is_nothing_to_compare() -> None:
    empty = Changes(inconclusive=1)

    assert (empty.net, empty.chance, empty.chance_of_worse) == (0, 1, 1)
    for ask in (lambda: empty.net_share, lambda: empty.interval()):
        with pytest.raises(Undefined, match="nothing to compare"):
            ask()


def _score(fixed: int, regressed: int, n: int, trial: float) -> float:
    """z of a trial difference, with the rate of lost rows that is likeliest found by a search."""

    def unlikely(rate: float) -> float:
        stays = 1 - 2 * rate - trial
        return -(
            fixed * log(rate + trial)
            + (regressed * log(rate) if regressed else 0)
            + (n - fixed - regressed) * log(stays)
        )

    low = max(0.0, -trial)
    rate = minimize_scalar(
        unlikely, bounds=(low + 1e-12, (1 - trial) / 2 - 1e-12), method="bounded", options={"xatol": 1e-10}
    ).x
    return float((fixed - regressed - n * trial) / sqrt(n * (2 * rate + trial * (1 - trial))))
