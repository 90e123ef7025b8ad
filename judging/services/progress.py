"""How far a run is: what its page and the command line show while it runs."""

from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.db.models import Count, F, Q, Sum
from django.utils import timezone

from judging.domain.reasons import KILLED
from judging.models import Run, SkippedAttempt, Verdict
from judging.services.costs import REPLIED

_WINDOW = timedelta(seconds=20)  # the rate is of the last seconds, so that it tells what is, not what was


@dataclass(frozen=True, slots=True)
class Saved:
    """Calls that were not needed: to jurors about rows that Layer 1 had killed, to jurors whose panel had its
    verdict without them, and about questions that had been answered already.

    `cost`: what they would have cost in US dollars, each at the average price of its own juror's answers in
    this run; None where no such answer had a known price.
    """

    killed: int
    decided: int
    reused: int
    cost: Decimal | None

    @property
    def calls(self) -> int:
        return self.killed + self.decided + self.reused


@dataclass(frozen=True, slots=True)
class Progress:
    """Rows done of all; skips by reason, of the run's own judge and of a panel's jurors.

    `killed`: rows that nobody was asked about because Layer 1 killed them.

    `by_judge`: number of verdicts by outcome, or "killed", of each judge version asked (by id). `cost` in US
    dollars, None until a price is known; `unpriced` replies are not in it. `rate`: rows per second lately.
    `seconds_left`: None where nothing moves. `calls` hold the `corrections` (re-asked once, to correct a
    reply) and the `resends` after a failure on the way, and like `cost` what was spent before answers were
    asked for again.
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
    corrections: int
    resends: int
    saved: Saved
    rate: float
    seconds_left: int | None

    @property
    def percent(self) -> int:
        """Whole per cent done; 100 only when all are."""
        return 100 * self.done // self.total if self.total else 0

    @property
    def skips(self) -> int:
        """Questions without an answer that counts: to the run's own judge, and to a panel's jurors."""
        return sum(self.skipped.values()) + sum(self.juror_skips.values())

    @property
    def cost_per_decision(self) -> Decimal | None:
        """US dollars for each row that came out pass, fail or sent to people; None where it is not known."""
        decisions = self.passed + self.failed + self.escalated
        return self.cost / decisions if self.cost is not None and decisions and not self.unpriced else None


def progress(run: Run) -> Progress:
    """The present figures of a run, in one pass over its verdicts."""
    now = timezone.now()
    since = max(now - _WINDOW, run.created_at)
    groups = list(_groups(run, since))
    own = [group for group in groups if group["judge_version"] == run.judge_version_id]
    before = _spent_before(run)
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
        calls=sum(group["n_calls"] or 0 for group in [*groups, before]),
        cost=_dollars([*groups, before]),
        unpriced=sum(group["unpriced"] for group in groups),
        corrections=sum(group["n_corrections"] or 0 for group in groups),
        resends=sum(group["n_resends"] or 0 for group in groups),
        saved=_saved([group for group in groups if group["kind"] == Verdict.Kind.JUROR]),
        rate=rate,
        seconds_left=round(left / rate) if rate else None,
    )


def _groups(run: Run, since: datetime) -> Any:
    return (
        Verdict.objects.filter(run=run)
        .values("kind", "judge_version", "outcome", "reason")
        .annotate(
            n=Count("pk"),
            n_calls=Sum(F("calls")),
            dollars=Sum("cost"),
            priced=Count("cost", filter=Q(reused_from=None)),
            n_corrections=Sum("corrections"),
            n_resends=Sum("resends"),
            n_reused=Count("reused_from"),
            unpriced=Count("pk", filter=REPLIED & Q(reused_from=None, cost=None)),
            lately=Count("pk", filter=Q(filled_at__gt=since)),
        )
        .order_by()
    )


def _spent_before(run: Run) -> dict[str, Any]:
    """What the attempts took that were asked for again since."""
    attempts = SkippedAttempt.objects.filter(verdict__run=run)
    return attempts.aggregate(n_calls=Sum("calls"), dollars=Sum("cost"))


def _saved(jurors: list[dict[str, Any]]) -> Saved:
    unasked = [group for group in jurors if group["outcome"] == Verdict.Outcome.NOT_ASKED]
    killed = sum(group["n"] for group in unasked if group["reason"] == KILLED)
    decided = sum(group["n"] for group in unasked) - killed
    return Saved(killed, decided, sum(group["n_reused"] for group in jurors), _cost_saved(jurors))


def _cost_saved(jurors: list[dict[str, Any]]) -> Decimal | None:
    total = Decimal(0)
    for judge in {group["judge_version"] for group in jurors}:
        mine = [group for group in jurors if group["judge_version"] == judge]
        unasked = sum(group["n"] for group in mine if group["outcome"] == Verdict.Outcome.NOT_ASKED)
        saved = unasked + sum(group["n_reused"] for group in mine)
        if not saved:
            continue
        priced = sum(group["priced"] for group in mine)  # what was taken over cost nothing and is not in it
        if not priced:
            return None
        total += saved * (_dollars(mine) or Decimal(0)) / priced
    return total


def _by_judge(groups: list[dict[str, Any]]) -> dict[int, dict[str, int]]:
    found: dict[int, Counter[str]] = defaultdict(Counter)
    for group in groups:
        killed = group["reason"] == KILLED
        found[group["judge_version"]][KILLED if killed else group["outcome"]] += group["n"]
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
