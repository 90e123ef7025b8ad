"""Coefficients that judge chance differently. Shown under "more"; nothing is decided by them."""

import math

from labeling.domain.agreement.tables import Table


def ac1(table: Table) -> float:
    """Gwet's AC1, −1 to 1 (Gwet 2008, Br. J. Math. Stat. Psychol. 61:29); Undefined on an empty table."""
    chance = _chance(table)
    return (table.agreement - chance) / (1 - chance)


def ac1_se(table: Table) -> float:
    """Standard error of AC1 over rows (Gwet 2008), for display only: with perfect agreement on balanced
    classes it is 0, so no interval is built on it. Raises Undefined on an empty table.
    """
    value, chance, share = ac1(table), _chance(table), sum(table.margins) / 2
    # (rows, agreed?, share of pass among a row's two verdicts)
    cells = ((table.a, 1, 1.0), (table.b + table.c, 0, 0.5), (table.d, 1, 0.0))
    squares = 0.0
    for rows, agreed, passes in cells:
        row_chance = passes * (1 - share) + (1 - passes) * share
        influence = (agreed - chance - 2 * (1 - value) * (row_chance - chance)) / (1 - chance) - value
        squares += rows * influence**2
    return math.sqrt(squares) / table.n


def pabak(table: Table) -> float:
    """Prevalence- and bias-adjusted kappa 2·p_o − 1 (Byrt, Bishop & Carlin 1993); Undefined when empty."""
    return 2 * table.agreement - 1


def _chance(table: Table) -> float:
    share = sum(table.margins) / 2
    return 2 * share * (1 - share)
