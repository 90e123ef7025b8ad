"""Answers that may be taken over: the same juror, candidate and criteria, a short while ago."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.db.models import QuerySet
from django.utils import timezone

from judging.domain.reuse import answers_stand
from judging.domain.verdicts import Outcome, Score
from judging.models import Certificate, SkippedAttempt, Verdict
from judging.services.plans import Plan


@dataclass(frozen=True, slots=True)
class Earlier:
    """What a juror said of the very same question in another run, as its verdict there has it."""

    verdict_id: int
    outcome: Outcome
    scores: tuple[Score, ...]
    score: float | None
    feedback: str
    answered_model: str
    provider_fingerprint: str
    flags: tuple[str, ...]


def earlier_answers(plan: Plan, asked: Collection[Verdict]) -> dict[int, Earlier]:
    """Pending verdict's id → what its juror said before. The same number of queries for any number of rows.

    Only what was really answered counts, so that an answer is a day old at most however often it was taken
    over. A question that is asked again after a skip is asked.
    """
    if not settings.VERA_REUSE_HOURS or not asked:
        return {}
    found = {(verdict.candidate_id, verdict.judge_version_id): verdict for verdict in _answered(plan, asked)}
    by_question = {
        verdict.pk: earlier
        for verdict in asked
        if (earlier := found.get((verdict.candidate_id, verdict.judge_version_id)))
    }
    if not by_question:
        return {}
    refused, again = _doubted(plan), _asked_again(by_question)
    return {
        pk: _plain(plan, earlier)
        for pk, earlier in by_question.items()
        if pk not in again and earlier.judge_version_id not in refused and _is_whole(plan, earlier)
    }


def _answered(plan: Plan, asked: Collection[Verdict]) -> QuerySet[Verdict]:
    """Oldest first, so that the newest of two stays."""
    since = timezone.now() - timedelta(hours=settings.VERA_REUSE_HOURS)
    found = Verdict.objects.filter(
        candidate__in={verdict.candidate_id for verdict in asked},
        judge_version__in=list(plan.jurors),
        run__criteria_version=plan.criteria_version_id,
        kind=Verdict.Kind.JUROR,
        outcome__in=(Outcome.PASS, Outcome.FAIL),
        filled_at__gte=since,
        reused_from=None,
        calls__gt=0,
    )
    return found.defer("raw_reply", "rejected_reply").prefetch_related("scores").order_by("filled_at", "pk")


def _doubted(plan: Plan) -> set[int]:
    """The jurors whose earlier answers are in doubt; all of them where those of the run's own judge are."""
    judges = {plan.judge_version_id, *plan.jurors}
    current = Certificate.objects.current().filter(
        criteria_version=plan.criteria_version_id, judge_version__in=judges
    )
    refused = {
        judge
        for judge, status, reasons in current.values_list("judge_version_id", "status", "reasons")
        if not answers_stand(status, [reason["code"] for reason in reasons])
    }
    return set(plan.jurors) if plan.judge_version_id in refused else refused


def _asked_again(verdict_ids: Iterable[int]) -> set[int]:
    attempts = SkippedAttempt.objects.filter(verdict__in=list(verdict_ids))
    return set(attempts.order_by().values_list("verdict_id", flat=True))


def _is_whole(plan: Plan, verdict: Verdict) -> bool:
    return sorted(score.criterion_id for score in verdict.scores.all()) == sorted(plan.criterion_ids.values())


def _plain(plan: Plan, verdict: Verdict) -> Earlier:
    return Earlier(
        verdict_id=verdict.pk,
        outcome=Outcome(verdict.outcome),
        scores=_scores(plan, verdict),
        score=verdict.score,
        feedback=verdict.feedback,
        answered_model=verdict.answered_model,
        provider_fingerprint=verdict.provider_fingerprint,
        flags=tuple(verdict.flags),
    )


def _scores(plan: Plan, verdict: Verdict) -> tuple[Score, ...]:
    names = {criterion_id: name for name, criterion_id in plan.criterion_ids.items()}
    stored: Sequence[Score] = [
        Score(names[row.criterion_id], int(row.score), row.reason) for row in verdict.scores.all()
    ]
    return tuple(stored)
