"""What stands beside kappa on a 2×2 table."""

from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import matthews_corrcoef
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.proportion import proportion_confint

from labeling.domain.agreement import (
    Table,
    Undefined,
    agreement_rate,
    bias_index,
    mcc,
    mcnemar_exact,
    prevalence_index,
    recall,
    worst_case,
)
from labeling.domain.verdicts import HumanVerdict
from tests.domain.tables import as_lists, counts, nonempty_tables, swap_classes, swap_raters, tables

PASS, FAIL = HumanVerdict.PASS, HumanVerdict.FAIL


@pytest.mark.parametrize(
    ("right", "rows", "low", "high"),
    # Exact (Clopper–Pearson) intervals printed in Newcombe 1998, Stat. Med. 17:857, table I.
    [(81, 263, 0.2527, 0.3676), (15, 148, 0.0578, 0.1617), (0, 20, 0.0, 0.1684), (1, 29, 0.0009, 0.1776)],
)
def test_recall_has_the_published_exact_interval(right: int, rows: int, low: float, high: float) -> None:
    estimate = recall(Table(right, rows - right, 3, 4), PASS)

    assert (estimate.low, estimate.high) == pytest.approx((low, high), abs=5e-5)
    assert (estimate.value, estimate.n, estimate.method) == (right / rows, rows, "Clopper–Pearson")


def test_recall_by_hand_is_per_human_class() -> None:
    # All 5 of 5 right: the lower end p solves p⁵ = .025.
    table = Table(6, 2, 0, 5)

    assert recall(table, PASS).value == 6 / 8
    assert recall(table, FAIL).value == 1
    assert recall(table, FAIL).low == pytest.approx(0.025 ** (1 / 5))


def test_recall_of_a_class_without_rows_is_undefined() -> None:
    with pytest.raises(Undefined, match="no row the verdict fail"):
        recall(Table(8, 2, 0, 0), FAIL)


@given(tables.filter(lambda t: t.n_fail > 0))
def test_recall_has_the_interval_of_statsmodels(table: Table) -> None:
    low, high = proportion_confint(table.d, table.n_fail, method="beta")

    estimate = recall(table, FAIL)

    assert (estimate.low, estimate.high) == pytest.approx((low, high), abs=1e-9)
    assert estimate == recall(swap_classes(table), PASS)


@given(nonempty_tables)
def test_the_agreement_rate_is_the_share_of_agreeing_rows_inside_its_interval(table: Table) -> None:
    estimate = agreement_rate(table)

    assert estimate.value == table.agreement == pytest.approx(1 - (table.b + table.c) / table.n)
    assert estimate.low <= estimate.value <= estimate.high
    assert estimate.n == table.n


def test_matthews_correlation_by_hand() -> None:
    # (20·15 − 5·10)/√(25·25·30·20) = 250/612.37
    assert mcc(Table(20, 5, 10, 15)) == pytest.approx(0.4082483)


@pytest.mark.parametrize(
    "constant", [Table(28, 0, 2, 0), Table(28, 2, 0, 0), Table(30, 0, 0, 0), Table(0, 0, 0, 0)]
)
def test_matthews_correlation_of_constant_verdicts_is_none(constant: Table) -> None:
    assert mcc(constant) is None


@given(tables)
def test_matthews_correlation_is_that_of_scikit_learn(table: Table) -> None:
    ours = mcc(table)

    assert (ours or 0.0) == pytest.approx(matthews_corrcoef(*as_lists(table)), abs=1e-9)
    assert ours == mcc(swap_raters(table)) == mcc(swap_classes(table))


def test_indexes_by_hand() -> None:
    # statpsych's table: (58 − 31)/105 and (4 − 12)/105.
    table = Table(58, 4, 12, 31)

    assert prevalence_index(table) == pytest.approx(27 / 105)
    assert bias_index(table) == pytest.approx(-8 / 105)


@given(nonempty_tables)
def test_indexes_turn_with_classes_and_raters(table: Table) -> None:
    assert (
        prevalence_index(swap_classes(table))
        == -prevalence_index(table)
        == -prevalence_index(swap_raters(table))
    )
    assert bias_index(swap_raters(table)) == -bias_index(table) == bias_index(swap_classes(table))


@pytest.mark.parametrize("statistic", [prevalence_index, bias_index, agreement_rate, lambda t: t.agreement])
def test_nothing_is_said_of_an_empty_table(statistic: object) -> None:
    assert callable(statistic)
    with pytest.raises(Undefined, match="no scored rows"):
        statistic(Table(0, 0, 0, 0))


@pytest.mark.parametrize(("b", "c", "published"), [(121, 59, 4e-6), (70, 59, 0.378688)])
def test_mcnemar_published(b: int, c: int, published: float) -> None:
    # VassarStats, quoted in the statsmodels test-suite.
    assert mcnemar_exact(b, c) == pytest.approx(published, abs=6e-7)


def test_mcnemar_by_hand() -> None:
    # Six disagreements, all one way: 2·(1/2)⁶. Nine against two: 2·(1 + 11 + 55)/2¹¹.
    assert mcnemar_exact(0, 6) == pytest.approx(2 / 64)
    assert mcnemar_exact(9, 2) == pytest.approx(2 * (comb(11, 0) + comb(11, 1) + comb(11, 2)) / 2**11)
    assert mcnemar_exact(0, 0) == mcnemar_exact(4, 4) == 1


@given(st.integers(0, 200), st.integers(0, 200))
def test_mcnemar_is_that_of_statsmodels(b: int, c: int) -> None:
    theirs = mcnemar([[5, b], [c, 5]], exact=True).pvalue

    # Theirs counts the middle of an even split twice.
    assert mcnemar_exact(b, c) == pytest.approx(min(1.0, theirs), rel=1e-9)
    assert mcnemar_exact(b, c) == mcnemar_exact(c, b)


@given(tables, counts, counts)
def test_the_worst_case_makes_every_skip_a_disagreement(table: Table, passes: int, fails: int) -> None:
    worst = worst_case(table, skipped_pass=passes, skipped_fail=fails)

    assert (worst.n_pass, worst.n_fail) == (table.n_pass + passes, table.n_fail + fails)
    assert (worst.a, worst.d) == (table.a, table.d)
    assert worst.agreement <= table.agreement
