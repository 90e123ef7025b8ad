"""How far a run is: what its page and the command line show while it runs."""

from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.db.models import Count, F, Q, Sum
from django.utils import timezone

from judging.domain.reasons import KILLED
from judging.models import Run, Verdict

_WINDOW = timedelta(seconds=20)  # the rate is of the last seconds, so that it tells what is, not what was


@dataclass(frozen=True, slots=True)
class Progress:
    """Rows done of all; skips by reason, of the run's own judge and of a panel's jurors.

    `killed`: rows that nobody was asked about because Layer 1 killed them.

    `by_judge`: number of verdicts by outcome, of each judge version asked (by id). `cost` in US dollars, None
    until a price is known; `unpriced` replies are not in it. `rate`: rows per second lately. `seconds_left`:
    None where nothing moves.
    """

    done: int
    total: int
    passed: int
    failed: int
    escalated: int
    killed: int
    skipped: dict[str, int]
    juror_skips: dict[str, int]
    by_judge: dict[int, dict[str, int]]
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
    """The present figures of a run, in one pass over its verdicts."""
    now = timezone.now()
    since = max(now - _WINDOW, run.created_at)
    groups = list(_groups(run, since))
    own = [group for group in groups if group["judge_version"] == run.judge_version_id]
    total = sum(group["n"] for group in own)
    left = sum(group["n"] for group in own if group["outcome"] == "pending")
    lately = sum(group["lately"] for group in own) if left and run.state == Run.State.RUNNING else 0
    rate = lately / max((now - since).total_seconds(), 1.0)
    return Progress(
        done=total - left,
        total=total,
        passed=_count(own, "pass"),
        failed=_count(own, "fail"),
        escalated=_count(own, "escalated"),
        killed=sum(group["n"] for group in own if group["reason"] == KILLED),
        skipped=_skips(own),
        juror_skips=_skips([group for group in groups if group["judge_version"] != run.judge_version_id]),
        by_judge=_by_judge(groups),
        calls=sum(group["n_calls"] or 0 for group in groups),
        cost=_dollars(groups),
        unpriced=sum(group["unpriced"] for group in groups),
        rate=rate,
        seconds_left=round(left / rate) if rate else None,
    )


def _groups(run: Run, since: datetime) -> Any:
    answered = Q(prompt_tokens__isnull=False) | ~Q(answered_model="")
    return (
        Verdict.objects.filter(run=run)
        .values("judge_version", "outcome", "reason")
        .annotate(
            n=Count("pk"),
            n_calls=Sum(F("calls")),
            dollars=Sum("cost"),
            unpriced=Count("pk", filter=answered & Q(cost=None)),
            lately=Count("pk", filter=Q(filled_at__gt=since)),
        )
        .order_by()
    )


def _by_judge(groups: list[dict[str, Any]]) -> dict[int, dict[str, int]]:
    found: dict[int, Counter[str]] = defaultdict(Counter)
    for group in groups:
        found[group["judge_version"]][group["outcome"]] += group["n"]
    return {judge: dict(outcomes) for judge, outcomes in found.items()}


def _count(groups: list[dict[str, Any]], outcome: str) -> int:
    return sum(group["n"] for group in groups if group["outcome"] == outcome)


def _skips(groups: list[dict[str, Any]]) -> dict[str, int]:
    """Number of skipped verdicts by reason, the most frequent first."""
    found: Counter[str] = Counter()
    for group in groups:
        if group["outcome"] == "skipped":
            found[group["reason"]] += group["n"]
    return dict(found.most_common())


def _dollars(groups: list[dict[str, Any]]) -> Decimal | None:
    known = [Decimal(group["dollars"]) for group in groups if group["dollars"] is not None]
    return sum(known, Decimal(0)) if known else None
