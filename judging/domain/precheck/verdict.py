"""The two things Layer 1 can say. There is no third."""

from dataclasses import dataclass
from enum import StrEnum


class Layer1(StrEnum):
    """What Layer 1 says of a candidate: it is certainly a failed run, or nothing at all."""

    KILL = "KILL"
    ABSTAIN = "ABSTAIN"


@dataclass(frozen=True, slots=True)
class Kill:
    """A check's finding: one clause that says what proves the failure."""

    reason: str

    def __post_init__(self) -> None:
        if not self.reason.strip():
            raise ValueError("A kill needs a reason: say what in the text proves the failed run.")
