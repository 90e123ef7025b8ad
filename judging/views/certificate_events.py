"""The events in a certificate's life as the History page tells them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from judging.domain.certificate_diagram import alike
from judging.domain.certificate_states import MEANINGS, Event, State
from judging.models import Certificate
from judging.services.certificates import recorded_state

_NUMBERS = {
    "bar": "kappa has to reach {}",
    "rule": "the rule is “{}”",
    "min_rows": "at least {} scored rows are needed",
    "min_per_class": "at least {} good and as many bad rows are needed",
    "min_coverage": "a verdict is needed on at least this share of the rows: {}",
    "max_age_days": "a certificate lasts {} days",
    "looks": "the planned looks are at these numbers of rows: {}",
    "n_max": "the plan ends at {} rows",
}
_DEMANDS = {
    "demand_ordering": "that good outputs are scored above deficient ones",
    "demand_human_ceiling": "that people agree with each other",
}
_PLAN = ("looks", "n_max")  # of the rule `bound` alone


@dataclass(frozen=True, slots=True)
class Told:
    """An event. `policy`: what the policy demanded then and had not in the event before, in words."""

    event: Certificate
    state: State
    policy: list[str]
    is_first: bool

    @property
    def is_measured_by_looks(self) -> bool:
        """Whether the rule `bound` took a planned look with it."""
        return self.event.look is not None and self.event.z is not None and self.event.boundary is not None


@dataclass(frozen=True, slots=True)
class Way:
    """What an event leads to, in words, from which states."""

    event: str
    before: str
    after: str


def told(events: Sequence[Certificate], before_them: Certificate | None) -> list[Told]:
    """Events of one pair of versions, the newest first; `before_them`: the one before the last of them."""
    in_order = [*events, before_them]
    return [
        Told(
            event,
            recorded_state(event),
            policy_words(before.policy if before else {}, event.policy),
            is_first=before is None,
        )
        for event, before in pairwise(in_order)
        if event is not None
    ]


def policy_words(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """What is demanded otherwise than before; of a first policy everything that its rule goes by."""
    moved = [key for key in after if before.get(key) != after[key]]
    numbers = [
        words.format(_said(after[key])) + (f" (before: {_said(before[key])})" if key in before else "")
        for key, words in _NUMBERS.items()
        if key in moved and (after.get("rule") == "bound" or key not in _PLAN)
    ]
    demands = [
        f"it is {'demanded' if after[key] else 'no longer demanded'} {words}"
        for key, words in _DEMANDS.items()
        if key in moved and (after[key] or key in before)
    ]
    return numbers + demands


def _said(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    number = str(value)
    return number.rstrip("0").rstrip(".") if "." in number else number


def meanings() -> list[tuple[str, str]]:
    """Each state with what it means."""
    return [(state_words(state), MEANINGS[state]) for state in State]


def ways() -> list[Way]:
    """All that leads from one state to another, as the code checks it."""
    words = dict(Certificate.Cause.choices)
    return [
        Way(words[event], _any_of(befores), _any_of(afters))
        for event in Event
        for afters, befores in alike(event).items()
    ]


def _any_of(states: Sequence[State]) -> str:
    return "any state" if len(states) == len(State) else " or ".join(map(state_words, states))


def state_words(state: State) -> str:
    """A state as people read it."""
    return state.replace("_", " ")
