"""Kappa of rows that were drawn with unequal probabilities."""

from dataclasses import astuple
from math import atanh, sqrt, tanh
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from labeling.domain.agreement import Table, Undefined, kappa, kappa_se
from labeling.domain.agreement.drawn import (
    Cell,
    Stratum,
    drawn_agreement,
    drawn_kappa,
    drawn_margins,
    effective_rows,
)
from tests.domain.tables import tables

type Cells = tuple[int, ...]
VERDICTS = ((True, True), (True, False), (False, True), (False, False))
counts = st.integers(0, 6)
strata = st.lists(
    st.builds(Stratum, st.floats(0.05, 1), st.builds(Table, counts, counts, counts, counts)),
    min_size=1,
    max_size=3,
).filter(lambda strata: sum(each.table.n for each in strata) > 1)


def drawn(cells: Cells, probability: float) -> Stratum:
    return Stratum(probability, Table(*cells))


def as_rows(strata: list[Stratum]) -> tuple[list[bool], list[bool], list[float]]:
    """What people and judge say of each row, and what it weighs."""
    rows = [
        (*pair, 1 / each.probability)
        for each in strata
        for pair, count in zip(VERDICTS, astuple(each.table), strict=True)
        for _ in range(count)
    ]
    human, judge, weights = zip(*rows, strict=True)
    return list(human), list(judge), list(weights)


def test_rows_drawn_twice_as_often_count_half() -> None:
    # Where jurors agreed, p = .5: 40, 1, 1, 18 stand for 80, 2, 2, 36. The others stand for themselves.
    rows = [drawn((40, 1, 1, 18), 0.5), drawn((5, 8, 6, 4), 1.0)]

    assert drawn_kappa(rows).value == pytest.approx(kappa(Table(85, 10, 8, 40)))
    assert drawn_kappa(rows).n == 83


@given(tables.filter(lambda table: table.n > 1), st.floats(0.01, 1))
def test_with_equal_probabilities_it_is_plain_kappa(table: Table, probability: float) -> None:
    found = drawn_kappa([Stratum(probability, table)])

    assert found.value == pytest.approx(kappa(table), abs=1e-9)
    # A stratum's variance divides by n − 1, Fleiss, Cohen & Everitt's by n.
    assert found.se == pytest.approx(kappa_se(table) * sqrt(table.n / (table.n - 1)), abs=1e-7)


@given(strata)
def test_it_is_that_of_scikit_learn_with_weights(strata: list[Stratum]) -> None:
    human, judge, weights = as_rows(strata)
    if len({*human, *judge}) < 2:
        with pytest.raises(Undefined, match="one and the same verdict"):
            drawn_kappa(strata)
        return

    found = drawn_kappa(strata)

    assert found.value == pytest.approx(cohen_kappa_score(human, judge, sample_weight=weights), abs=1e-7)
    assert -1 - 1e-9 <= found.value <= 1 + 1e-9
    assert found.bound is None or -1 <= found.bound <= found.value
    assert sum(w * found.influences[Cell(h, j)] for h, j, w in zip(human, judge, weights, strict=True)) == (
        pytest.approx(0, abs=1e-6)
    )


def test_the_standard_error_is_that_of_small_changes() -> None:
    # Numerically: how kappa moves with each row's weight is that row's influence.
    rows = [drawn((40, 3, 5, 18), 0.5), drawn((6, 8, 7, 4), 0.9)]
    human, judge, each = as_rows(rows)
    weights = np.array(each)

    def moved(number: int, by: float) -> float:
        changed = weights + by * (np.arange(len(weights)) == number)
        return float(cohen_kappa_score(human, judge, sample_weight=changed))

    slopes = np.array([(moved(n, 1e-4) - moved(n, -1e-4)) / 2e-4 for n in range(len(weights))])
    totals = (weights * slopes)[:66], (weights * slopes)[66:]
    variance = sum(len(part) * part.var(ddof=1) for part in totals)

    assert drawn_kappa(rows).se == pytest.approx(sqrt(variance), rel=1e-5)


def test_the_bound_by_hand_with_two_more_rows_in_each_stratum() -> None:
    found = drawn_kappa([drawn((40, 3, 5, 18), 0.5), drawn((6, 8, 7, 4), 0.9)])

    # The pooled rows: mean influence of the frame's agreeing rows, and of its disagreeing ones.
    psi = [found.influences[Cell(*pair)] for pair in VERDICTS]
    frame = [40 / 0.5 + 6 / 0.9, 3 / 0.5 + 8 / 0.9, 5 / 0.5 + 7 / 0.9, 18 / 0.5 + 4 / 0.9]
    pooled = [np.average([psi[i], psi[j]], weights=[frame[i], frame[j]]) for i, j in ((0, 3), (1, 2))]
    variance = 0.0
    for cells, probability in (((40, 3, 5, 18), 0.5), ((6, 8, 7, 4), 0.9)):
        spread = np.var([*np.repeat(psi, cells), *pooled], ddof=1)
        variance += (sum(cells) / probability) ** 2 * spread / sum(cells)
    widened = sqrt(variance) / sum(frame)
    reach = NormalDist().inv_cdf(0.95) * widened / (1 - found.value**2)
    assert found.widened_se == pytest.approx(widened)
    assert found.bound == pytest.approx(tanh(atanh(found.value) - reach))


