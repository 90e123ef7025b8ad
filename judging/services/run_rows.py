"""The single rows of a run: skipped ones for every lead, verdicts only for who opens them, logged."""

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, Exists, OuterRef, Prefetch, QuerySet

from judging.domain.reasons import KILLED
from judging.models import JudgeVersion, Run, SkippedAttempt, Verdict
from judging.models.runs import VerdictQuerySet
from labeling.models import Exposure
from labeling.services.audit import record
from labeling.services.exposures import record_exposure

_WITH_VERDICT = ["pass", "fail", "escalated"]


def skipped_of(run: Run) -> QuerySet[Verdict]:
    """Questions that brought no verdict, with what the provider said: those to each juror of a panel."""
    found = run.verdicts.filter(kind=Verdict.Kind.JUROR, outcome=Verdict.Outcome.SKIPPED)
    return _with_attempts(found).order_by("pk")


def asked_again_of(run: Run) -> QuerySet[Verdict]:
    """Questions that brought no verdict at first and were asked again, whatever came of it."""
    found = run.verdicts.filter(skipped_attempts__isnull=False)
    return _with_attempts(found).order_by("pk").distinct()


def newest_skips(run: Run, most: int) -> list[Verdict]:
    """The last questions that brought no verdict, the newest first, without their replies."""
    found = run.verdicts.filter(kind=Verdict.Kind.JUROR, outcome=Verdict.Outcome.SKIPPED)
    named = found.select_related("judge_version__judge").defer("raw_reply", "rejected_reply")
    return list(named.order_by("-filled_at", "-pk")[:most])


def _with_attempts(questions: QuerySet[Verdict]) -> QuerySet[Verdict]:
    attempts = SkippedAttempt.objects.select_related("retried_by")
    named = questions.select_related("judge_version__judge")
    return named.prefetch_related(Prefetch("skipped_attempts", attempts))


def killed_of(run: Run) -> QuerySet[Verdict]:
    """The run's own rows that Layer 1 killed, so that nobody was asked; `detail` has the check and reason."""
    found = Verdict.objects.own().filter(run=run, outcome=Verdict.Outcome.NOT_ASKED, reason=KILLED)
    return found.order_by("pk")


def skip_counts(run: Run) -> dict[str, int]:
    """How many such questions there are by reason, the most frequent first."""
    counted = skipped_of(run).order_by().values_list("reason").annotate(n=Count("pk"))
    return dict(counted.order_by("-n", "reason"))


def skips_by_juror(run: Run) -> dict[JudgeVersion, int]:
    """How many there are of each juror, in the order of the seats."""
    counted = skipped_of(run).order_by().values_list("judge_version").annotate(n=Count("pk"))
    found = dict(counted)
    return {juror: found.get(juror.pk, 0) for juror in run.judge_version.jurors()}


def opened_of(run: Run, reader: User) -> VerdictQuerySet:
    """The run's own verdicts on the rows that `reader` has been shown a judge's verdict of."""
    return _decided(run).filter(_shown_to(run, reader))


def closed_of(run: Run, reader: User) -> VerdictQuerySet:
    """The run's own verdicts on the other rows."""
    return _decided(run).exclude(_shown_to(run, reader))


@transaction.atomic
def open_verdicts(*, run: Run, reader: User, outcome: str = "", most: int) -> int:
    """Open the next `most` rows to `reader`, logged; returns how many there were left to open."""
    closed = closed_of(run, reader)
    if outcome:
        closed = closed.filter(outcome=outcome)
    candidates = list(closed.order_by("pk").values_list("candidate_id", flat=True)[:most])
    if candidates:
        version = run.criteria_version
        record_exposure(user=reader, version=version, candidate_ids=candidates, what=Exposure.What.VERDICTS)
        record(
            actor=reader,
            action="verdicts_opened",
            subject=str(run),
            criteria_set=version.criteria_set,
            run=run.pk,
            candidates=candidates,
        )
    return len(candidates)


def without_verdict(run: Run) -> int:
    """How many rows the run's own judge skipped."""
    return Verdict.objects.own().filter(run=run, outcome=Verdict.Outcome.SKIPPED).count()


def _decided(run: Run) -> VerdictQuerySet:
    return Verdict.objects.own().filter(run=run, outcome__in=_WITH_VERDICT)


def _shown_to(run: Run, reader: User) -> Exists:
    return Exists(
        Exposure.objects.filter(
            user=reader,
            version=run.criteria_version_id,
            candidate=OuterRef("candidate"),
            what=Exposure.What.VERDICTS,
        )
    )
