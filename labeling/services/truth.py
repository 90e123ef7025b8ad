"""Telling others that human verdicts changed. Labeling knows no judge: whoever cares registers here."""

from collections.abc import Callable, Collection
from datetime import datetime, timedelta
from functools import partial

from django.db import transaction

from labeling.models import CriteriaVersion, TruthChange

type Listener = Callable[[CriteriaVersion, Collection[int]], None]

listeners: list[Listener] = []
OVERDUE = timedelta(seconds=30)


def truth_changed(*, version: CriteriaVersion, candidate_ids: Collection[int]) -> None:
    """Note the change together with what made it and, once that is committed, tell every listener.

    A listener that fails, or a process that dies before it is told, leaves the note for `tell_overdue`: what
    people said is kept either way, and no certificate stays on an old truth unnoticed.
    """
    if candidate_ids:
        change = TruthChange.objects.create(version=version, candidate_ids=sorted(candidate_ids))
        transaction.on_commit(partial(_tell, change), robust=True)


def tell_overdue(*, now: datetime) -> int:
    """Tell of changes that nobody was told of in time; returns how many. The workers' timer calls it."""
    overdue = list(TruthChange.objects.filter(created_at__lte=now - OVERDUE).select_related("version"))
    for change in overdue:
        _tell(change)
    return len(overdue)


def _tell(change: TruthChange) -> None:
    """Listeners may be told twice of the same change, never not at all."""
    for listener in listeners:
        listener(change.version, change.candidate_ids)
    change.delete()
