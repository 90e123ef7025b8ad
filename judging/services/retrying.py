"""Asking again about what was skipped for a passing reason, in the same run.

The question is the same and nothing that was scored by a juror is asked again, so there is no verdict to fish
for: only answers that never came can come. What was there before is kept as `SkippedAttempt`.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Count, F, Max, Q, QuerySet
from django.utils import timezone

from judging.domain.reasons import KILLED, PASSING
from judging.models import Certificate, CriterionScore, Run, SkippedAttempt, Verdict
from judging.models.runs import VerdictQuerySet
from judging.services.runs import CannotRun
from judging.services.writing import insert_from
from labeling.access import AnyUser
from labeling.services.audit import record

_UNCLAIMED: dict[str, Any] = {"claimed_by": "", "lease_until": None, "claims": 0}
# What a verdict says of itself; what it was asked with (threshold, fingerprint) stays.
_SAID = (
    "outcome",
    "reason",
    "detail",
    "score",
    "confidence",
    "feedback",
    "filled_at",
    "answered_model",
    "provider_fingerprint",
    "prompt_tokens",
    "completion_tokens",
    "cost",
    "latency_ms",
    "calls",
    "resends",
    "raw_reply",
    "raw_cut",
    "corrections",
    "rejected_reply",
    "rejected_reason",
    "independent",
    "flags",
)


@dataclass(frozen=True, slots=True)
class Retry:
    """One time that a run was asked to try again: when, by whom ("": nobody known), how many answers."""

    at: datetime
    by: str
    answers: int


def passing_skips(run: Run) -> VerdictQuerySet:
    """The run's questions to its jurors that brought no verdict for a reason that passes.

    In a run that stops early, those beneath a panel that has its verdict are left out: nothing that they
    could say changes it.
    """
    found = Verdict.objects.filter(
        run=run, kind=Verdict.Kind.JUROR, outcome=Verdict.Outcome.SKIPPED, reason__in=PASSING
    )
    if not run.stops_early:
        return found
    return found.filter(Q(panel_verdict=None) | Q(panel_verdict__outcome=Verdict.Outcome.SKIPPED))


def retryable(run: Run) -> dict[str, int]:
    """How many such questions a finished run has by reason, the most frequent first. {} where none may be
    asked again.
    """
    if _obstacle(run):
        return {}
    counted = passing_skips(run).order_by().values_list("reason").annotate(n=Count("pk"))
    return dict(counted.order_by("-n", "reason"))


def retries_of(run: Run) -> list[Retry]:
    """When the run was asked to try again, the earliest first."""
    attempts = SkippedAttempt.objects.filter(verdict__run=run).order_by()
    found = attempts.values("retried_at").annotate(n=Count("pk"), by=Max("retried_by__username"))
    return [Retry(each["retried_at"], each["by"] or "", each["n"]) for each in found.order_by("retried_at")]


@transaction.atomic
def retry_skipped(*, run: Run, actor: AnyUser | None = None) -> Run:
    """Put a finished run's questions that failed for a passing reason back to pending; it runs again.

    The verdicts of the panels above them are derived anew once the answers are there. Calls and cost of the
    earlier attempts stay the run's. The caller tells the workers, on commit. Raises `CannotRun`.
    """
    locked = Run.objects.select_for_update().get(pk=run.pk)  # of two who press at once one finds it running
    if obstacle := _obstacle(locked):
        raise CannotRun(obstacle)
    reasons, now = retryable(locked), timezone.now()
    if not _keep(passing_skips(locked), now, actor):
        raise CannotRun(
            "No answer of this run failed for a passing reason, so there is nothing to ask again."
        )
    _put_back(SkippedAttempt.objects.filter(verdict__run=locked, retried_at=now))
    locked.state, locked.finished_at = Run.State.RUNNING, None
    locked.save(update_fields=["state", "finished_at"])
    criteria_set = locked.criteria_version.criteria_set
    record(
        actor=actor,
        action="run_retried",
        subject=str(locked),
        criteria_set=criteria_set,
        run=locked.pk,
        reasons=reasons,
    )
    return locked


def _obstacle(run: Run) -> str:
    """Why nothing of this run may be asked again; "" where it may.

    A cancelled run stays as it is: leaving its rows unjudged was a lead's decision.
    """
    if run.state != Run.State.FINISHED:
        return f"Only a finished run can be asked again; this one is {run.state}."
    certificates = Certificate.objects.filter(calibration__run=run)
    if certificates.exists() and not certificates.current().exists():
        return "A later run has measured this judge since. Ask again there."
    return ""


def _keep(questions: QuerySet[Verdict], now: datetime, actor: AnyUser | None) -> int:
    by = actor.pk if actor is not None and actor.is_authenticated else None
    said = {name: F(name) for name in ("reason", "detail", "raw_reply", "calls", "cost")}
    when = {"skipped_at": F("filled_at"), "retried_at": now, "retried_by_id": by}
    return insert_from(SkippedAttempt, questions, verdict_id=F("pk"), **said, **when)


def _put_back(attempts: QuerySet[SkippedAttempt]) -> None:
    """Make pending what was attempted, the panels above, and whom these left unasked."""
    panels = attempts.exclude(verdict__panel_verdict=None).values("verdict__panel_verdict")
    unasked = Verdict.objects.filter(panel_verdict__in=panels, outcome=Verdict.Outcome.NOT_ASKED)
    unasked.exclude(reason=KILLED).update(**_blank(_SAID))
    CriterionScore.objects.filter(verdict__in=panels).delete()
    pending = _blank(_SAID) | _UNCLAIMED
    Verdict.objects.filter(pk__in=panels).update(**pending)
    Verdict.objects.filter(pk__in=attempts.values("verdict")).update(**pending)


def _blank(names: Collection[str]) -> dict[str, Any]:
    fields = {field.name: field for field in Verdict._meta.concrete_fields}
    return {name: fields[name].get_default() for name in names}
