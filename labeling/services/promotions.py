"""What another live version does to gates. Labeling knows no judge: whoever knows one registers here."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet

from labeling.access import AnyUser, led_sets
from labeling.models import AuditEvent, CriteriaSet, CriteriaVersion

NONE_LIVE = 0  # as a number of the live version that somebody saw
_MOST_TOLD = 10


@dataclass(frozen=True, slots=True)
class GateChange:
    """A gate that a promotion touches: one judge on one criteria set.

    `key`: what tells it from the others that the same promotion touches. `certified`: before and after.
    """

    key: int
    judge: str
    criteria: str
    criteria_set_id: int
    before: str  # versions, as slug@N on slug@N
    after: str
    certified: tuple[bool, bool]
    why_not: str = ""  # why the versions after are not certified, where they were measured

    @property
    def closes(self) -> bool:
        return self.certified == (True, False)

    @property
    def opens(self) -> bool:
        return self.certified == (False, True)


class NotPromoted(ValueError):
    """Another version is not made live; the message says why."""


class ClosesGates(NotPromoted):
    """It would close gates that are open now, and nobody confirmed that for these."""

    def __init__(self, gates: Sequence[GateChange]) -> None:
        self.gates = gates
        names = ", ".join(f"{gate.judge} on {gate.criteria}" for gate in gates)
        super().__init__(
            f"Making this live would close what is open now: {names}. "
            "Calibrate the version first, so that it has a certificate of its own."
        )


class ClosesElsewhere(NotPromoted):
    """It would close open gates of sets that whoever asks does not lead; the message names none of them."""

    def __init__(self, count: int) -> None:
        which = "a gate that is" if count == 1 else f"{count} gates that are"
        super().__init__(
            f"Making this live would close {which} open now, on criteria sets that you do not lead. Nothing "
            "is changed. Ask an administrator, who may do it and knows the leads of those sets."
        )


class PromotedMeanwhile(NotPromoted):
    """Somebody else made another version live since the page was loaded."""

    def __init__(self, number: int | None) -> None:
        which = f"version {number}" if number else "no version"
        super().__init__(f"Somebody else was faster: {which} is live now. Look again at what this would do.")


# Called with the version that is to be live; `held`: no certificate may change until the transaction ends.
type Foreteller = Callable[[CriteriaVersion, bool], Sequence[GateChange]]

foretellers: list[Foreteller] = []


def gate_changes(version: CriteriaVersion, *, held: bool = False) -> list[GateChange]:
    """What happens to each gate if `version` is made live."""
    return [change for foretell in foretellers for change in foretell(version, held)]


def check_led(changes: Sequence[GateChange], actor: AnyUser | None) -> None:
    """Raise `ClosesElsewhere` where a gate of a set closes that `actor` does not lead; None: a shell."""
    if actor is None:
        return
    closing = {each.criteria_set_id for each in changes if each.closes}
    led = set(led_sets(actor).filter(pk__in=closing).values_list("pk", flat=True))
    if closing - led:
        raise ClosesElsewhere(len(closing - led))


def check_confirmed(changes: Sequence[GateChange], confirmed: Collection[int] | None) -> None:
    """Raise `ClosesGates` for an open gate that closes and is not confirmed by its key; None: all are."""
    if confirmed is None:
        return
    if closing := [each for each in changes if each.closes and each.key not in confirmed]:
        raise ClosesGates(closing)


def check_unchanged(live: int | None, seen: int | None) -> None:
    """Raise `PromotedMeanwhile` unless the live version is the one somebody saw; None: a shell saw none."""
    if seen is not None and (live or NONE_LIVE) != seen:
        raise PromotedMeanwhile(live)


@dataclass(frozen=True, slots=True)
class Promotion:
    """Who made which version live, and when. `before`: the one that was live until then."""

    number: int
    before: int | None
    by: str
    at: datetime


def promotions_of(criteria_set: CriteriaSet) -> list[Promotion]:
    """The newest promotions of a criteria set's versions, the newest first."""
    return told(AuditEvent.objects.filter(action="criteria_promoted", criteria_set=criteria_set))


def told(events: QuerySet[AuditEvent]) -> list[Promotion]:
    """Recorded promotions as they are read."""
    return [
        Promotion(
            number=event.details["after"],
            before=event.details["before"],
            by=event.actor.username if event.actor else "",
            at=event.created_at,
        )
        for event in events.select_related("actor").order_by("-pk")[:_MOST_TOLD]
    ]


def live_before(promotions: Sequence[Promotion], live: int | None) -> int | None:
    """The version to go back to: the one that was live until `live` was promoted; None: there is none."""
    return next((each.before for each in promotions if each.number == live), None)
