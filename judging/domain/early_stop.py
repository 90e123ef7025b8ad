"""Asking a panel's jurors one after another, and no further than the verdict needs."""

from collections.abc import Sequence

from judging.domain.aggregation import OnSplit
from judging.domain.verdicts import Outcome

SIDES = (Outcome.PASS, Outcome.FAIL)


def may_stop(jurors: int, answers: Sequence[str], on_split: OnSplit = "majority") -> bool:
    """Whether the rest may be left unasked: nothing they could say would change outcome or reason.

    `jurors`: how many are configured. `answers`: the outcomes so far, in whichever order; all that is
    neither pass nor fail is a juror without a verdict. Where splits go to people, everybody is asked: a
    later juror may make the split.
    """
    left = jurors - len(answers)
    if left <= 0:
        return True
    if on_split == "human":
        return False
    votes = [answers.count(side) for side in SIDES]
    decided = any(2 * count > jurors for count in votes)
    undecidable = all(2 * (count + left) <= jurors for count in votes)
    return decided or undecidable


def ask_next(jurors: int, answers: Sequence[str], on_split: OnSplit = "majority") -> int:
    """How many more to ask at once: as many as are sure to be needed, whatever each says; 0 at the end.

    Of a panel that answers it is at first what makes a majority, then what the leading side lacks. Asked like
    this, nobody is asked who would not have been asked one after another. Arguments as for `may_stop`.
    """
    left = jurors - len(answers)
    if may_stop(jurors, answers, on_split):
        return 0
    if on_split == "human":
        return left
    leading = max(answers.count(side) for side in SIDES)
    lacking = jurors // 2 + 1 - leading
    may_fail = left - lacking  # so many without a verdict still leave a majority possible
    return min(lacking, may_fail + 1)


def asked_in_turn(answers: Sequence[str], on_split: OnSplit = "majority") -> int:
    """How many of a panel's jurors, who would answer so in this order, are asked before one may stop."""
    asked = 0
    while not may_stop(len(answers), answers[:asked], on_split):
        asked += 1
    return asked
