"""What one person says of one candidate: pass or fail, and how a file may spell it."""

import enum

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


def _quote(word: object) -> str:
    quoted = ascii(word)
    return quoted if len(quoted) <= _LONGEST_QUOTE else f"{quoted[:_LONGEST_QUOTE]}…"
