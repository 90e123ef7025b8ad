"""What stands first, and who holds which row: one act of a labeler at a time, locks taken in one order.

First the criteria set or the labeler, then the slots of one or more rows by their keys. Whoever keeps to
that never waits for somebody who waits for them.
"""

from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import QuerySet

from labeling.models import Candidate, CriteriaSet, CriteriaVersion, Slot
from labeling.models.queue import SlotQuerySet

# Priorities of slots: the higher comes first.
FIRST = 100  # escalated splits, audits and what a lead put back
SECOND = 50  # rows that have a label and need another
DRAWN = 10  # rows of a lead's draw; all others have 0


class NotWanted(ValueError):
    """The row wants no label of this person now; the text says why and what to do."""


def one_at_a_time(labeler: User) -> None:
    """Make this transaction wait for any other act of the same labeler: double clicks and second tabs.

    A row lock on PostgreSQL; on SQLite the immediate transaction is one already.
    """
    User.objects.select_for_update(no_key=True).get(pk=labeler.pk)


def one_filler_at_a_time(version: CriteriaVersion) -> None:
    """Make this transaction wait for any other that draws rows of the criteria set or brings them forward.

    They hold slots of many rows, some new, some there: no one order of both keeps them from each other's way.
    """
    CriteriaSet.objects.select_for_update(no_key=True).get(pk=version.criteria_set_id)


def lock_row(candidate: Candidate, version: CriteriaVersion) -> list[Slot]:
    """The slots of one row by number, locked: whoever decides about the row takes turns."""
    slots = Slot.objects.filter(candidate=candidate, version=version)
    return sorted(slots.select_for_update().order_by("pk"), key=lambda slot: slot.number)


def lock_rows(version: CriteriaVersion, candidates: QuerySet[Any, Any]) -> list[int]:
    """Lock all slots of these rows, in the order in which everybody locks them; the rows' ids."""
    slots = Slot.objects.filter(version=version, candidate__in=candidates).order_by("pk")
    return sorted(set(slots.select_for_update(of=("self",)).values_list("candidate_id", flat=True)))


def drop_slots(slots: SlotQuerySet) -> int:
    """Delete these slots, locked in the order in which everybody locks them; how many."""
    locked = slots.order_by("pk").select_for_update(of=("self",)).values_list("pk", flat=True)
    return Slot.objects.filter(pk__in=list(locked)).delete()[0]


def lease(slot: Slot, labeler: User, now: datetime) -> Slot:
    """Have `labeler` hold this locked slot from `now` for the length of a lease."""
    slot.labeler = labeler
    slot.lease_until = now + lease_time()
    slot.save(update_fields=["labeler", "lease_until"])
    return slot


def lease_time() -> timedelta:
    """How long a row is kept for somebody of whom nothing is heard."""
    return timedelta(seconds=settings.VERA_LABEL_LEASE)


def check_not_archived(version: CriteriaVersion) -> None:
    """Raise NotWanted where the criteria set takes no more labels."""
    if version.criteria_set.archived_at:
        raise NotWanted(
            f"“{version.criteria_set.name}” is archived and takes no more labels: nothing was changed. "
            "Ask one of its leads to bring it back, or go on in another criteria set."
        )
