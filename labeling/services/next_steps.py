"""What a lead does next in a criteria set. Labeling knows no judge: whoever knows one registers here."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from labeling.models import CriteriaSet
from labeling.services.counts import Counts


@dataclass(frozen=True, slots=True)
class NextStep:
    """One thing to do, as a button says it, and where. `why`: what is there, in a sentence."""

    text: str
    url: str
    why: str = ""


type Adviser = Callable[[Sequence[CriteriaSet], Mapping[int, Counts]], Mapping[int, NextStep]]

advisers: list[Adviser] = []


def next_steps(criteria_sets: Sequence[CriteriaSet], counts: Mapping[int, Counts]) -> dict[int, NextStep]:
    """By the set's id; a set where nothing is left to do is left out."""
    found: dict[int, NextStep] = {}
    for adviser in advisers:
        found |= adviser(criteria_sets, counts) if criteria_sets else {}
    return found
