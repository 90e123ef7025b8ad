"""How far a run is: what its page and the command line show while it runs."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.db.models import Count, F, Q, Sum
from django.utils import timezone

from judging.models import Run, Verdict

_WINDOW = timedelta(seconds=20)  # the rate is of the last seconds, so that it tells what is, not what was


@dataclass(frozen=True, slots=True)
class Progress:
    """Rows done of all; skips by reason, of the run's own judge and of a panel's jurors.

    `cost` in US dollars, None until a price is known; `unpriced` replies are not in it. `rate`: rows per
    second lately. `seconds_left`: None where nothing moves.
    """

    done: int
    total: int
    passed: int
    failed: int
    escalated: int
    skipped: dict[str, int]
    juror_skips: dict[str, int]
    calls: int
    cost: Decimal | None
    unpriced: int
    rate: float
    seconds_left: int | None

    @property
    def percent(self) -> int:
        """Whole per cent done; 100 only when all are."""
        return 100 * self.done // self.total if self.total else 0


def progress(run: Run) -> Progress:
    """The present figures of a run, in two queries."""
    groups = list(_groups(run))
    own = [group for group in groups if group["own"]]
    total = sum(group["n"] for group in own)
    left = sum(group["n"] for group in own if group["outcome"] == "pending")
    rate = _rate(run, timezone.now()) if left and run.state == Run.State.RUNNING else 0.0
    return Progress(
        done=total - left,
        total=total,
        passed=_count(own, "pass"),
        failed=_count(own, "fail"),
        escalated=_count(own, "escalated"),
        skipped=_skips(own),
        juror_skips=_skips([group for group in groups if not group["own"]]),
        calls=sum(group["n_calls"] or 0 for group in groups),
        cost=_dollars(groups),
        unpriced=sum(group["unpriced"] for group in groups),
        rate=rate,
        seconds_left=round(left / rate) if rate else None,
    )


def _groups(run: Run) -> Any:
    answered = Q(prompt_tokens__isnull=False) | ~Q(answered_model="")
    return (
        Verdict.objects.filter(run=run)
        .values("outcome", "reason", own=Q(panel_verdict=None))
        .annotate(
            n=Count("pk"),
            n_calls=Sum(F("calls")),
            dollars=Sum("cost"),
            unpriced=Count("pk", filter=answered & Q(cost=None)),
        )
        .order_by()
    )


def _rate(run: Run, now: datetime) -> float:
    since = max(now - _WINDOW, run.created_at)
    done = Verdict.objects.own().filter(run=run, filled_at__gt=since).count()
    return done / max((now - since).total_seconds(), 1.0)


def _count(groups: list[dict[str, Any]], outcome: str) -> int:
    return sum(group["n"] for group in groups if group["outcome"] == outcome)


def _skips(groups: list[dict[str, Any]]) -> dict[str, int]:
    """Number of skipped verdicts by reason, the most frequent first."""
    found = {group["reason"]: group["n"] for group in groups if group["outcome"] == "skipped"}
    return dict(sorted(found.items(), key=lambda pair: -pair[1]))


def _dollars(groups: list[dict[str, Any]]) -> Decimal | None:
    known = [Decimal(group["dollars"]) for group in groups if group["dollars"] is not None]
    return sum(known, Decimal(0)) if known else None
