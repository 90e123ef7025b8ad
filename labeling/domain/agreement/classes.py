"""What stands beside kappa: agreement per class, leniency, and what skips could hide."""

import math

from labeling.domain.agreement.tables import Estimate, Table, Undefined
from labeling.domain.verdicts import HumanVerdict

_EXACT = "Clopper–Pearson"


def agreement_rate(table: Table, level: float = 0.95) -> Estimate:
    """Share of rows on which people and judge agree, with its exact interval; Undefined on an empty table."""
    table.check_not_empty()
    return _share(table.a + table.d, table.n, level)


def recall(table: Table, human_class: HumanVerdict, level: float = 0.95) -> Estimate:
    """Share of the rows of one human class on which the judge says the same, with its exact interval.

    Raises Undefined where people gave no row this verdict.
    """
    if human_class == HumanVerdict.PASS:
        right, rows = table.a, table.n_pass
    else:
        right, rows = table.d, table.n_fail
    if rows == 0:
        raise Undefined(f"People gave no row the verdict {human_class.value}, so its recall is undefined.")
    return _share(right, rows, level)


def mcc(table: Table) -> float | None:
    """Matthews correlation, −1 to 1; None (not 0) where people or judge gave only one verdict."""
    product = table.n_pass * table.n_fail * (table.a + table.c) * (table.b + table.d)
    if product == 0:
        return None
    return (table.a * table.d - table.b * table.c) / math.sqrt(product)


def prevalence_index(table: Table) -> float:
    """(a − d)/n: how far common passes outweigh common fails, −1 to 1 (Byrt, Bishop & Carlin 1993)."""
    table.check_not_empty()
    return (table.a - table.d) / table.n


def bias_index(table: Table) -> float:
    """(b − c)/n: people's pass rate minus the judge's; negative = lenient judge (Byrt et al. 1993)."""
    table.check_not_empty()
    return (table.b - table.c) / table.n


def mcnemar_exact(b: int, c: int) -> float:
    """Two-sided exact p-value that the two kinds of disagreement are equally likely; 1.0 where there is none.

    Source: McNemar 1947, Psychometrika 12:153, with the binomial distribution.
    """
    if b + c == 0:
        return 1.0
    from scipy.stats import binomtest

    return float(binomtest(b, b + c, 0.5).pvalue)


def worst_case(table: Table, skipped_pass: int, skipped_fail: int) -> Table:
    """The table as if the judge had been wrong on every row it skipped.

    `skipped_pass` and `skipped_fail` count the skipped rows that people pass and fail.
    """
    return Table(table.a, table.b + skipped_pass, table.c + skipped_fail, table.d)


def _share(right: int, rows: int, level: float) -> Estimate:
    from scipy.stats import binomtest

    interval = binomtest(right, rows).proportion_ci(level, method="exact")
    return Estimate(right / rows, float(interval.low), float(interval.high), rows, _EXACT)
