"""The score interval of kappa, its lower bound, the test against the bar, and planning."""

from math import sqrt
from statistics import NormalDist

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeling.domain.agreement import (
    Margins,
    Table,
    Undefined,
    estimate_kappa,
    kappa,
    kappa_max,
    kappa_se,
    labels_needed,
    score_interval,
    score_lower_bound,
    score_z,
)
from labeling.domain.agreement.variance import kappa_variance
from tests.domain.tables import swap_classes, swap_raters, tables

Z95 = NormalDist().inv_cdf(0.95)
shares = st.floats(0.01, 0.99)


@pytest.mark.parametrize(("fails", "bound"), [(1, 0.286), (2, 0.474), (3, 0.590), (5, 0.713)])
def test_perfect_agreement_on_30_rows_is_not_certainty(fails: int, bound: float) -> None:
    assert score_lower_bound(Table(30 - fails, 0, 0, fails)) == pytest.approx(bound, abs=5e-4)


def test_the_bound_by_hand() -> None:
    # With both pass rates ½, V(x) = 1 − x². For κ = 1: (1 − x)² = z²(1 − x)(1 + x)/n,
    # so x = (n − z²)/(n + z²).
    perfect = Table(15, 0, 0, 15)
    z = NormalDist().inv_cdf(0.975)

    assert score_lower_bound(perfect) == pytest.approx((30 - Z95**2) / (30 + Z95**2), abs=1e-9)
    assert score_interval(perfect) == pytest.approx(((30 - z**2) / (30 + z**2), 1.0), abs=1e-9)


def test_the_interval_by_hand() -> None:
    # κ = .65 at pass rates ½: n(.65 − x)² = z²(1 − x²), a quadratic in x with the roots below.
    n, z2 = 400, NormalDist().inv_cdf(0.975) ** 2
    root = sqrt(z2**2 + n * z2 * (1 - 0.65**2))
    roots = ((0.65 * n - root) / (n + z2), (0.65 * n + root) / (n + z2))

    assert score_interval(Table(165, 35, 35, 165)) == pytest.approx(roots, abs=1e-9)


def test_the_interval_stays_within_what_the_pass_rates_allow() -> None:
    # Gwet 2008, table 1: no row is failed by both, so no smaller kappa is possible with these pass rates.
    least = Table(118, 5, 2, 0)
    lenient = Table(168, 2, 18, 12)

    assert score_lower_bound(least) == kappa(least)
    assert score_interval(least).high == pytest.approx(0.4374667, abs=1e-4)
    assert score_interval(lenient).high == kappa_max(lenient)
    assert score_interval(Table(28, 0, 2, 0)) == (0, 0)


def test_one_sided_and_two_sided_levels() -> None:
    table = Table(81, 4, 3, 12)

    assert score_interval(table, 0.95, sided=1) == pytest.approx(score_interval(table, 0.90, sided=2))
    assert score_lower_bound(table, 0.975) == pytest.approx(score_interval(table).low)


def test_the_estimate_carries_its_interval_rows_and_method() -> None:
    estimate = estimate_kappa(Table(81, 4, 3, 12))

    assert (estimate.low, estimate.high) == pytest.approx((0.4982191, 0.8685891), abs=1e-4)
    assert (estimate.value, estimate.n) == (kappa(Table(81, 4, 3, 12)), 100)
    assert "Lee & Tu 1994" in estimate.method


@given(tables)
def test_the_interval_holds_the_estimate_and_the_one_sided_bound_lies_inside(table: Table) -> None:
    low, high = score_interval(table)

    assert -1 <= low <= score_lower_bound(table) <= kappa(table) <= high <= kappa_max(table)


@given(tables)
def test_the_interval_knows_no_sides(table: Table) -> None:
    assert score_interval(swap_raters(table)) == pytest.approx(score_interval(table), abs=1e-7)
    assert score_interval(swap_classes(table)) == pytest.approx(score_interval(table), abs=1e-7)


