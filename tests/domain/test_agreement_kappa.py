"""Kappa, its exact comparison with the bar, its standard error and its ceiling."""

from decimal import Decimal
from fractions import Fraction
from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import cohens_kappa

from labeling.domain.agreement import (
    Table,
    Undefined,
    band,
    kappa,
    kappa_exact,
    kappa_max,
    kappa_se,
    meets_bar,
)
from tests.domain.tables import as_lists, swap_classes, swap_raters, tables

ONE_CLASS = [Table(30, 0, 0, 0), Table(0, 0, 0, 30), Table(1, 0, 0, 0)]


@pytest.mark.parametrize(
    ("table", "published"),
    [
        (Table(58, 4, 12, 31), 0.6756757),  # statpsych ci.kappa, documented output
        (Table(20, 5, 10, 15), 0.4),  # fmsb Kappa.test example
        (Table(45, 15, 25, 15), 0.1304),  # Feinstein & Cicchetti 1990: same agreement ...
        (Table(25, 35, 5, 35), 0.2593),  # ... and another kappa
        (Table(80, 10, 5, 5), 0.32),  # Feinstein & Cicchetti 1990, first paradox
        (Table(22, 2, 4, 11), 0.67),  # Sim & Wright 2005
        (Table(118, 5, 2, 0), -0.0234),  # Gwet 2008, table 1
    ],
)
def test_published_kappas(table: Table, published: float) -> None:
    rounding = 10 ** -len(str(published).partition(".")[2])

    assert kappa(table) == pytest.approx(published, abs=0.51 * rounding)


def test_kappa_by_hand() -> None:
    # 105 rows; agreement 89/105, by chance (62·70 + 43·35)/105² = 5845/11025.
    # (89·105 − 5845)/(11025 − 5845) = 3500/5180 = 25/37.
    assert kappa_exact(Table(58, 4, 12, 31)) == Fraction(25, 37)


@pytest.mark.parametrize("table", ONE_CLASS)
def test_one_class_is_undefined_never_perfect(table: Table) -> None:
    for statistic in (kappa, kappa_exact, kappa_se, kappa_max, lambda t: meets_bar(t, Decimal("0.65"))):
        with pytest.raises(Undefined, match="one and the same verdict"):
            statistic(table)


def test_no_rows_are_undefined() -> None:
    with pytest.raises(Undefined, match="no scored rows"):
        kappa_exact(Table(0, 0, 0, 0))


def test_a_constant_judge_or_constant_people_have_kappa_zero() -> None:
    assert kappa_exact(Table(28, 0, 2, 0)) == 0
    assert kappa_exact(Table(28, 2, 0, 0)) == 0


@pytest.mark.parametrize("bar", [Decimal("0.65"), Fraction(13, 20), 0.65])
def test_exactly_the_bar_meets_it(bar: Decimal | Fraction | float) -> None:
    # 2·(165² − 35²)/(4·200²)·2 = 52000/80000 = 13/20, though floats give 0.6499999999999999.
    at_the_bar, one_row_less = Table(165, 35, 35, 165), Table(165, 35, 36, 164)

    assert meets_bar(at_the_bar, bar)
    assert not meets_bar(one_row_less, bar)
    assert kappa(at_the_bar) == 0.65
    assert band(kappa(at_the_bar)) == "substantial"


@given(tables, st.integers(-100, 100))
def test_the_comparison_is_the_one_of_whole_numbers(table: Table, hundredths: int) -> None:
    numerator = 2 * (table.a * table.d - table.b * table.c)
    denominator = table.n_pass * (table.b + table.d) + (table.a + table.c) * table.n_fail

    assert meets_bar(table, Fraction(hundredths, 100)) == (100 * numerator >= hundredths * denominator)


@given(tables)
def test_kappa_and_its_error_are_those_of_statsmodels(table: Table) -> None:
    with np.errstate(all="ignore"):  # it also computes a test against 0 that constant verdicts do not have
        theirs = cohens_kappa([[table.a, table.b], [table.c, table.d]])

    assert kappa(table) == pytest.approx(theirs.kappa, abs=1e-9)
    assert kappa_se(table) ** 2 == pytest.approx(theirs.var_kappa, abs=1e-9)


@given(tables)
def test_kappa_is_that_of_scikit_learn(table: Table) -> None:
    assert kappa(table) == pytest.approx(cohen_kappa_score(*as_lists(table)), abs=1e-9)


@given(tables)
def test_kappa_knows_no_sides_and_stays_under_its_ceiling(table: Table) -> None:
    assert kappa_exact(table) == kappa_exact(swap_raters(table)) == kappa_exact(swap_classes(table))
    assert -1 <= kappa(table) <= kappa_max(table) <= 1


@given(tables)
def test_the_ceiling_is_reached_when_disagreement_is_only_what_the_pass_rates_force(table: Table) -> None:
    common = min(table.b, table.c)
    paired = Table(table.a + common, table.b - common, table.c - common, table.d + common)

    assert kappa_max(table) == kappa(paired)


def test_published_and_derived_standard_errors() -> None:
    # statpsych ci.kappa prints 0.07344761. With both pass rates ½ the variance is (1 − κ²)/n.
    assert kappa_se(Table(58, 4, 12, 31)) == pytest.approx(0.07344761, abs=5e-9)
    assert kappa_se(Table(165, 35, 35, 165)) == pytest.approx(sqrt((1 - 0.65**2) / 400))
    assert kappa_se(Table(15, 0, 0, 15)) == 0


@pytest.mark.parametrize(
    ("value", "word"),
    [
        (1.0, "strong"),
        (0.8, "strong"),
        (0.799, "substantial"),
        (0.65, "substantial"),
        (0.649, "watch"),
        (0.6, "watch"),
        (0.599, "weak"),
        (-1.0, "weak"),
    ],
)
def test_bands_have_words(value: float, word: str) -> None:
    assert band(value) == word


@pytest.mark.parametrize("cells", [(-1, 0, 0, 0), (0, 0, 0, 1.5), (True, 0, 0, 0), (0, "1", 0, 0)])
def test_cells_are_whole_numbers_of_rows(cells: tuple[int, int, int, int]) -> None:
    with pytest.raises(ValueError, match=r"Cell [a-d] of the table counts rows"):
        Table(*cells)
