"""The labeling queue: opening slots, and who gets which next."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import batched

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction

from labeling.models import Candidate, CriteriaVersion, Label, Slot
from labeling.models.queue import SlotQuerySet

FIRST = 100  # the priority of rows that should be labelled before all others
_CHUNK = 500
_FRONT = 300  # open slots that are looked at in order; more would cost more the longer the queue is


class NotWanted(ValueError):
    """The row wants no label of this person now; the text says why and what to do."""


@dataclass(frozen=True, slots=True)
class Left:
    """Rows that wait for one labeler: `rows` at the front of the queue, `more` where it goes on."""

    rows: int
    more: bool


def open_slots(*, version: CriteriaVersion, candidate_ids: Collection[int], priority: int = 0) -> int:
    """Put candidates into the queue, as often as their criteria set wants labels per row.

    Safe to call again: a slot that is there is left alone. Returns the number of slots asked for.
    """
    wanted = range(1, version.criteria_set.labels_per_row + 1)
    slots = [
        Slot(candidate_id=candidate, version=version, number=number, priority=priority)
        for candidate in candidate_ids
        for number in wanted
    ]
    Slot.objects.bulk_create(slots, batch_size=500, ignore_conflicts=True)
    return len(slots)


@transaction.atomic
def bring_forward(*, version: CriteriaVersion, candidate_ids: Collection[int]) -> int:
    """Put rows that people have not settled at the top of the queue; returns how many were not there yet.

    Slots that are open move up; a row without a slot that nobody has labelled gets as many as its criteria
    set wants. A row on which people differ has its labels: it waits for a ruling, not for more of them.
    Safe to call again.
    """
    moved: set[int] = set()
    for chunk in batched(candidate_ids, _CHUNK):
        rows = Candidate.objects.filter(pk__in=chunk).exclude(pk__in=_settled_among(version, chunk))
        waiting = Slot.objects.filter(version=version, state="open", candidate__in=rows)
        # Locked in one order: two runs that end at the same moment may bring the same rows forward.
        late = waiting.filter(priority__lt=FIRST).order_by("pk").select_for_update(of=("self",))
        slots = dict(late.values_list("pk", "candidate_id"))
        Slot.objects.filter(pk__in=slots).update(priority=FIRST)
        unseen = rows.unlabelled(version).exclude(slots__version=version)
        new = list(unseen.values_list("pk", flat=True))
        open_slots(version=version, candidate_ids=new, priority=FIRST)
        moved |= {*slots.values(), *new}
    return len(moved)


def _settled_among(version: CriteriaVersion, candidate_ids: Collection[int]) -> list[int]:
    settled = Candidate.objects.filter(pk__in=candidate_ids).golden(version)
    return list(settled.values_list("pk", flat=True))


def close_settled(*, version: CriteriaVersion, candidate_ids: Collection[int], now: datetime) -> int:
    """Take rows out of the queue that were settled elsewhere, such as by an import; returns slots closed.

    A slot that somebody holds at `now` stays: what they are about to decide is not taken from them.
    """
    settled = Candidate.objects.filter(pk__in=candidate_ids).golden(version)
    idle = Slot.objects.queued(version).free(now).filter(candidate__in=settled.values("pk"))
    return idle.order_by().delete()[0]


def one_at_a_time(labeler: User) -> None:
    """Make this transaction wait for any other act of the same labeler: double clicks and second tabs.

    A row lock on PostgreSQL; on SQLite the immediate transaction is one already.
    """
    User.objects.select_for_update(no_key=True).get(pk=labeler.pk)


@transaction.atomic
def next_slot(*, version: CriteriaVersion, labeler: User, now: datetime) -> Slot | None:
    """The slot that `labeler` holds, else the first free one of a row new to them, leased to them.

    None where nothing is left for them. What they held last comes first, so an undone row comes back.
    """
    one_at_a_time(labeler)
    held = Slot.objects.filter(version=version, state="open", labeler=labeler).new_to(labeler)
    mine = held.select_for_update().order_by("-lease_until").first()
    slot = mine or _first_free(version, labeler, now)
    return lease(slot, labeler, now) if slot else None


def _first_free(version: CriteriaVersion, labeler: User, now: datetime) -> Slot | None:
    """First in order at the front of the queue; where the front is all their own rows, from where they are.

    With several labels per row the front may be thousands of rows that one labeler has done and others have
    not: walking past them each time would make the queue slower the more they have done.
    """
    return (
        _lock_one(_front(version)[0], labeler, now)
        or _lock_one(_after_their_last(version, labeler), labeler, now)
        or _lock_one(Slot.objects.queued(version), labeler, now)
    )


def _front(version: CriteriaVersion) -> tuple[SlotQuerySet, bool]:
    """The open slots at the front, and whether the queue goes on behind them."""
    queue = Slot.objects.queued(version)
    front = list(queue.values_list("pk", flat=True)[:_FRONT])
    return queue.filter(pk__in=front), len(front) == _FRONT


def _after_their_last(version: CriteriaVersion, labeler: User) -> SlotQuerySet:
    last = Label.objects.filter(version=version, labeler=labeler).order_by("-created_at").first()
    done = last and Slot.objects.filter(version=version, candidate=last.candidate_id, labeler=labeler).first()
    if not done:
        return Slot.objects.none()
    group = Slot.objects.queued(version).filter(priority=done.priority, number=done.number)
    return group.filter(candidate_id__gt=done.candidate_id)


def _lock_one(slots: SlotQuerySet, labeler: User, now: datetime) -> Slot | None:
    # SKIP LOCKED: who comes at the same moment is handed the next slot instead of waiting for this one.
    # SQLite knows no row locks and needs none: its immediate transactions come one after the other.
    return slots.free(now).new_to(labeler).select_for_update(skip_locked=True).first()


def take_slot(*, candidate: Candidate, version: CriteriaVersion, labeler: User, now: datetime) -> Slot:
    """The open slot of this row that `labeler` holds or, where they hold none, a free one; locked.

    Raises NotWanted where the row has all its labels or others hold the rest.
    """
    row = Slot.objects.filter(candidate=candidate, version=version, state="open")
    mine = row.filter(labeler=labeler).select_for_update().first()
    slot = mine or row.free(now).select_for_update(skip_locked=True).order_by("number").first()
    if slot is None:
        raise NotWanted(
            "Your label was not saved: this row went to somebody else while it lay here, and needs no more. "
            "Go on with the next one."
        )
    return slot


def lease(slot: Slot, labeler: User, now: datetime) -> Slot:
    """Have `labeler` hold this locked slot from `now` for the length of a lease."""
    slot.labeler = labeler
    slot.lease_until = now + timedelta(seconds=settings.VERA_LABEL_LEASE)
    slot.save(update_fields=["labeler", "lease_until"])
    return slot


def rows_left(*, version: CriteriaVersion, labeler: User, now: datetime) -> Left:
    """How many rows at the front of the queue wait for `labeler`, their present one included."""
    front, more = _front(version)
    rows = (front.filter(labeler=labeler) | front.free(now)).new_to(labeler)
    return Left(rows.order_by().values("candidate_id").distinct().count(), more)


def rows_of_others(*, version: CriteriaVersion, labeler: User, now: datetime) -> int:
    """How many rows are open only because somebody else holds them at `now`."""
    held = Slot.objects.queued(version).filter(lease_until__gt=now).exclude(labeler=labeler)
    return held.new_to(labeler).order_by().values("candidate_id").distinct().count()