@given(tables)
def test_the_score_test_at_the_bound_is_just_significant(table: Table) -> None:
    bound = score_lower_bound(table)
    fewest = max(0, table.n_pass + table.a + table.c - table.n)
    clipped = bound == pytest.approx(kappa(_with_passes(table, fewest)), abs=1e-9)

    assert clipped or score_z(table, bound) == pytest.approx(Z95, abs=1e-4)


@given(shares, shares, st.floats(-0.9, 1))
def test_the_variance_is_the_published_expression(human: float, judge: float, k: float) -> None:
    d = human + judge - 2 * human * judge
    p11 = human * judge + k * d / 2
    p10, p01, p00 = human - p11, judge - p11, 1 - human - judge + p11
    both = p11 * (1 - (human + judge) * (1 - k)) ** 2 + p00 * (1 - (2 - human - judge) * (1 - k)) ** 2
    one = (1 - k) ** 2 * (p10 * (judge + 1 - human) ** 2 + p01 * (1 - judge + human) ** 2)
    published = (both + one - (k - (1 - d) * (1 - k)) ** 2) / d**2

    assert kappa_variance(Margins(human, judge), k) == pytest.approx(published, rel=1e-6, abs=1e-6)


@given(tables)
def test_the_variance_at_the_estimate_is_the_displayed_one(table: Table) -> None:
    at_estimate = max(0.0, kappa_variance(table.margins, kappa(table)))

    assert sqrt(at_estimate / table.n) == pytest.approx(kappa_se(table))


def test_the_score_statistic_by_hand() -> None:
    # V(.65) = 1 − .65² at pass rates ½, so z = .35·√30/√.5775 = 2.5226.
    assert score_z(Table(15, 0, 0, 15), 0.65) == pytest.approx(0.35 * sqrt(30 / 0.5775))
    assert score_z(Table(165, 35, 35, 165), 0.65) == pytest.approx(0, abs=1e-9)


def test_a_bar_that_the_pass_rates_rule_out_cannot_be_tested() -> None:
    with pytest.raises(Undefined, match=r"kappa cannot be 0\.65"):
        score_z(Table(0, 7, 1, 0), 0.65)


@pytest.mark.parametrize("statistic", [score_interval, score_lower_bound, estimate_kappa])
def test_no_interval_without_a_kappa(statistic: object) -> None:
    assert callable(statistic)
    with pytest.raises(Undefined):
        statistic(Table(40, 0, 0, 0))


def test_planned_labels_by_hand() -> None:
    # (1.6449·√(1 − .65²) + .8416·√(1 − .75²))²/.1² = 326.4 at pass rates ½.
    assert labels_needed(Margins(0.5, 0.5), kappa=0.75, bar=0.65) == 327
    assert labels_needed(Table(7, 1, 1, 7), kappa=0.75, bar=0.65) == 327


@given(st.floats(0.7, 0.95), st.floats(0.02, 0.98))
def test_a_better_judge_needs_fewer_labels(better: float, pass_rate: float) -> None:
    margins = Margins(pass_rate, pass_rate)

    assert labels_needed(margins, better, 0.65) <= labels_needed(margins, better - 0.03, 0.65)


@pytest.mark.parametrize(
    ("margins", "value", "sentence"),
    [
        (Margins(0.5, 0.5), 0.65, "not above the bar"),
        (Margins(0.9, 0.1), 0.70, "cannot reach the bar"),
        (Margins(1.0, 1.0), 0.70, "cannot reach the bar"),
    ],
)
def test_no_plan_where_labels_cannot_help(margins: Margins, value: float, sentence: str) -> None:
    with pytest.raises(Undefined, match=sentence):
        labels_needed(margins, value, 0.65)


def _with_passes(table: Table, common: int) -> Table:
    human, judge = table.n_pass, table.a + table.c
    return Table(common, human - common, judge - common, table.n - human - judge + common)
