"""Whether a panel is worth its price: it should agree with people better than each of its jurors alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from judging.domain.figures import many, rounded
from judging.domain.measured import Measured
from judging.domain.panel_errors import SharedErrors, Without
from labeling.domain.agreement import Table, Undefined, kappa_exact


@dataclass(frozen=True, slots=True)
class Member:
    """A panel or one of its jurors with what it scored."""

    name: str
    measured: Measured


@dataclass(frozen=True, slots=True)
class _Found:
    name: str
    kappa: Fraction
    low: float
    high: float


def panel_worth(panel: Member, jurors: Sequence[Member]) -> str:
    """The panel against its best juror, with the doubt; "" where kappa does not exist."""
    whole, alone = _found(panel), [found for each in jurors if (found := _found(each))]
    if whole is None or not alone:
        return ""
    best = max(alone, key=lambda juror: juror.kappa)
    return f"{_compared(whole, best, len(jurors))} {_doubt(whole, best)}"


def _found(member: Member) -> _Found | None:
    try:
        return _Found(member.name, member.measured.kappa(), *member.measured.interval())
    except Undefined:
        return None


def _compared(panel: _Found, best: _Found, jurors: int) -> str:
    against = f"kappa {rounded(best.kappa, 3)} against {rounded(panel.kappa, 3)}"
    if panel.kappa > best.kappa:
        return f"The panel does better than each juror alone: its best, {best.name}, has {against}."
    word = "better than" if panel.kappa < best.kappa else "as well as"
    return (
        f"Here {best.name} alone does {word} the panel ({against}), with one call a row instead of {jurors}."
    )


def _doubt(panel: _Found, best: _Found) -> str:
    if panel.low <= best.high and best.low <= panel.high:
        return "Their 95% intervals overlap, so these rows do not tell which of the two is really better."
    return "Their 95% intervals do not overlap, so that is hardly luck."


def votes_words(found: SharedErrors) -> str:
    """How many jurors that err apart the panel is worth, with the doubt."""
    near = found.votes_interval
    between = f" (95% interval {near.low:.1f} to {near.high:.1f})" if near else ""
    return (
        f"{found.jurors} jurors that err together as much as these are worth about {found.votes:.1f} that "
        f"err apart{between}, by {many(found.n, 'row')}."
    )


def spare_words(panel: Table, rest: Sequence[tuple[str, Without]]) -> str:
    """Which juror could be left out at no loss, by name; "" where the panel's kappa does not exist.

    It may be where the others agree with people at least as well and leave few rows without a majority.
    """
    try:
        whole = kappa_exact(panel)
    except Undefined:
        return ""
    spare = [name for name, without in rest if _can_spare(without, whole)]
    if not spare:
        return (
            "Not one of them could be left out: without it the others agree with people less, or "
            "leave more than one row in twenty undecided."
        )
    who = f"{', '.join(spare[:-1])} or {spare[-1]}" if len(spare) > 1 else spare[0]
    return (
        f"On these rows {who} could be left out: the others agree with people as well, at one call a row "
        "less. The intervals say how sure that is."
    )


def _can_spare(without: Without, whole: Fraction) -> bool:
    """Undecided or unknown rows are no gain: a panel that skips what is hard looks better than it is."""
    lost = without.undecided + without.unknown
    if 20 * lost > without.table.n + lost:
        return False
    try:
        return kappa_exact(without.table) >= whole
    except Undefined:
        return False
