"""Telling others that a set's policy changes. Labeling knows no judge: whoever knows one registers here."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from labeling.access import AnyUser
from labeling.models import CriteriaSet

POLICY = (
    *("rule", "bar", "min_rows", "min_per_class", "min_coverage", "max_age_days"),
    *("demand_ordering", "demand_human_ceiling", "looks", "n_max"),
)


@dataclass(frozen=True, slots=True)
class Consequence:
    """One thing that a change would do, in a sentence, and a sentence for each whom it concerns.

    `closes`: somebody may no longer gate.
    """

    words: str
    each: tuple[str, ...] = ()
    closes: bool = False


# Called with the set as it is now, in the transaction that changed it.
type Listener = Callable[[CriteriaSet, AnyUser | None], None]
# Called with the set as it would be, which is not saved: says what that would do.
type Foreteller = Callable[[CriteriaSet], Sequence[Consequence]]

listeners: list[Listener] = []
foretellers: list[Foreteller] = []


def policy_changed(*, criteria_set: CriteriaSet, actor: AnyUser | None) -> None:
    """Tell every listener. One that fails takes the change back: policy and certificates change together."""
    for listener in listeners:
        listener(criteria_set, actor)


def foretold(criteria_set: CriteriaSet) -> list[Consequence]:
    """What the policy of this set, as it is in memory, would do if it were saved."""
    return [each for foretell in foretellers for each in foretell(criteria_set)]
