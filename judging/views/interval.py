"""Kappa with its interval against the bar, as a drawing: every number a position in the picture."""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

from judging.domain.figures import plain, shown_kappa
from judging.domain.measured import Measured
from judging.services.standing import Standing
from labeling.domain.agreement import Estimate, Table, Undefined, kappa_max

_LEFT, _WIDTH = 10, 240  # where kappa 0 is drawn, and how far from it kappa 1
_LABEL_EDGE = 14  # half of what a label under the axis takes


@dataclass(frozen=True)
class IntervalDrawing:
    """Positions from left to right in a picture 320 wide; `words` say the same.

    `beyond_bar` is how far it is from the bar to kappa 1; `label` where the bar's number is written.
    `capped`: the line ends where kappa can be no higher at the shares that judge and people pass.
    `straddles`: the line begins below the bar and the one-sided lower bound does not.
    """

    kappa: float
    low: float
    high: float
    bar: float
    beyond_bar: float
    label: float
    shown_kappa: str
    shown_low: str
    shown_high: str
    capped: bool
    straddles: bool
    shown_bar: str
    n: int
    words: str


def interval_drawing(standing: Standing) -> IntervalDrawing | None:
    """The drawing of a standing; None where kappa does not exist."""
    certificate = standing.certificate
    if certificate is None or certificate.kappa is None:
        return None
    ends = certificate.interval_low, certificate.interval_high
    if ends[0] is None or ends[1] is None:
        return None
    found = Estimate(certificate.kappa, ends[0], ends[1], certificate.n, "")
    bound = certificate.lower_bound
    most = 1.0 if certificate.calibration.strata else _most(certificate.calibration.table)
    return _drawing(found, certificate.shown_kappa, standing.bar, most, bound)


@lru_cache(maxsize=4096)  # a pure function of the counts, and the dashboard draws every juror each time
def measured_drawing(measured: Measured, bar: Decimal) -> IntervalDrawing | None:
    """The same from counts alone, for a juror beside its panel."""
    try:
        exact, ends = measured.kappa(), measured.interval()
    except Undefined:
        return None
    found = Estimate(float(exact), *ends, measured.n, "")
    most = 1.0 if measured.weighted else kappa_max(measured.table)
    return _drawing(found, shown_kappa(exact, bar), bar, most)


def table_drawing(table: Table, bar: Decimal) -> IntervalDrawing | None:
    """The same of rows that count alike."""
    return measured_drawing(Measured(table), bar)


def drawing_to_explain() -> IntervalDrawing:
    """Made-up numbers for the legend: a judge that just reaches the bar with much doubt left."""
    bar = Decimal("0.65")
    return _drawing(Estimate(0.76, 0.57, 0.89, 60, ""), shown_kappa(Fraction(76, 100), bar), bar, 1.0)


def _most(table: Table) -> float:
    """The largest kappa there; 1, which caps nothing, where kappa does not exist."""
    try:
        return kappa_max(table)
    except Undefined:
        return 1.0


def _drawing(
    found: Estimate, shown: str, bar: Decimal, most: float, bound: float | None = None
) -> IntervalDrawing:
    kappa, low, high, n = found.value, found.low, found.high, found.n
    words = f"Kappa {shown}, 95% interval both ways {low:.3f} to {high:.3f}, bar {plain(bar)}, {n} rows"
    capped = high >= most - 1e-9 and most < 1
    if capped:
        words += " (at the pass rates of these rows kappa can be no higher)"
    at_bar, end = _at(float(bar)), _LEFT + _WIDTH
    return IntervalDrawing(
        kappa=_at(kappa),
        low=_at(low),
        high=_at(high),
        bar=at_bar,
        beyond_bar=round(end - at_bar, 1),
        label=min(max(at_bar, _LEFT + 3 * _LABEL_EDGE), end - 3 * _LABEL_EDGE),
        shown_kappa=shown,
        shown_low=shown_kappa(Fraction(low), bar),
        shown_high=shown_kappa(Fraction(high), bar),
        capped=capped,
        straddles=bound is not None and Fraction(low) < Fraction(bar) <= Fraction(bound),
        shown_bar=plain(bar),
        n=n,
        words=words,
    )


def _at(kappa: float) -> float:
    """Kappas below zero are no better than chance, however far: they are drawn at the left end."""
    return round(_LEFT + _WIDTH * min(1.0, max(0.0, kappa)), 1)
