"""The life of a certificate as data: the states that readers see, the events, and what may follow from what.

Every event that is added is checked against `TRANSITIONS`; docs/certificate-states.md is written from it.
"""

from collections.abc import Collection, Mapping
from enum import StrEnum

from judging.domain.reasons import CertificateReason


class State(StrEnum):
    """How a judge version stands on a criteria version. To programs all but `certified` are uncertified."""

    NEVER_CALIBRATED = "never_calibrated"
    UNCERTIFIED = "uncertified"
    CERTIFIED = "certified"
    SUSPENDED = "suspended"
    EXPIRED = "expired"


class Event(StrEnum):
    """What a certificate is changed by; the causes of `judging.models.Certificate`."""

    RUN = "run"
    RETRY = "retry"
    GOLDEN_SET = "golden_set"
    POLICY = "policy"
    ORDERING = "ordering"
    REPLAY = "replay"
    DRIFT = "drift"
    PROVIDER_MODEL = "provider_model"
    REINSTATED = "reinstated"
    EXPIRED = "expired"


class ForbiddenChange(RuntimeError):
    """An event led to a state that it must not lead to: an error of Vera's own, and nothing is changed."""


# What suspends: it stays with a certificate until a calibration run, or until the suspension is lifted.
SUSPENDING = frozenset({CertificateReason.DRIFT_ALARM, CertificateReason.PROVIDER_MODEL_CHANGED})

MEANINGS: Mapping[State, str] = {
    State.NEVER_CALIBRATED: "This judge version was never compared with people on this criteria version.",
    State.UNCERTIFIED: "It was measured, and something stands against it that only a new run clears.",
    State.CERTIFIED: "It may gate, until the certificate expires.",
    State.SUSPENDED: (
        "It earned a certificate, and there is reason to doubt that it still judges like that. Two golden "
        "replays in a row that it passes, or a lead with a reason, lift the suspension."
    ),
    State.EXPIRED: "Nothing is against it but its age: it was measured too long ago.",
}

_ANSWERS = (State.CERTIFIED, State.UNCERTIFIED, State.EXPIRED)
_STAYS = {State.UNCERTIFIED: (State.UNCERTIFIED,), State.SUSPENDED: (State.SUSPENDED,)}
# Where time has run out meanwhile, an event that would have left it certified leaves it expired.
_MAY_FALL = _STAYS | {State.CERTIFIED: _ANSWERS, State.EXPIRED: (State.EXPIRED, State.UNCERTIFIED)}
_SUSPENDS = {State.CERTIFIED: (State.SUSPENDED,), State.SUSPENDED: (State.SUSPENDED,)}

# Event → state before → the states that it may lead to. In a state that is not named it does not happen.
TRANSITIONS: Mapping[Event, Mapping[State, tuple[State, ...]]] = {
    Event.RUN: dict.fromkeys(State, _ANSWERS),
    Event.RETRY: _MAY_FALL | {State.UNCERTIFIED: _ANSWERS},
    # That labels were corrected stands against whoever is not certified, so it is never age alone.
    Event.GOLDEN_SET: _STAYS
    | {State.CERTIFIED: (State.CERTIFIED, State.UNCERTIFIED), State.EXPIRED: (State.UNCERTIFIED,)},
    Event.POLICY: _MAY_FALL,
    Event.ORDERING: _MAY_FALL | {State.UNCERTIFIED: _ANSWERS},
    Event.REPLAY: _SUSPENDS,
    Event.DRIFT: _SUSPENDS,
    Event.PROVIDER_MODEL: _SUSPENDS,
    Event.REINSTATED: {State.SUSPENDED: _ANSWERS},
    Event.EXPIRED: {State.CERTIFIED: (State.EXPIRED,)},
}


def state_of(status: str | None, codes: Collection[str], *, over: bool = False) -> State:
    """The state of a certificate with this status and these reason codes; None: there is none.

    `over`: its time has run out. A suspension comes before all else, since it can be lifted.
    """
    if status is None:
        return State.NEVER_CALIBRATED
    if SUSPENDING.intersection(codes):
        return State.SUSPENDED
    if status == State.CERTIFIED:
        return State.EXPIRED if over else State.CERTIFIED
    only_old = set(codes) == {CertificateReason.EXPIRED}
    return State.EXPIRED if only_old else State.UNCERTIFIED


def check_change(before: State, event: str, after: State) -> None:
    """Raise `ForbiddenChange` where the table does not know this change."""
    if after not in TRANSITIONS[Event(event)].get(before, ()):
        raise ForbiddenChange(f"A certificate that is {before} cannot become {after} by the event “{event}”.")


def raises(event: Event) -> bool:
    """Whether the event may certify a judge that was refused: what asks the judge, and nothing else."""
    return State.CERTIFIED in TRANSITIONS[event].get(State.UNCERTIFIED, ())
