"""How exact numbers are written for people: never so that a miss reads like a hit."""

from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from fractions import Fraction

from labeling.domain.figures import many as many


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


def percent(share: float | Fraction, needed: float | Fraction | None = None) -> str:
    """A share as a percentage with one decimal, half up. Rounded down where up would read as `needed`.

    Something is never 0% and not quite all never 100%.
    """
    exact = _hundredfold(share)
    shown = rounded(exact, 1, ROUND_HALF_UP)
    misses = needed is not None and exact < _hundredfold(needed) <= Fraction(shown)
    if misses or (exact < 100 <= shown):
        shown = rounded(exact, 1, ROUND_FLOOR)
    if shown == 0 < exact:
        shown = rounded(exact, 1, ROUND_CEILING)
    return f"{plain(shown)}%"


def percent_interval(low: float, high: float) -> str:
    """Both ends as percentages, rounded outwards, so that the interval never claims more than it holds."""
    ends = rounded(_hundredfold(low), 1, ROUND_FLOOR), rounded(_hundredfold(high), 1, ROUND_CEILING)
    return f"{plain(ends[0])}% to {plain(ends[1])}%"


def _hundredfold(share: float | Fraction) -> Fraction:
    """Without the last digits of a float, which are noise and would push a round number over an edge."""
    return Fraction(round(Fraction(share) * 10**11), 10**9)


def plain(number: Decimal) -> str:
    """A decimal without trailing zeros or an exponent."""
    return f"{number.normalize():f}"


def counted(rows: int, like: int) -> str:
    """Rows with what they are worth: "32 rows that count like 4 rows drawn evenly"; where alike, the rows."""
    found = many(rows, "row")
    if like == rows:
        return found
    return f"{found} that {'counts' if rows == 1 else 'count'} like {many(like, 'row')} drawn evenly"
