"""The labeling queue: opening slots, and who gets which row next."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import batched, chain

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q

from labeling.models import Candidate, CriteriaVersion, Draw, DrawnRow, Label, Ruling, Slot
from labeling.models.queue import SlotQuerySet
from labeling.services.doubles import by_share, doubles, in_queue, missing
from labeling.services.leases import (
    DRAWN,
    FIRST,
    SECOND,
    NotWanted,
    drop_slots,
    lease,
    lease_time,
    lock_row,
    one_at_a_time,
    one_filler_at_a_time,
)
from labeling.services.repeats import hand_out, is_its_turn, next_repeat, repeats_left, shown_repeat

__all__ = ["DRAWN", "FIRST", "SECOND", "NotWanted", "lease", "one_at_a_time"]

_CHUNK = 500
_FRONT = 300  # open slots that are looked at in order; more would cost more the longer the queue is


@dataclass(frozen=True, slots=True)
class Left:
    """Rows that wait for one labeler: `rows` at the front of the queue, `more` where it goes on."""

    rows: int
    more: bool


@transaction.atomic
def open_slots(
    *,
    version: CriteriaVersion,
    candidate_ids: Collection[int],
    priority: int = 0,
    places: Mapping[int, int] | None = None,
) -> int:
    """Put candidates into the queue, as often as their criteria set wants labels per row.

    Where it wants one, some rows get a second place (see `doubles`). `places` is the order among rows of the
    same priority, by candidate id. Safe to call again: a slot that is there is left alone, or moved up where
    its priority is lower. Returns the number of slots asked for.
    """
    asked = 0
    # In one order, however they come: who adds the same rows at the same moment waits for nobody who waits.
    for chunk in batched(sorted(candidate_ids), _CHUNK):
        wanted = range(1, version.criteria_set.labels_per_row + 1)
        asked += _open(version, dict.fromkeys(chunk, priority), wanted, places or {})
        if doubles(version.criteria_set):
            rows = in_queue(version).filter(pk__in=chunk).values_list("pk", "content_hash")
            asked += _open_second(version, by_share(version.criteria_set, rows))
        if priority:
            _move_up(version, chunk, priority, places or {})
    if candidate_ids and doubles(version.criteria_set):
        asked += sum(_open_second(version, chunk) for chunk in batched(missing(version), _CHUNK))
    return asked


def _open(
    version: CriteriaVersion, rows: Mapping[int, int], numbers: Collection[int], places: Mapping[int, int]
) -> int:
    """Add slots with these numbers to rows, given with their priority, that lack them."""
    slots = [
        Slot(candidate_id=row, version=version, number=number, priority=priority, place=places.get(row, 0))
        for row, priority in rows.items()
        for number in numbers
    ]
    Slot.objects.bulk_create(slots, batch_size=_CHUNK, ignore_conflicts=True)
    return len(slots)


def _open_second(version: CriteriaVersion, candidate_ids: Collection[int]) -> int:
    """Add the second place of rows that have a first one, where that one stands or, labelled, before it."""
    first = Slot.objects.filter(version=version, number=1, candidate__in=candidate_ids)
    stand = {
        row: (priority, place) for row, priority, place in first.values_list("candidate", "priority", "place")
    }
    labels = Label.objects.current().filter(version=version, candidate__in=candidate_ids)
    labelled = set(labels.values_list("candidate", flat=True))
    rows = {row: max(priority, SECOND if row in labelled else 0) for row, (priority, _) in stand.items()}
    return _open(version, rows, [2], {row: place for row, (_, place) in stand.items()})


def _move_up(
    version: CriteriaVersion, candidate_ids: Collection[int], priority: int, places: Mapping[int, int]
) -> set[int]:
    """Raise open slots of these rows that stand lower; returns the rows that moved.

    Locked in one order: two runs that end at the same moment may bring the same rows forward.
    """
    waiting = Slot.objects.filter(version=version, state="open", candidate__in=candidate_ids)
    late = list(waiting.filter(priority__lt=priority).order_by("pk").select_for_update(of=("self",)))
    for slot in late:
        slot.priority, slot.place = priority, places.get(slot.candidate_id, 0)
    Slot.objects.bulk_update(late, ["priority", "place"], batch_size=_CHUNK)
    return {slot.candidate_id for slot in late}


@transaction.atomic
def bring_forward(*, version: CriteriaVersion, candidate_ids: Collection[int]) -> int:
    """Put rows that nobody has ruled on at the top of the queue; returns how many were not there yet.

    Slots that are open move up, whether or not the labels so far agree: their order would tell. A row without
    a slot that nobody has labelled gets as many as its criteria set wants. One that has its labels gets none,
    even where people differ: it waits for a ruling, not for more of them. Safe to call again.
    """
    moved: set[int] = set()
    one_filler_at_a_time(version)
    for chunk in batched(sorted(candidate_ids), _CHUNK):
        rows = Candidate.objects.filter(pk__in=chunk).exclude(pk__in=_ruled_among(version, chunk))
        unseen = rows.unlabelled(version).exclude(slots__version=version)
        new = list(unseen.values_list("pk", flat=True))
        moved |= _move_up(version, list(rows.values_list("pk", flat=True)), FIRST, {})
        open_slots(version=version, candidate_ids=new, priority=FIRST)
        moved.update(new)
    return len(moved)


def _ruled_among(version: CriteriaVersion, candidate_ids: Collection[int]) -> list[int]:
    ruled = Ruling.objects.current().filter(version=version, candidate__in=candidate_ids)
    return list(ruled.values_list("candidate", flat=True))


def close_settled(*, version: CriteriaVersion, candidate_ids: Collection[int], now: datetime) -> int:
    """Take rows out of the queue that were settled elsewhere: by an import or a ruling; returns slots closed.

    Those that were passed on to the leads too. A slot that somebody holds at `now` stays: what they are about
    to decide is not taken from them.
    """
    settled = Candidate.objects.filter(pk__in=candidate_ids).golden(version)
    waiting = Slot.objects.filter(version=version, state__in=[Slot.State.OPEN, Slot.State.LEAD])
    return drop_slots(waiting.free(now).filter(candidate__in=settled.values("pk")))


@transaction.atomic
def next_row(*, version: CriteriaVersion, labeler: User, now: datetime) -> Candidate | None:
    """The row that `labeler` has now: what they hold, else a repeat at its turn, else the next of the queue.

    What was handed out last comes first, so that an undone row comes back. None where nothing is left for
    them, and in a criteria set that is archived.
    """
    if version.criteria_set.archived_at:
        return None
    one_at_a_time(labeler)
    held, repeat = _held(version, labeler), next_repeat(version=version, labeler=labeler, now=now)
    if repeat and repeat.shown_at and not (held and _leased_at(held) > repeat.shown_at):
        return repeat.label.candidate
    if not held and repeat and is_its_turn(repeat):
        return hand_out(repeat, now)
    slot = held or _first_free(version, labeler, now)
    if slot:
        return lease(slot, labeler, now).candidate
    return hand_out(repeat, now) if repeat else None


def _held(version: CriteriaVersion, labeler: User) -> Slot | None:
    held = Slot.objects.filter(version=version, state="open", labeler=labeler).new_to(labeler)
    return held.select_for_update().order_by("-lease_until").first()


def _leased_at(slot: Slot) -> datetime:
    assert slot.lease_until is not None
    return slot.lease_until - lease_time()


def _first_free(version: CriteriaVersion, labeler: User, now: datetime) -> Slot | None:
    """First in order at the fronts of the queue; where these are all their own rows, from where they are.

    Rows of which they saw what others or a judge said come last: their label would count for nothing.
    Thousands of rows that one labeler has done and others have not may stand first: walking past them each
    time would make the queue slower the more they have done.
    """
    fronts = (front for front, _ in _fronts(version))
    for slots in chain(fronts, [_after_their_last(version, labeler)]):
        # Who comes at the same moment is handed the next slot instead of waiting for this one. SQLite knows
        # no row locks and needs none: its immediate transactions come one after the other.
        if slot := _for(labeler, slots, now).blind_to(labeler).select_for_update(skip_locked=True).first():
            return slot
    # Before anybody is told that nothing is left, they wait: a slot that is locked may be free in a moment.
    left = _for(labeler, Slot.objects.queued(version), now).select_for_update()
    return left.blind_to(labeler).first() or left.first()


def _fronts(version: CriteriaVersion) -> Iterator[tuple[SlotQuerySet, bool]]:
    """The open slots at the front, then at the front of what has less priority than where that one ended.

    Each with whether the queue goes on behind it.
    """
    queue = Slot.objects.queued(version)
    below = Q()
    while True:
        front = list(queue.filter(below).values_list("pk", "priority")[:_FRONT])
        yield queue.filter(pk__in=[pk for pk, _ in front]), len(front) == _FRONT
        if len(front) < _FRONT:
            return
        below = Q(priority__lt=front[-1][1])


def _after_their_last(version: CriteriaVersion, labeler: User) -> SlotQuerySet:
    last = Label.objects.filter(version=version, labeler=labeler).order_by("-created_at").first()
    done = last and Slot.objects.filter(version=version, candidate=last.candidate_id, labeler=labeler).first()
    if not done:
        return Slot.objects.none()
    group = Slot.objects.queued(version).filter(priority=done.priority, number=done.number)
    return group.filter(Q(place__gt=done.place) | Q(place=done.place, candidate_id__gt=done.candidate_id))


def _for(labeler: User, slots: SlotQuerySet, now: datetime) -> SlotQuerySet:
    return slots.free(now).new_to(labeler)


def take_slot(*, candidate: Candidate, version: CriteriaVersion, labeler: User, now: datetime) -> Slot:
    """The slot of this row that `labeler` holds or, where they hold none, a free one; the row is locked.

    One that was passed on to the leads is good for a label, too: somebody could decide after all. Raises
    NotWanted where the row has all its labels or others hold the rest.
    """
    row = lock_row(candidate, version)
    wanting = [slot for slot in row if slot.state != Slot.State.DONE]
    mine = [slot for slot in wanting if slot.labeler_id == labeler.pk]
    free = [slot for slot in wanting if slot.lease_until is None or slot.lease_until <= now]
    if not (mine or free):
        raise NotWanted(
            "Your label was not saved: this row went to somebody else while it lay here, and needs no more. "
            "Go on with the next one."
        )
    return (mine or free)[0]


def fit_priority(candidate: Candidate, version: CriteriaVersion) -> None:
    """Have the open slots of a locked row stand where they belong, after a label came or went.

    With a label the row needs another and moves up; without one it goes back to the rest, or to its draw.
    """
    row = Slot.objects.filter(candidate=candidate, version=version, state="open")
    if Label.objects.current().filter(candidate=candidate, version=version).exists():
        row.filter(priority__lt=SECOND).update(priority=SECOND)
    elif row.filter(priority=SECOND).exists():
        drawn = DrawnRow.objects.filter(candidate=candidate, draw__version=version)
        by_lead = drawn.exclude(draw__strategy__in=[Draw.Strategy.IMPORT, Draw.Strategy.AUDIT]).exists()
        row.filter(priority=SECOND).update(priority=DRAWN if by_lead else 0)


@transaction.atomic
def renew_lease(
    *, candidate: Candidate, version: CriteriaVersion, labeler: User, now: datetime
) -> datetime | None:
    """Keep the row for who is still on its page, until the moment returned; None: it is no longer theirs."""
    row = Slot.objects.filter(candidate=candidate, version=version, state="open", labeler=labeler)
    slot = row.select_for_update().first()
    if slot:
        return lease(slot, labeler, now).lease_until
    shown = shown_repeat(candidate=candidate, version=version, labeler=labeler)
    return now + lease_time() if shown else None


def rows_left(*, version: CriteriaVersion, labeler: User, now: datetime) -> Left:
    """How many rows at the front of the queue wait for `labeler`, their present one and repeats included."""
    if version.criteria_set.archived_at:
        return Left(0, more=False)
    repeats = repeats_left(version=version, labeler=labeler, now=now)
    for front, more in _fronts(version):
        rows = (front.filter(labeler=labeler) | front.free(now)).new_to(labeler)
        if count := rows.order_by().values("candidate_id").distinct().count():
            return Left(count + repeats, more)
    return Left(repeats, more)


def rows_waiting(version: CriteriaVersion) -> int:
    """How many rows are in the queue, whoever may label them."""
    return Slot.objects.queued(version).order_by().values("candidate_id").distinct().count()


def rows_of_others(*, version: CriteriaVersion, labeler: User, now: datetime) -> int:
    """How many rows are open only because somebody else holds them at `now`."""
    held = Slot.objects.queued(version).filter(lease_until__gt=now).exclude(labeler=labeler)
    return held.new_to(labeler).order_by().values("candidate_id").distinct().count()
