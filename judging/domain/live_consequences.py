"""What a judge's errors come to at the rate at which it passes live outputs, in words with intervals.

From recall per class and the live pass rate b: with the share of good outputs θ = (b + Sp − 1)/(Se + Sp − 1),
of those passed (1 − θ)(1 − Sp)/b are bad and of those refused θ(1 − Se)/(1 − b) are good. The intervals are
quantiles of draws from Beta distributions, each with Jeffreys' half a row added to its counts.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

from judging.domain.consequences import Sentence, Share, about, rests_on, sentences, share
from judging.domain.figures import many, percent
from judging.domain.pass_rate import corrected_pass_rate, rogan_gladen
from labeling.domain.agreement import Interval, Table, Undefined

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray

    type Draws = NDArray[float64]

LEAST_LIVE = 30  # verdicts; fewer say nothing of a rate
_UNEQUAL = (
    "The golden rows were not equally likely to be chosen, so this counts rows and not live outputs, and the "
    "live pass rate is not used."
)
_DRAWS, _SEED = 20_000, 20_250_211


@dataclass(frozen=True, slots=True)
class Live:
    """Of `n` live verdicts in the last `days` days `passed` are passes."""

    passed: int
    n: int
    days: int


@dataclass(frozen=True, slots=True)
class LiveShare:
    """A share 0 to 1 as the counts have it, and its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class LiveConsequences:
    """The two shares that depend on what is live; None where nothing was passed, or nothing refused."""

    bad_among_passed: LiveShare | None
    good_among_refused: LiveShare | None
    method: str = "quantiles of Beta draws"


@lru_cache(maxsize=256)  # a pure function of counts, which a page asks for twice
def live_consequences(live: Live, golden: Table, draws: int = _DRAWS, seed: int = _SEED) -> LiveConsequences:
    """What a judge with this table does to live outputs of which it passes so many.

    It takes for granted what `corrected_pass_rate` does, and raises Undefined where that does.
    """
    corrected_pass_rate(live.passed, live.n, golden)
    se, sp = Fraction(golden.a, golden.n_pass), Fraction(golden.d, golden.n_fail)
    good = rogan_gladen(Fraction(live.passed, live.n), se, sp)
    bad_drawn, good_drawn = _drawn(live, golden, draws, seed)
    bad_passes, good_refusals = (1 - good) * float(1 - sp), good * float(1 - se)
    passes, refusals = good * float(se) + bad_passes, (1 - good) * float(sp) + good_refusals
    return LiveConsequences(
        _share(bad_passes / passes, bad_drawn) if live.passed and passes else None,
        _share(good_refusals / refusals, good_drawn) if live.passed < live.n and refusals else None,
    )


def _share(value: float, drawn: "Draws") -> LiveShare:
    low, high = _quantiles(drawn)
    return LiveShare(value, min(low, value), max(high, value))


def _quantiles(drawn: "Draws") -> Interval:
    import numpy as np

    low, high = np.quantile(drawn, [0.025, 0.975])
    return Interval(float(low), float(high))


def _drawn(live: Live, golden: Table, draws: int, seed: int) -> "tuple[Draws, Draws]":
    """Bad among passed and good among refused, for errors and pass rates as likely as the counts have them.

    A judge drawn so that it tells good from bad no better than luck says nothing of θ; such are left out.
    """
    import numpy as np

    rng = np.random.default_rng(seed)
    se = rng.beta(golden.a + 0.5, golden.b + 0.5, draws)
    sp = rng.beta(golden.d + 0.5, golden.c + 0.5, draws)
    raw = rng.beta(live.passed + 0.5, live.n - live.passed + 0.5, draws)
    tells = se + sp > 1
    se, sp, raw = se[tells], sp[tells], raw[tells]
    good = np.clip((raw + sp - 1) / (se + sp - 1), 0, 1)
    passes = good * se + (1 - good) * (1 - sp)
    return (1 - good) * (1 - sp) / passes, good * (1 - se) / (1 - passes)


def live_sentences(golden: Table, live: Live | None, *, weighted: bool = False) -> list[Sentence]:
    """The consequences in words; where there is a live pass rate, what depends on it goes by that.

    `weighted`: the golden rows were drawn unequally, so their plain counts are no errors on live outputs.
    """
    of_golden = sentences(golden)
    found = None if weighted else _computed(golden, live)
    if found is None:
        return of_golden
    _, refused_of_good, caught = of_golden
    passed, refused = found.bad_among_passed, found.good_among_refused
    of_passed = share(golden.c, golden.a + golden.c)
    of_refused = share(golden.b, golden.b + golden.d)
    return [
        _told("lets through", passed, "bad", of_passed)
        if passed
        else Sentence("It let no live output through."),
        refused_of_good,
        _told("refuses", refused, "good", of_refused) if refused else Sentence("It refused no live output."),
        caught,
    ]


def _told(does: str, live: LiveShare, word: str, golden: Share | None) -> Sentence:
    """The interval as whole numbers, rounded outwards; the counts' own share stands in the doubt."""
    low, high = math.floor(live.low * 100), math.ceil(live.high * 100)
    between = f"{low} to {high}" if low < high else f"about {low}"
    of_100 = Fraction(live.value) * 100
    doubt = f"Most likely {_whole(of_100)}, by its live pass rate and its errors on golden rows."
    if golden:
        doubt += f" {_beside_golden(of_100, golden.per_hundred, word)}"
    return Sentence(f"Of 100 outputs it {does}, {between} are {word}.", doubt)


def _beside_golden(live: Fraction, golden: Fraction, word: str) -> str:
    """How the same share by the golden rows alone differs, and why: more or fewer of them are good."""
    if _whole(live) == _whole(golden):
        return "By the golden rows alone it would be the same."
    often = "more" if (live > golden) == (word == "good") else "less"
    return f"By the golden rows alone it would be {_whole(golden)}: live outputs are good {often} often."


def _whole(exact: Fraction) -> str:
    return "none" if exact == 0 else about(exact)


def live_rests_on(golden: Table, skipped: int, live: Live | None, *, weighted: bool = False) -> str:
    """What the sentences take for granted, and by which pass rate they go: the live or the golden rows'."""
    words = rests_on(golden, skipped)
    if weighted and golden.n:
        return f"{words} {_UNEQUAL}"
    if live is None or golden.n == 0:
        return words
    if live.n < LEAST_LIVE:
        return f"{words} The live pass rate is not used: {_span(live)} it gave {many(live.n, 'verdict')}."
    try:
        live_consequences(live, golden)
    except Undefined as why:
        return f"{words} The live pass rate is not used. {why}"
    passes = percent(Fraction(live.passed, live.n))
    return (
        "What is said of outputs it lets through or refuses goes by its live pass rate: "
        f"{_span(live)} it passed {live.passed:,} of {many(live.n, 'output')} ({passes}). "
        f"Its errors are those on {many(golden.n, 'golden row')}: this holds if it errs on live outputs, "
        "good or bad, as it does there."
    )


def _span(live: Live) -> str:
    return f"in the last {many(live.days, 'day')}"


def _computed(golden: Table, live: Live | None) -> LiveConsequences | None:
    if live is None or live.n < LEAST_LIVE:
        return None
    try:
        return live_consequences(live, golden)
    except Undefined:
        return None
