"""The labeling queue: opening slots, and who gets which next."""

from collections.abc import Collection

from labeling.models import CriteriaVersion, Slot


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
