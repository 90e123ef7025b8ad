"""The events in a certificate's life as the History page tells them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from judging.domain.certificate_diagram import alike
from judging.domain.certificate_states import MEANINGS, Event, State
from judging.models import Certificate
from judging.services.certificates import recorded_state

_NAMES = {
    "bar": "the bar of kappa",
    "rule": "the rule",
    "min_rows": "rows asked for",
    "min_per_class": "rows of each kind asked for",
    "min_coverage": "share of rows with a verdict asked for",
    "max_age_days": "days until it expires",
    "demand_ordering": "ordering test demanded",
    "demand_human_ceiling": "agreement between people demanded",
    "looks": "planned looks, in rows",
    "n_max": "rows of the last look",
}
_PLAN = ("looks", "n_max")  # of the rule `bound` alone


@dataclass(frozen=True, slots=True)
class Told:
    """An event. `policy`: what the policy demanded then and had not in the event before, in words."""

    event: Certificate
    state: State
    policy: list[str]

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
        Told(event, recorded_state(event), policy_words(before.policy if before else {}, event.policy))
        for event, before in pairwise(in_order)
        if event is not None
    ]


def policy_words(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """What is demanded otherwise than before; of a first policy everything that its rule goes by."""
    return [
        f"{name} {_said(after[key])}" + (f" instead of {_said(before[key])}" if key in before else "")
        for key, name in _NAMES.items()
        if key in after
        and before.get(key) != after[key]
        and (after.get("rule") == "bound" or key not in _PLAN)
    ]


def _said(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
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
