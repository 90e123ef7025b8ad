"""How a judge orders reference sets, in plain words."""

from collections.abc import Mapping
from decimal import ROUND_CEILING
from fractions import Fraction

from judging.domain.comparison import Changes
from judging.domain.figures import many, percent, rounded
from judging.domain.ordering import Fault

_BY_CHANCE = 0.05  # rarer than this is not put down to chance

FAULTS: Mapping[str, str] = {
    Fault.HIGHER: "A deficient output is scored above a good one.",
    Fault.TIED: "A deficient output is scored like a good one, so the judge does not tell them apart.",
    Fault.PASSED: "A deficient output passes and a good one fails.",
}


def answer(sets: int, violated: int, high: float) -> str:
    """What the sets show, with its doubt. `high`: upper bound of the violated share, 0 to 1."""
    return (
        f"Of {many(sets, 'reference set')} it ordered {sets - violated:,} rightly; up to {of_hundred(high)} "
        "of 100 such sets may go wrong."
    )


def of_hundred(high: float) -> int:
    """A share as so many of a hundred, rounded up."""
    return int(rounded(Fraction(round(100 * high, 7)), 0, ROUND_CEILING))


def doubt(sets: int, violated: int, high: float) -> str:
    """Where the number comes from and how much it says."""
    seen = (
        "No set came out in the wrong order"
        if not violated
        else f"{percent(violated / sets)} of the sets came out in the wrong order"
    )
    more = " With so few sets little is known; make more." if sets < 29 else ""
    return (
        f"{seen}. What may go wrong is an upper bound: if more sets did, so few would be seen to in "
        f"less than one case in twenty (Clopper–Pearson, one-sided, 95 %).{more}"
    )


def auc_words(auc: float, pairs: int) -> str:
    """The AUC, for who does not know the word."""
    return (
        f"Of {many(pairs, 'pair')} of a good and a deficient output to one request, the good one is scored "
        f"higher in {percent(auc)}, ties counted half (AUC {auc:.3f}; 0.5 is what tossing coins gives)."
    )


def summary_line(sets: int, violated: int, left_out: int, high: float | None, auc: float | None) -> str:
    """The one line of `order`."""
    if not sets or high is None:
        told = f"  left out={left_out}" if left_out else ""
        return f"NOT MEASURED  no reference set can be told{told}"
    state = "VIOLATED" if violated else "IN ORDER"
    bound = f"95% upper bound {percent(high)}"
    shown = "undefined" if auc is None else f"{auc:.3f}"
    return f"{state}  sets={sets}  violated={violated} ({bound})  left out={left_out}  AUC={shown}"


def change_words(moved: Changes) -> str:
    """Whether one version orders better than another, or nothing shows that it does."""
    if not moved.n:
        return "No set was told under both versions, so there is nothing to compare."
    if not moved.fixed and not moved.regressed:
        return f"They ordered each of the {many(moved.n, 'set')} alike that could be told under both."
    counts = f"{many(moved.regressed, 'set')} broke and {moved.fixed:,} mended"
    p = moved.chance
    chance = "p < 0.001" if p < 0.001 else f"p = {p:.3f}"
    better = "worse" if moved.net < 0 else "better"
    said = f"So uneven a split is hardly chance: the newer one orders {better}"
    if p >= _BY_CHANCE:
        said = "So even a split may well be chance: nothing shows that one of the two orders better"
    return f"Of {many(moved.n, 'set')} told under both, {counts}. {said} (McNemar's exact test: {chance})."
