"""The share of outputs that are good, from the share that a judge passes and the errors it makes."""

import math
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist

from labeling.domain.agreement import Interval, Table, Undefined

type Share = Fraction | float

# A judge that tells good from bad by less than this says too little to correct anything by.
LEAST_YOUDEN = Fraction(1, 5)
_BLIND = "The judge hardly tells good from bad, so its pass rate says nothing of what is good."


@dataclass(frozen=True, slots=True)
class PassRate:
    """Shares 0 to 1. `raw`: passed by the judge, of `n` live verdicts. `value`: corrected by the errors on
    `rows` golden rows, with its interval, which holds the doubt of both.
    """

    raw: float
    value: float
    low: float
    high: float
    n: int
    rows: int
    method: str = "Rogan–Gladen, Lang–Reiczigel interval"


def corrected_pass_rate(passed: int, n: int, golden: Table, level: float = 0.95) -> PassRate:
    """What share people would pass, from `passed` of `n` live verdicts and the judge's table.

    It takes for granted that the judge errs on live outputs as it does on golden rows of the same class.
    Raises Undefined without verdicts or without golden rows of both classes, where sensitivity +
    specificity − 1 is below .2, and where such errors cannot give such a rate; ValueError where
    more passed than were judged.
    """
    if not 0 <= passed <= n:
        raise ValueError("Of the live verdicts no fewer than none and no more than all are passes.")
    if n == 0:
        raise Undefined("There are no live verdicts, so there is no pass rate.")
    if 0 in (golden.n_pass, golden.n_fail):
        raise Undefined("Without golden rows of both classes the judge's errors are not known.")
    sensitivity, specificity = Fraction(golden.a, golden.n_pass), Fraction(golden.d, golden.n_fail)
    value = rogan_gladen(Fraction(passed, n), sensitivity, specificity)
    low, high = lang_reiczigel(passed, n, golden, level)
    return PassRate(passed / n, value, low, high, n, golden.n)


def rogan_gladen(raw: Share, sensitivity: Share, specificity: Share) -> float:
    """(raw + Sp − 1)/(Se + Sp − 1), within 0 and 1 (Rogan & Gladen 1978, Am. J. Epidemiol. 107:71).

    Raises Undefined where Se + Sp − 1 (Youden 1950) is below .2; of Fractions that is told exactly.
    """
    youden = sensitivity + specificity - 1
    if youden < LEAST_YOUDEN:
        raise Undefined(_BLIND)
    return _within(float((raw + specificity - 1) / youden))


def lang_reiczigel(passed: int, n: int, golden: Table, level: float = 0.95) -> Interval:
    """Interval of the corrected share where the errors are estimated, too (Lang & Reiczigel 2014, Prev. Vet.
    Med. 113:13). Its counts have pseudo-rows added, so it does not collapse where no error was seen.

    Raises Undefined where Se + Sp − 1, with the pseudo-rows, is not above 0, and where the whole interval
    lies outside 0 and 1, which clipped would be certainty.
    """
    z = NormalDist().inv_cdf((1 + level) / 2)
    total, n_se, n_sp = n + z**2, golden.n_pass + 2, golden.n_fail + 2
    raw, se, sp = (passed + z**2 / 2) / total, (golden.a + 1) / n_se, (golden.d + 1) / n_sp
    youden = se + sp - 1
    if youden <= 0:
        raise Undefined(_BLIND)
    share = (raw + sp - 1) / youden
    of_se, of_sp = se * (1 - se) / n_se, sp * (1 - sp) / n_sp
    shift = 2 * z**2 * (share * of_se - (1 - share) * of_sp)
    spread = math.sqrt(raw * (1 - raw) / total + share**2 * of_se + (1 - share) ** 2 * of_sp) / youden
    low, high = share + shift - z * spread, share + shift + z * spread
    if low >= 1 or high <= 0:
        raise Undefined(
            "The judge passes more, or fewer, than its errors on golden rows allow, so live outputs are not "
            "like those rows."
        )
    return Interval(_within(low), _within(high))


def _within(share: float) -> float:
    return min(1.0, max(0.0, share))
