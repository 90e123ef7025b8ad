"""Whether a panel is worth its price: it should agree with people better than each of its jurors alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from judging.domain.figures import rounded
from labeling.domain.agreement import Table, Undefined, kappa_exact, score_interval


@dataclass(frozen=True, slots=True)
class Member:
    """A panel or one of its jurors with what it scored."""

    name: str
    table: Table


@dataclass(frozen=True, slots=True)
class _Measured:
    name: str
    kappa: Fraction
    low: float
    high: float


def panel_worth(panel: Member, jurors: Sequence[Member]) -> str:
    """The panel against its best juror, with the doubt; "" where kappa does not exist."""
    whole, measured = _measured(panel), [found for each in jurors if (found := _measured(each))]
    if whole is None or not measured:
        return ""
    best = max(measured, key=lambda juror: juror.kappa)
    return f"{_compared(whole, best, len(jurors))} {_doubt(whole, best)}"


def _measured(member: Member) -> _Measured | None:
    try:
        return _Measured(member.name, kappa_exact(member.table), *score_interval(member.table))
    except Undefined:
        return None


def _compared(panel: _Measured, best: _Measured, jurors: int) -> str:
    against = f"kappa {rounded(best.kappa, 3)} against {rounded(panel.kappa, 3)}"
    if panel.kappa > best.kappa:
        return f"The panel does better than each juror alone: its best, {best.name}, has {against}."
    word = "better than" if panel.kappa < best.kappa else "as well as"
    return (
        f"Here {best.name} alone does {word} the panel ({against}), with one call a row instead of {jurors}."
    )


def _doubt(panel: _Measured, best: _Measured) -> str:
    if panel.low <= best.high and best.low <= panel.high:
        return "Their 95% intervals overlap, so these rows do not tell which of the two is really better."
    return "Their 95% intervals do not overlap, so that is hardly luck."
