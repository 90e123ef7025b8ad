"""How exact numbers are written for people: never so that a miss reads like a hit."""

from decimal import ROUND_FLOOR, ROUND_HALF_EVEN, Decimal
from fractions import Fraction


def shown_kappa(kappa: Fraction | None, bar: Decimal) -> str:
    """Three decimals; rounded down where rounding up would make a kappa below the bar read as the bar."""
    if kappa is None:
        return "undefined"
    shown = rounded(kappa, 3)
    return str(rounded(kappa, 3, ROUND_FLOOR) if kappa < Fraction(bar) <= Fraction(shown) else shown)


def rounded(value: Fraction, places: int, rounding: str = ROUND_HALF_EVEN) -> Decimal:
    """A fraction with that many decimals; `rounding` is one of decimal's modes."""
    exact = Decimal(value.numerator) / Decimal(value.denominator)
    return exact.quantize(Decimal(1).scaleb(-places), rounding=rounding)


def plain(number: Decimal) -> str:
    """A decimal without trailing zeros or an exponent."""
    return f"{number.normalize():f}"
