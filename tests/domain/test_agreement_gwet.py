"""AC1 and PABAK, shown under "more"."""

from math import sqrt

import pytest
from hypothesis import given

from labeling.domain.agreement import Table, Undefined, ac1, ac1_se, pabak
from tests.domain.tables import nonempty_tables, swap_classes, swap_raters


def test_ac1_by_hand() -> None:
    # Gwet 2008, table 1: agreement .944; q = (123 + 120)/250 = .972, p_e = 2·.972·.028 = .054432.
    assert ac1(Table(118, 5, 2, 0)) == pytest.approx((0.944 - 0.054432) / (1 - 0.054432))


def test_ac1_and_its_error_are_kappas_where_both_pass_half() -> None:
    # Chance is ½ for both coefficients then, and the variance (1 − .65²)/n.
    table = Table(165, 35, 35, 165)

    assert ac1(table) == pytest.approx(0.65)
    assert ac1_se(table) == pytest.approx(sqrt((1 - 0.65**2) / 400))


def test_the_error_of_ac1_matches_the_one_irrcac_prints() -> None:
    assert ac1_se(Table(58, 4, 12, 31)) == pytest.approx(0.0682905742, abs=1e-9)


@given(nonempty_tables)
def test_ac1_knows_no_sides_and_is_1_only_with_perfect_agreement(table: Table) -> None:
    assert ac1(table) == pytest.approx(ac1(swap_raters(table))) == pytest.approx(ac1(swap_classes(table)))
    assert (ac1(table) == 1) == (table.b + table.c == 0)
    assert ac1_se(table) >= 0


@given(nonempty_tables)
def test_pabak_is_agreement_stretched_from_minus_1_to_1(table: Table) -> None:
    assert pabak(table) == pytest.approx((table.a + table.d - table.b - table.c) / table.n)


@pytest.mark.parametrize("statistic", [ac1, ac1_se, pabak])
def test_nothing_is_said_of_an_empty_table(statistic: object) -> None:
    assert callable(statistic)
    with pytest.raises(Undefined, match="no scored rows"):
        statistic(Table(0, 0, 0, 0))
