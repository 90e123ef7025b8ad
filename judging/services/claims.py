"""Claims: which worker holds which rows, for how long, and what becomes of rows that kill their workers.

Leases are told by the database's clock, so that workers whose own clocks differ agree on who holds what.
A claim counts an attempt. A row that was given back was not attempted, so giving back takes the count back;
what remains counts the workers that died with the row.
"""

from collections.abc import Collection
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.db.models.expressions import CombinedExpression
from django.db.models.functions import Now

from judging.domain.reasons import SkipReason
from judging.models import Run, Verdict
from judging.services.budget import affordable
from judging.services.filling import skip_rows
from judging.services.plans import Plan

MOST_ATTEMPTS = 3
# A row that was twice held by a worker that died is judged alone, so that no innocent neighbour is counted.
_SUSPECT = 2


def claim(plan: Plan, worker: str, limit: int) -> list[int]:
    """Claim up to `limit` unsuspected rows; their own verdicts' ids. Fewer where a budget allows fewer."""
    return _claim(plan, worker, limit, claims__lt=_SUSPECT)


def claim_suspect(plan: Plan, worker: str) -> list[int]:
    """Claim one row that two workers died with."""
    return _claim(plan, worker, 1, claims__gte=_SUSPECT, claims__lt=MOST_ATTEMPTS)


@transaction.atomic
def _claim(plan: Plan, worker: str, limit: int, **which: int) -> list[int]:
    if not Run.objects.filter(pk=plan.run_id, state=Run.State.RUNNING).exists():
        return []
    limit = affordable(plan, limit)
    free = Verdict.objects.claimable(Now()).filter(run=plan.run_id, **which)
    # SQLite knows no row locks and needs none: its write transactions take turns.
    found = free.select_for_update(skip_locked=True).order_by().values_list("pk", flat=True)[:limit]
    claimed = sorted(found)
    if claimed:
        Verdict.objects.filter(pk__in=claimed).update(
            claimed_by=worker, lease_until=_lease_end(), claims=F("claims") + 1
        )
    return claimed


def _lease_end() -> CombinedExpression:
    return Now() + timedelta(seconds=settings.VERA_CLAIM_LEASE)


def renew(worker: str, rows: Collection[int]) -> int:
    """Hold on to rows in work; returns how many are still this worker's."""
    held = Verdict.objects.pending().filter(pk__in=rows, claimed_by=worker)
    return held.update(lease_until=_lease_end())


def release(worker: str, rows: Collection[int], *, attempted: bool = False) -> int:
    """Give rows back for others to take at once. `attempted`: the count of attempts stays."""
    held = Verdict.objects.pending().filter(pk__in=rows, claimed_by=worker)
    return held.update(claimed_by="", lease_until=None, claims=F("claims") - (0 if attempted else 1))


def park_lost(run_id: int) -> int:
    """Set aside the rows that a third worker died with; returns how many."""
    lost = Verdict.objects.claimable(Now()).filter(run=run_id, claims__gte=MOST_ATTEMPTS)
    return skip_rows(lost, SkipReason.WORKER_LOST) if lost.exists() else 0
