"""What may come of asking a judge about one candidate."""

from dataclasses import dataclass
from enum import StrEnum


class Outcome(StrEnum):
    """How one question to a judge ended.

    `escalated` is a split panel whose criteria set sends splits to people: a share of its own, neither in
    the table nor in coverage. `not_asked` is a juror whose voice could no longer change the panel's verdict.
    """

    PASS = "pass"  # noqa: S105
    FAIL = "fail"
    SKIPPED = "skipped"
    NOT_ASKED = "not_asked"
    ESCALATED = "escalated"


@dataclass(frozen=True, slots=True)
class Score:
    """One criterion's score, on the criterion's own scale, with the sentence that explains it."""

    name: str
    score: int
    reason: str
