"""What one person says of one candidate: pass or fail, and how a file may spell it."""

import enum
import math

_LONGEST_QUOTE = 40


class HumanVerdict(enum.StrEnum):
    """A person's verdict on one candidate under one criteria version."""

    PASS = "pass"  # noqa: S105
    FAIL = "fail"


_WORDS = {"pass": HumanVerdict.PASS, "fail": HumanVerdict.FAIL, "kill": HumanVerdict.FAIL}


def parse_verdict(word: object) -> HumanVerdict:
    """Read a verdict as files spell it: PASS, FAIL or KILL in any case; KILL counts as fail.

    Raises ValueError with a sentence for any other word or type: a verdict is never guessed.
    """
    verdict = _WORDS.get(word.strip().lower()) if isinstance(word, str) else None
    if verdict is None:
        raise ValueError(f"{_quote(word)} is not a verdict: write PASS or FAIL (KILL counts as FAIL).")
    return verdict


_COMMON = _WORDS | {
    **dict.fromkeys(("passed", "good", "true", "yes", "accept", "accepted", "correct"), HumanVerdict.PASS),
    **dict.fromkeys(("failed", "bad", "false", "no", "reject", "rejected", "incorrect"), HumanVerdict.FAIL),
}
_NUMBERS = {1.0: HumanVerdict.PASS, 0.0: HumanVerdict.FAIL}
_ACCEPTED = (
    "pass or fail, good or bad, true or false, 1 or 0, yes or no, accept or reject, correct or incorrect"
)


def parse_common_verdict(word: object) -> HumanVerdict:
    """Read a verdict as other tools spell it: also yes, good, true, accept, correct, 1 and their opposites.

    Raises ValueError with a sentence for anything else. A number that is neither 1 nor 0 says that the
    numbers are a scale (`on_a_scale`), and then a 1 beside it is no pass either.
    """
    if isinstance(word, str) and (verdict := _COMMON.get(word.strip().lower())):
        return verdict
    number = _number(word)
    if number not in _NUMBERS:
        raise ValueError(f"{_quote(word)} is not a verdict: write {_ACCEPTED}.")
    return _NUMBERS[number]


def on_a_scale(word: object) -> bool:
    """Whether this is a number, and neither 1 nor 0: of a scale, whose 1 must not be read as a pass."""
    return _number(word) not in {None, *_NUMBERS}


def _number(word: object) -> float | None:
    if not isinstance(word, str | int | float):
        return None
    try:
        number = float(word)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _quote(word: object) -> str:
    quoted = ascii(word)
    return quoted if len(quoted) <= _LONGEST_QUOTE else f"{quoted[:_LONGEST_QUOTE]}…"
