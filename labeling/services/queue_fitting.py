"""Bringing the queue in line with what a criteria set wants, after its settings changed."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from itertools import batched, groupby
from operator import attrgetter

from django.db.models import Count, Q

from labeling.models import CriteriaSet, CriteriaVersion, Slot
from labeling.services.doubles import by_share, doubles, first_of, in_queue
from labeling.services.leases import SECOND, drop_slots

_CHUNK = 500


@dataclass(frozen=True, slots=True)
class _Changes:
    """Slots to open, and the keys of those to close."""

    new: list[Slot] = field(default_factory=list)
    idle: list[int] = field(default_factory=list)


def fit_queue(criteria_set: CriteriaSet, now: datetime) -> None:
    """Open the slots that rows in the queue now lack; close open ones that nobody holds and nobody needs.

    Rows that were ruled on or passed on to the leads stay as they are, and so does what is left of the
    queues of earlier versions: nobody is given a row of those.
    """
    version = criteria_set.live_version
    if version is None:
        return
    changes = _changes(criteria_set, version, now)
    for chunk in batched(changes.idle, _CHUNK):
        # Asked once more: somebody may have been handed one of them meanwhile.
        drop_slots(Slot.objects.filter(pk__in=chunk, state=Slot.State.OPEN).free(now))
    Slot.objects.bulk_create(changes.new, batch_size=_CHUNK, ignore_conflicts=True)


def _changes(criteria_set: CriteriaSet, version: CriteriaVersion, now: datetime) -> _Changes:
    wanted = _wanted_otherwise(criteria_set, version)
    changes = _Changes()
    for chunk in batched(wanted, _CHUNK):
        for row in _rows(version, chunk):
            idle = [slot for slot in row if slot.state == Slot.State.OPEN and not _is_held(slot, now)]
            surplus = max(len(row) - wanted[row[0].candidate_id], 0)
            changes.idle.extend(slot.pk for slot in reversed(idle[-surplus:] if surplus else []))
            changes.new.extend(_lacking(row, wanted[row[0].candidate_id]))
    return changes


def _wanted_otherwise(criteria_set: CriteriaSet, version: CriteriaVersion) -> dict[int, int]:
    """How many slots are wanted of those rows of the queue that have more or fewer, by row."""
    slots = Count("slots", filter=Q(slots__version=version))
    done = Count("slots", filter=Q(slots__version=version, slots__state=Slot.State.DONE))
    standing = in_queue(version).annotate(slots_there=slots)
    usual = criteria_set.labels_per_row
    if not doubles(criteria_set):
        other = standing.exclude(slots_there=usual).values_list("pk", flat=True)
        return dict.fromkeys(other, usual)
    rows = list(standing.annotate(done=done).values_list("pk", "content_hash", "slots_there", "done"))
    twice = _twice(criteria_set, rows)
    wanted = {pk: 2 if pk in twice else usual for pk, *_ in rows}
    return {pk: wanted[pk] for pk, _, there, _ in rows if there != wanted[pk]}


def _rows(version: CriteriaVersion, candidate_ids: Collection[int]) -> Iterator[list[Slot]]:
    slots = Slot.objects.filter(version=version, candidate__in=candidate_ids)
    ordered = slots.order_by("candidate_id", "number")
    return (list(row) for _, row in groupby(ordered, attrgetter("candidate_id")))


def _is_held(slot: Slot, now: datetime) -> bool:
    return slot.lease_until is not None and slot.lease_until > now


def _lacking(row: list[Slot], wanted: int) -> Iterator[Slot]:
    """The slots that a row lacks: where its open ones stand or, where it has a label, before the rest."""
    taken = {slot.number for slot in row}
    free = (number for number in range(1, wanted + len(row) + 1) if number not in taken)
    labelled = any(slot.state == Slot.State.DONE for slot in row)
    least = SECOND if labelled else 0
    priority = max([least, *(slot.priority for slot in row if slot.state == Slot.State.OPEN)])
    for _ in range(wanted - len(row)):
        yield Slot(
            candidate_id=row[0].candidate_id,
            version_id=row[0].version_id,
            number=next(free),
            priority=priority,
            place=row[0].place,
        )


def _twice(criteria_set: CriteriaSet, rows: Collection[tuple[int, str, int, int]]) -> set[int]:
    """The rows that two people label where one label is wanted: the share, and as many as the set wants.

    Each row with its hash, its slots and how many of these are done. Rows that have two labels already are
    the first to count.
    """
    twice = by_share(criteria_set, ((pk, row_hash) for pk, row_hash, *_ in rows))
    twice.update(pk for pk, *_, done in rows if done > 1)
    lacking = max(criteria_set.double_rows - len(twice), 0)
    rest = ((pk, row_hash) for pk, row_hash, *_ in rows if pk not in twice)
    return twice.union(first_of(criteria_set, rest, lacking))
