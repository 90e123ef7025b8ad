"""A judge's pass rate, corrected by the errors it is known to make."""

from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.domain.pass_rate import corrected_pass_rate, lang_reiczigel, rogan_gladen
from labeling.domain.agreement import Table, Undefined
from tests.shared import vectors

rights = st.integers(60, 300)
wrongs = st.integers(0, 40)
judges = st.builds(Table, rights, wrongs, wrongs, rights)
fair_judges = judges.filter(lambda table: min(table.a, table.d) > 4 * max(table.b, table.c))


def table_of(inputs: dict[str, int]) -> Table:
    right, good, caught, bad = (inputs[name] for name in ("x_se", "n_se", "x_sp", "n_sp"))
    return Table(right, good - right, bad - caught, caught)


def test_published_and_checked_rates() -> None:
    known, estimated = sorted(vectors("rogan_gladen"), key=lambda vector: "n_se" in vector["inputs"])
    given_rates, counted = known["inputs"], estimated["inputs"]

    exact = rogan_gladen(given_rates["x"] / given_rates["n"], given_rates["se"], given_rates["sp"])
    found = corrected_pass_rate(counted["x"], counted["n"], table_of(counted))

    assert exact == pytest.approx(known["expected"]["theta"], abs=1e-6)
    assert exact == pytest.approx(known["published"]["theta"], abs=5e-4)
    assert found.value == pytest.approx(estimated["expected"]["theta"], abs=1e-6)
    assert (found.low, found.high) == pytest.approx(estimated["expected"]["ci95"], abs=1e-6)
    assert (found.raw, found.n, found.rows) == (0.84, 1000, 200)


def test_the_correction_by_hand() -> None:
    # Of 100 outputs 80 are good; a judge with Se .9 and Sp .6 passes 72 + 8.
    assert rogan_gladen(0.80, 0.9, 0.6) == pytest.approx(0.8)
    assert rogan_gladen(0.30, 0.9, 0.6) == 0  # fewer pass than its mistakes alone would let through
    assert rogan_gladen(0.95, 0.9, 0.6) == 1


def test_the_interval_by_hand() -> None:
    # A judge without doubt (a million rows, none wrong) leaves the interval of Agresti & Coull 1998.
    z = NormalDist().inv_cdf(0.975)
    share, rows = (30 + z**2 / 2) / (100 + z**2), 100 + z**2
    reach = z * (share * (1 - share) / rows) ** 0.5

    found = lang_reiczigel(30, 100, Table(10**6, 0, 0, 10**6))

    assert found == pytest.approx((share - reach, share + reach), abs=1e-5)


@given(judges, st.integers(1, 500), st.data())
def test_shares_stay_shares_and_classes_may_change_names(table: Table, n: int, data: st.DataObject) -> None:
    passed = data.draw(st.integers(0, n))

    other = Table(table.d, table.c, table.b, table.a)
    try:
        found = corrected_pass_rate(passed, n, table)
    except Undefined:
        with pytest.raises(Undefined, match="errors on golden rows"):
            corrected_pass_rate(n - passed, n, other)
        return

    turned = corrected_pass_rate(n - passed, n, other)

    assert 0 <= found.low < found.high <= 1
    assert 0 <= found.value <= 1
    assert (turned.value, turned.low, turned.high) == pytest.approx(
        (1 - found.value, 1 - found.high, 1 - found.low), abs=1e-9
    )


@given(fair_judges, st.integers(10, 400))
def test_more_golden_rows_of_the_same_kind_leave_less_doubt(table: Table, n: int) -> None:
    tenfold = Table(10 * table.a, 10 * table.b, 10 * table.c, 10 * table.d)

    few, many = lang_reiczigel(n // 2, n, table), lang_reiczigel(n // 2, n, tenfold)

    assert many.high - many.low < few.high - few.low


@pytest.mark.parametrize(
    ("passed", "n", "table"),
    [
        (0, 0, Table(20, 1, 1, 20)),
        (5, 9, Table(20, 1, 0, 0)),
        (5, 9, Table(0, 0, 1, 20)),
        (5, 9, Table(10, 10, 10, 10)),
        (5, 9, Table(59, 41, 40, 60)),  # Se + Sp − 1 = .19
        (900, 900, Table(70, 30, 2, 98)),  # who passes 70 of 100 good outputs passes no 900 of 900
        (0, 900, Table(98, 2, 30, 70)),
        (5, 9, Table(1, 0, 4, 1)),  # .2 on six rows, which is below 0 with the pseudo-rows
    ],
)
def test_where_the_judge_says_too_little_there_is_no_rate(passed: int, n: int, table: Table) -> None:
    with pytest.raises(Undefined):
        corrected_pass_rate(passed, n, table)


def test_the_least_that_a_judge_must_tell_is_compared_exactly() -> None:
    # .6 + .6 − 1 is .2, which floats make .19999999999999996.
    assert corrected_pass_rate(45, 90, Table(60, 40, 40, 60)).value == 0.5


@pytest.mark.parametrize("passed", [-1, 10])
def test_more_passes_than_verdicts_are_refused(passed: int) -> None:
    with pytest.raises(ValueError, match="no more than all"):
        corrected_pass_rate(passed, 9, Table(20, 1, 1, 20))


@pytest.mark.parametrize(("good", "se", "sp"), [(0.85, 0.93, 0.8), (0.6, 0.9, 0.9), (0.95, 0.97, 0.7)])
def test_the_interval_covers_the_true_share(good: float, se: float, sp: float) -> None:
    rng = np.random.default_rng(20_250_207)
    passes = good * se + (1 - good) * (1 - sp)
    drawn = rng.binomial([2_000, 100, 50], [passes, se, sp], size=(1_000, 3)).tolist()
    inside = 0

    for passed, right, caught in drawn:
        low, high = lang_reiczigel(passed, 2_000, Table(right, 100 - right, 50 - caught, caught))
        inside += low <= good <= high

    # 1 000 draws at .95 have a standard deviation of .007.
    assert 0.93 <= inside / 1_000 <= 0.99
