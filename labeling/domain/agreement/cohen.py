"""Cohen's kappa of a 2×2 table, compared with its bar exactly (Cohen 1960, Educ. Psychol. Meas. 20:37)."""

import math
from decimal import Decimal
from fractions import Fraction

from labeling.domain.agreement.tables import Table, Undefined
from labeling.domain.agreement.variance import kappa_variance

_BANDS = ((0.80, "strong"), (0.65, "substantial"), (0.60, "watch"))


def kappa_exact(table: Table) -> Fraction:
    """Kappa as an exact fraction, from −1 to 1.

    Raises Undefined on an empty table and where people and judge give all rows one and the same verdict:
    there chance alone agrees on everything, and 0/0 is neither 1 nor 0.
    """
    table.check_not_empty()
    chance = _chance_disagreement(table)
    if chance == 0:
        raise Undefined("All rows have one and the same verdict from people and judge: kappa is undefined.")
    return Fraction(2 * (table.a * table.d - table.b * table.c), chance)


def kappa(table: Table) -> float:
    """Kappa, rounded once from the exact fraction; raises Undefined as `kappa_exact` does."""
    return float(kappa_exact(table))


def meets_bar(table: Table, bar: Fraction | Decimal | float) -> bool:
    """Whether kappa ≥ bar, compared exactly: [[165, 35], [35, 165]] is 0.65 and meets a bar of 0.65.

    The bar is read as it is written (0.65 is 13/20). Raises Undefined as `kappa_exact` does.
    """
    return kappa_exact(table) >= Fraction(str(bar))


def kappa_se(table: Table) -> float:
    """Standard error of kappa for display (Fleiss, Cohen & Everitt 1969, Psychol. Bull. 72:323).

    Closed formula rather than statsmodels, which takes a second to import. Never build a Wald interval
    on it: with perfect agreement it is 0. Raises Undefined as `kappa_exact` does.
    """
    return math.sqrt(max(0.0, kappa_variance(table.margins, kappa(table))) / table.n)


def kappa_max(table: Table) -> float:
    """Largest kappa that the two pass rates allow; raises Undefined as `kappa_exact` does.

    Source: Umesh, Peterson & Sauber 1989, Educ. Psychol. Meas. 49:835.
    """
    kappa_exact(table)
    gap = abs(table.b - table.c)  # rows that must disagree, whatever the pairing
    return float(1 - Fraction(gap * table.n, _chance_disagreement(table)))


def band(kappa: float) -> str:
    """The word for a kappa: strong, substantial, watch or weak."""
    return next((word for least, word in _BANDS if kappa >= least), "weak")


def _chance_disagreement(table: Table) -> int:
    """n² times the share of disagreements expected by chance from the two pass rates."""
    judge_pass, judge_fail = table.a + table.c, table.b + table.d
    return table.n_pass * judge_fail + judge_pass * table.n_fail
