"""What stands beside kappa: agreement per class, leniency, and what skips could hide."""

import math

from labeling.domain.agreement.tables import Estimate, Interval, Table, Undefined
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
    from scipy.special import bdtr

    return min(1.0, 2 * float(bdtr(min(b, c), b + c, 0.5)))


def worst_case(table: Table, skipped_pass: int, skipped_fail: int) -> Table:
    """The table as if the judge had been wrong on every row it skipped.

    `skipped_pass` and `skipped_fail` count the skipped rows that people pass and fail.
    """
    return Table(table.a, table.b + skipped_pass, table.c + skipped_fail, table.d)


def exact_interval(right: int, rows: int, level: float = 0.95) -> Interval:
    """Clopper–Pearson interval of a share (1934, Biometrika 26:404); `rows` is at least 1.

    From the beta quantiles: scipy.stats has it too and takes seconds to import.
    """
    from scipy.special import betaincinv

    tail = (1 - level) / 2
    low = float(betaincinv(right, rows - right + 1, tail)) if right else 0.0
    high = float(betaincinv(right + 1, rows - right, 1 - tail)) if right < rows else 1.0
    return Interval(low, high)


def _share(right: int, rows: int, level: float) -> Estimate:
    return Estimate(right / rows, *exact_interval(right, rows, level), rows, _EXACT)
