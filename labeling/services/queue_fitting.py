"""Bringing the queue in line with what a criteria set wants, after its settings changed."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from itertools import batched, groupby
from operator import attrgetter

from django.db.models import Count, Q

from labeling.models import CriteriaSet, CriteriaVersion, Slot
from labeling.services.doubles import by_share, doubles, first_of, in_queue
from labeling.services.leases import drop_slots
from labeling.services.queue import SECOND

_CHUNK = 500


@dataclass(frozen=True, slots=True)
class _Changes:
    """Slots to open, and the keys of those to close."""

    new: list[Slot] = field(default_factory=list)
    idle: list[int] = field(default_factory=list)


def fit_queue(criteria_set: CriteriaSet, now: datetime) -> None:
    """Open the slots that rows in the queue now lack; close open ones that nobody holds and nobody needs.

    Rows that were ruled on or passed on to the leads stay as they are.
    """
    for version in criteria_set.versions.filter(slots__isnull=False).distinct():
        changes = _changes(criteria_set, version, now)
        for chunk in batched(changes.idle, _CHUNK):
            # Asked once more: somebody may have been handed one of them meanwhile.
            drop_slots(Slot.objects.filter(pk__in=chunk, state=Slot.State.OPEN).free(now))
        Slot.objects.bulk_create(changes.new, batch_size=_CHUNK, ignore_conflicts=True)


def _changes(criteria_set: CriteriaSet, version: CriteriaVersion, now: datetime) -> _Changes:
    twice = _twice(criteria_set, version)
    changes = _Changes()
    for row in _rows(version):
        wanted = 2 if row[0].candidate_id in twice else criteria_set.labels_per_row
        idle = [slot for slot in row if slot.state == Slot.State.OPEN and not _is_held(slot, now)]
        surplus = max(len(row) - wanted, 0)
        changes.idle.extend(slot.pk for slot in reversed(idle[-surplus:] if surplus else []))
        changes.new.extend(_lacking(row, wanted))
    return changes


def _rows(version: CriteriaVersion) -> Iterator[list[Slot]]:
    slots = Slot.objects.filter(version=version, candidate__in=in_queue(version).order_by().values("pk"))
    ordered = slots.order_by("candidate_id", "number").iterator()
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


def _twice(criteria_set: CriteriaSet, version: CriteriaVersion) -> set[int]:
    """The rows that two people label where one label is wanted: the share, and as many as the set wants.

    Rows that have two labels already are the first to count.
    """
    if not doubles(criteria_set):
        return set()
    rows = in_queue(version).values_list("pk", "content_hash")
    done = in_queue(version).annotate(
        done=Count("slots", filter=Q(slots__version=version, slots__state=Slot.State.DONE))
    )
    twice = by_share(criteria_set, rows.iterator())
    twice.update(done.filter(done__gt=1).values_list("pk", flat=True))
    lacking = max(criteria_set.double_rows - len(twice), 0)
    rest = (row for row in rows.iterator() if row[0] not in twice)
    return twice.union(first_of(criteria_set, rest, lacking))
