"""The rule `bound`: boundaries at planned looks, which look is due, and how often it certifies wrongly."""

import math
from decimal import Decimal
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr
from scipy.stats import multivariate_normal

from judging.domain.looks import (
    ALPHA,
    DEFAULT_LOOKS,
    Plan,
    PlanUsedUp,
    alpha_spent,
    attempt_alpha,
    boundaries,
    look_due,
    spending_boundaries,
    take_look,
)
from judging.domain.measured import Measured
from labeling.domain.agreement import Table, Undefined
from tests.shared import vectors

PATHS = 4_000
BAR = Decimal("0.65")
DEFAULT = Plan()
looks_taken = st.lists(st.integers(1, 400), min_size=1, max_size=4, unique=True).map(sorted)


def test_the_default_looks_have_the_agreed_boundaries() -> None:
    found = boundaries(DEFAULT_LOOKS, 400)

    assert found == pytest.approx((2.509, 2.456, 2.348, 2.261, 2.222, 2.081, 2.050), abs=5e-4)


def test_checked_boundaries() -> None:
    (vector,) = vectors("group_sequential")
    expected, four = vector["expected"], vector["expected"]["pocock4"]
    looks, alpha = tuple(vector["inputs"]["looks"]), vector["inputs"]["alpha"]

    assert boundaries(looks, looks[-1], alpha) == pytest.approx(expected["pocock"], abs=1e-4)
    assert boundaries(tuple(four["looks"]), 400, alpha) == pytest.approx(four["z"], abs=1e-4)
    assert boundaries((1, 2, 3, 4, 5), 5, 0.025) == pytest.approx(expected["five_equal_025_pocock"], abs=1e-4)


def test_published_boundaries_of_another_spending_function() -> None:
    # Five equal looks, one-sided .025, spending 2 − 2Φ(z/√t) like O'Brien and Fleming's.
    shares = [0.2, 0.4, 0.6, 0.8, 1.0]
    z = NormalDist().inv_cdf(1 - 0.0125)
    spent = [float(2 - 2 * ndtr(z / math.sqrt(share))) for share in shares]

    assert spending_boundaries(shares, spent) == pytest.approx([4.877, 3.357, 2.680, 2.290, 2.031], abs=5e-4)


def test_a_single_look_is_the_plain_one_sided_test() -> None:
    assert boundaries((200,), 200) == pytest.approx((NormalDist().inv_cdf(0.95),), abs=1e-9)


def test_the_first_look_by_hand() -> None:
    # α(.075) = .05·ln(1 + 1.71828·.075) = .05·ln 1.128871 = .05·.121218 = .0060609
    assert alpha_spent(0.075) == pytest.approx(0.0060609, abs=1e-7)
    assert boundaries((30,), 400)[0] == pytest.approx(NormalDist().inv_cdf(1 - 0.0060609), abs=1e-5)
    assert alpha_spent(1) == pytest.approx(ALPHA)


def test_later_versions_on_the_same_rows_have_higher_boundaries() -> None:
    second = boundaries(DEFAULT_LOOKS, 400, attempt_alpha(2))

    assert second[:2] == pytest.approx((3.115, 3.097), abs=6e-4)
    assert attempt_alpha(1) == ALPHA
    # Σ 1/k² over k ≥ 2 is π²/6 − 1, so all of them have (1 − 6/π²)·α together.
    assert sum(map(attempt_alpha, range(2, 20_000))) == pytest.approx(ALPHA * (1 - 6 / math.pi**2), rel=1e-3)


@settings(max_examples=25, deadline=None)
@given(looks_taken)
def test_no_look_stops_with_the_probability_that_was_not_spent(taken: list[int]) -> None:
    # z at two looks correlates as the square root of the smaller number of rows over the larger.
    found = boundaries(tuple(taken), 400)
    correlations = np.sqrt(np.minimum.outer(taken, taken) / np.maximum.outer(taken, taken))

    seeded = np.random.default_rng(7)
    stays = multivariate_normal.cdf(found, cov=correlations, allow_singular=True, abseps=1e-6, rng=seeded)

    assert 1 - stays == pytest.approx(alpha_spent(taken[-1] / 400), abs=2e-4)


