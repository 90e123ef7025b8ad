"""Why the rule `bound` does not certify, in sentences: what was found at a look, or when the next one is."""

from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from fractions import Fraction

from judging.domain.attempts import Attempt, Finding
from judging.domain.figures import counted, plain, rounded, shown_kappa
from judging.domain.measured import Measured
from judging.domain.reasons import CertificateReason, Reason


def look_reasons(attempt: Attempt, found: Finding, measured: Measured, bar: Decimal) -> list[Reason]:
    """Empty where the judge was shown to be above the bar and nothing has shown otherwise since."""
    if found.shown:
        return []
    words = [_what(attempt, found, measured, bar)]
    if not found.problem or found.next_look is None:
        words.append(_when(attempt, found, measured))
    return [Reason(CertificateReason.BOUND_BELOW_BAR, _detail(found), " ".join(words))]


def _detail(found: Finding) -> str:
    if found.z is None or found.boundary is None:
        return "no look taken"
    return f"z {_statistic(found.z)} of {_needed(found.boundary)}"


def _what(attempt: Attempt, found: Finding, measured: Measured, bar: Decimal) -> str:
    if found.problem:
        return found.problem
    if found.look is not None:
        return (
            f"At look {found.look} of {len(attempt.plan.looks)}, with "
            f"{counted(measured.n, measured.counts_like())}, kappa is not shown to be above the bar of "
            f"{plain(bar)}: {_numbers(found, bar)}."
        )
    if not attempt.since:
        return "This rule certifies at planned looks only, and no look was taken yet."
    if attempt.holds:
        return (
            f"Kappa was shown to be above the bar of {plain(bar)}, and with the rows as they are now it is "
            f"not: {_numbers(found, bar)}."
        )
    return (
        f"The last look did not show kappa to be above the bar of {plain(bar)}, or a count since took that "
        "back. Between looks an answer may fall and never rise."
    )


def _numbers(found: Finding, bar: Decimal) -> str:
    """The statistic against what it must reach, and the bound that holds at all looks together."""
    assert found.z is not None
    assert found.boundary is not None
    tested = f"its statistic is {_statistic(found.z)} and must reach {_needed(found.boundary)}"
    if found.low is None:
        return tested
    return f"{tested}, and the lower bound that holds at all looks is {shown_kappa(Fraction(found.low), bar)}"


def _when(attempt: Attempt, found: Finding, measured: Measured) -> str:
    """What to do, in a sentence or two."""
    if found.next_look is None:
        if not attempt.taken and found.look is None:
            return (
                "No look is left in this plan. This version of the judge took none of it, so it may begin by "
                "another: plan more rows in the policy, then calibrate again."
            )
        return (
            "No look is left in this plan, and this version of the judge keeps the plan it began with. Plan "
            "more rows in the policy, label fresh ones, and have a new version of the judge begin by it."
        )
    missing = measured.missing(found.next_look)
    if not missing:
        return f"The look at {found.next_look} rows is due: calibrate again."
    if measured.weighted:
        return (
            f"The next look is at {found.next_look} rows drawn evenly, and those there are count like "
            f"{measured.counts_like()}: label about {missing} more, drawn as these were, then calibrate "
            "again."
        )
    return f"The next look is at {found.next_look} scored rows: label {missing} more, then calibrate again."


def _statistic(z: float) -> str:
    """Rounded down, so that a miss never reads like a hit."""
    return str(rounded(Fraction(z), 3, ROUND_FLOOR))


def _needed(boundary: float) -> str:
    return str(rounded(Fraction(boundary), 3, ROUND_CEILING))
