"""Kappa with its interval against the bar, as a drawing: every number a position in the picture."""

from dataclasses import dataclass

from judging.services.standing import Standing

_LEFT, _WIDTH = 6, 188  # where kappa 0 is drawn, and how far from it kappa 1


@dataclass(frozen=True)
class IntervalDrawing:
    """Positions from left to right in a picture 200 wide; `words` say the same."""

    kappa: float
    low: float
    high: float
    bar: float
    words: str


def interval_drawing(standing: Standing) -> IntervalDrawing | None:
    """The drawing of a standing; None where kappa does not exist."""
    certificate = standing.certificate
    if certificate is None or certificate.kappa is None:
        return None
    low, high = certificate.interval_low, certificate.interval_high
    if low is None or high is None:
        return None
    bar = f"{standing.bar.normalize():f}"
    words = f"Kappa {certificate.shown_kappa}, 95% interval {low:.3f} to {high:.3f}, bar {bar}"
    if round(high, 3) == round(certificate.kappa, 3) < 1:
        words += " (at these pass rates kappa can be no higher)"
    return IntervalDrawing(_at(certificate.kappa), _at(low), _at(high), _at(float(standing.bar)), words)


def _at(kappa: float) -> float:
    """Kappas below zero are no better than chance, however far: they are drawn at the left end."""
    return round(_LEFT + _WIDTH * min(1.0, max(0.0, kappa)), 1)