@settings(max_examples=25, deadline=None)
@given(looks_taken)
def test_later_looks_do_not_change_earlier_ones(taken: list[int]) -> None:
    assert boundaries(tuple(taken[:-1]) or (1,), 400)[: len(taken) - 1] == boundaries(tuple(taken), 400)[:-1]


@pytest.mark.parametrize(
    ("taken", "n", "due"),
    [
        ((), 29, None),
        ((), 30, 1),
        ((), 59, 1),
        ((34,), 59, None),
        ((34,), 60, 2),
        ((34,), 34, None),
        ((34,), 170, 4),  # the looks at 60 and 100 were passed by and are used up
        ((34, 170), 199, None),
        ((34, 170), 400, 7),
        ((34, 170, 400), 400, None),
        ((61,), 40, None),  # rows that were taken out open no look again
    ],
)
def test_which_look_is_due(taken: tuple[int, ...], n: int, due: int | None) -> None:
    assert look_due(DEFAULT, taken, n) == due


def test_beyond_the_plan_there_is_no_look() -> None:
    with pytest.raises(PlanUsedUp, match="401 rows are more than the 400 that were planned"):
        take_look(DEFAULT, (), Measured(Table(201, 0, 0, 200)), BAR)

    roomy = take_look(Plan(n_max=420), (), Measured(Table(201, 0, 0, 200)), BAR)

    assert roomy is not None
    assert roomy.boundary == pytest.approx(NormalDist().inv_cdf(1 - alpha_spent(401 / 420)))


@pytest.mark.parametrize(
    "make",
    [
        lambda: Plan(()),
        lambda: Plan((60, 30)),
        lambda: Plan((30, 30)),
        lambda: Plan((0, 30)),
        lambda: Plan((30, 60), n_max=50),
        lambda: Plan(attempt=0),
        lambda: Plan(alpha=0.0),
        lambda: boundaries((60, 60), 400),
        lambda: boundaries((60, 401), 400),
    ],
)
def test_a_plan_that_cannot_be_followed_is_refused(make: object) -> None:
    assert callable(make)
    with pytest.raises(ValueError, match=r"\.$"):
        make()


def test_a_look_says_what_it_found() -> None:
    perfect = Table(15, 0, 0, 15)  # z(.65) = .35·√(30/.5775) = 2.5226 against 2.5086

    look = take_look(DEFAULT, (), Measured(perfect), BAR)

    assert look is not None
    assert (look.number, look.n, look.value, look.shown) == (1, 30, 1.0, True)
    assert look.z == pytest.approx(2.5226, abs=1e-4)
    # With both pass rates ½ the bound is (n − z²)/(n + z²).
    assert look.low == pytest.approx((30 - look.boundary**2) / (30 + look.boundary**2), abs=1e-9)


def test_perfect_agreement_with_three_fails_among_30_shows_nothing() -> None:
    look = take_look(DEFAULT, (), Measured(Table(27, 0, 0, 3)), BAR)

    assert look is not None
    assert not look.shown
    assert take_look(DEFAULT, (30,), Measured(Table(27, 0, 0, 3)), BAR) is None


def test_where_the_test_does_not_exist_nothing_is_shown() -> None:
    with pytest.raises(Undefined, match="one and the same verdict"):
        take_look(DEFAULT, (), Measured(Table(40, 0, 0, 0)), BAR)


@given(st.integers(0, 60), st.integers(0, 20), st.integers(0, 20), st.integers(1, 60), st.integers(1, 3))
def test_a_kappa_is_shown_just_where_its_bound_is_above_the_bar(
    a: int, b: int, c: int, d: int, attempt: int
) -> None:
    table = Table(a, b, c, d)
    try:
        look = take_look(Plan(attempt=attempt), (), Measured(table), BAR)
    except Undefined:
        return

    if look is not None and abs(look.z - look.boundary) > 1e-6:
        assert look.shown == (look.low > 0.65)