def test_a_stratum_without_an_error_is_in_doubt() -> None:
    # Without the two rows the last stratum would add nothing, though its four rows stand for four thousand.
    found = drawn_kappa([drawn((6, 8, 8, 6), 1.0), drawn((2, 0, 0, 2), 0.001)])

    assert found.value > 0.99
    assert found.se < 0.01 < 0.1 < found.widened_se
    assert (found.bound or 0) < 0.65


def test_effective_rows_by_hand() -> None:
    # Weights 1 and 4: (10 + 40)²/(10 + 160) = 14.7; of the rows that people pass (6 + 24)²/(6 + 96) = 8.8.
    strata = [drawn((5, 1, 1, 3), 1.0), drawn((6, 0, 0, 4), 0.25)]

    assert (effective_rows(strata), effective_rows(strata, True), effective_rows(strata, False)) == (14, 8, 5)
    assert effective_rows([drawn((28, 0, 0, 0), 1.0), drawn((4, 0, 0, 0), 0.001)]) == 4
    assert effective_rows([drawn((4, 0, 0, 0), 1.0)], human=False) == 0


@given(tables.filter(lambda table: table.n > 0), st.floats(0.01, 1))
def test_rows_that_weigh_alike_count_fully(table: Table, probability: float) -> None:
    strata = [Stratum(probability, table)]

    assert effective_rows(strata) == table.n
    assert drawn_agreement(strata) == pytest.approx(table.agreement)
    assert drawn_margins(strata) == pytest.approx(table.margins)


def test_perfect_agreement_has_no_bound() -> None:
    found = drawn_kappa([drawn((20, 0, 0, 10), 0.5), drawn((5, 0, 0, 5), 1.0)])

    assert found.value == 1
    assert found.bound is None


def test_what_cannot_be_known_is_undefined() -> None:
    with pytest.raises(Undefined, match="no two scored rows"):
        drawn_kappa([])
    with pytest.raises(Undefined, match="one and the same verdict"):
        drawn_kappa([drawn((4, 0, 0, 0), 0.5), drawn((3, 0, 0, 0), 1.0)])


def test_a_row_alone_in_its_stratum_is_put_with_the_nearest() -> None:
    lonely = [drawn((8, 1, 2, 9), 0.5), drawn((1, 0, 0, 0), 0.9), drawn((3, 1, 1, 3), 1.0)]
    found = drawn_kappa(lonely)

    # By hand: the row with p = .9 joins those with .5; what a row adds to the total is w·ψ.
    psi = [found.influences[Cell(*pair)] for pair in VERDICTS]
    first = [2 * psi[0]] * 8 + [2 * psi[1]] + [2 * psi[2]] * 2 + [2 * psi[3]] * 9 + [psi[0] / 0.9]
    second = [psi[0]] * 3 + [psi[1], psi[2]] + [psi[3]] * 3
    variance = sum(len(part) * np.var(part, ddof=1) for part in (first, second))
    assert found.se == pytest.approx(sqrt(variance) / (40 + 1 / 0.9 + 8))


def test_a_statistic_reaches_its_boundary_just_where_the_bound_reaches_the_bar() -> None:
    found = drawn_kappa([drawn((40, 3, 5, 18), 0.5), drawn((6, 8, 7, 4), 0.9)])
    z = found.z(0.4, inflation=1.3)

    assert z is not None
    assert found.lower(z, inflation=1.3) == pytest.approx(0.4)


@pytest.mark.parametrize("probability", [0.0, -0.1, 1.1, float("nan")])
def test_a_probability_that_no_draw_has_is_refused(probability: float) -> None:
    with pytest.raises(ValueError, match="above 0 and is at most 1"):
        Stratum(probability, Table(1, 0, 0, 0))


def test_the_bound_covers_the_true_kappa_and_the_plain_one_misses_it() -> None:
    # In a tenth of the frame jurors disagree and the judge errs often; half of the rows are drawn from there.
    easy, hard = np.array([0.62, 0.03, 0.03, 0.32]), np.array([0.30, 0.22, 0.18, 0.30])
    whole = 0.9 * easy + 0.1 * hard
    human, judge = whole[0] + whole[1], whole[0] + whole[2]
    true = 1 - (whole[1] + whole[2]) / (human * (1 - judge) + judge * (1 - human))
    rng = np.random.default_rng(20_250_203)
    covered, plain = 0, []

    for _ in range(300):
        of_easy, of_hard = (tuple(map(int, rng.multinomial(100, cells))) for cells in (easy, hard))
        bound = drawn_kappa([drawn(of_easy, 1 / 18), drawn(of_hard, 1 / 2)]).bound
        covered += bound is not None and bound <= true
        plain.append(kappa(Table(*(one + other for one, other in zip(of_easy, of_hard, strict=True)))))

    # 300 draws at .95 have a standard deviation of .013; the two further rows make the bound a little safer.
    assert 0.91 <= covered / 300 < 1
    assert np.mean(plain) < true - 0.15
