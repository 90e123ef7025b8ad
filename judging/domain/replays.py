"""A replay beside the run that certified: what the same judge says of the same rows, then and now."""

from collections.abc import Iterable
from dataclasses import dataclass

from labeling.domain.agreement import mcnemar_exact

_VERDICTS = ("pass", "fail")


@dataclass(frozen=True, slots=True)
class Changes:
    """Rows by what changed. `fixed`: wrong then, right now; `regressed`: right then, wrong now.

    `other`: without a verdict on one of the sides, or no part of the replay.
    """

    fixed: int = 0
    regressed: int = 0
    same: int = 0
    other: int = 0

    @property
    def chance(self) -> float:
        """McNemar's exact test, both ways: how often two equally good judges would differ so unevenly."""
        return mcnemar_exact(self.fixed, self.regressed)


def changes_of(groups: Iterable[tuple[str, str, str | None, int]]) -> Changes:
    """From rows counted by human verdict, outcome then, outcome now (None: not asked)."""
    counts = dict.fromkeys(("fixed", "regressed", "same", "other"), 0)
    for truth, then, now, rows in groups:
        counts[_change(truth, then, now)] += rows
    return Changes(**counts)


def _change(truth: str, then: str, now: str | None) -> str:
    if then not in _VERDICTS or now not in _VERDICTS:
        return "other"
    if then == now:
        return "same"
    return "fixed" if now == truth else "regressed"
