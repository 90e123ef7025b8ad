"""Runs and the verdicts they consist of. A pending verdict is a unit of work: the database is the queue."""

from datetime import datetime
from typing import ClassVar, Self

from django.conf import settings
from django.db import models
from django.db.models import Prefetch, Q
from django.db.models.functions import Now

from judging.models.judges import JudgeVersion
from labeling.models import Candidate, CriteriaVersion, Criterion


class Run(models.Model):
    """A judge version over many candidates."""

    class Kind(models.TextChoices):
        CALIBRATION = "calibration", "calibration"
        SCORING = "scoring", "scoring of rows without a label"
        REPLAY = "replay", "golden replay"
        CONSISTENCY = "consistency", "repeats of the same questions"
        ORDERING = "ordering", "reference sets"

    class State(models.TextChoices):
        RUNNING = "running", "running"
        PAUSED = "paused", "paused"
        FINISHED = "finished", "finished"
        CANCELLED = "cancelled", "cancelled"

    judge_version = models.ForeignKey(JudgeVersion, on_delete=models.PROTECT, related_name="runs")
    criteria_version = models.ForeignKey(CriteriaVersion, on_delete=models.PROTECT, related_name="runs")
    kind = models.CharField(max_length=20, choices=Kind, default=Kind.CALIBRATION)
    state = models.CharField(max_length=10, choices=State, default=State.RUNNING)
    pause_reason = models.CharField(max_length=40, blank=True)  # a code of judging.domain.reasons
    pause_detail = models.TextField(blank=True)
    on_split = models.CharField(max_length=10, default="majority")  # in force when the run began
    max_calls = models.PositiveIntegerField(null=True, blank=True)
    max_cost = models.DecimalField(max_digits=12, decimal_places=6, null=True, blank=True)  # US dollars
    # False: as few questions as the verdicts need; see `stops_early` and `reuses`.
    asks_all = models.BooleanField(default=True)
    repeats = models.PositiveSmallIntegerField(default=1)  # how often each question is asked
    schedule = models.ForeignKey(
        "Schedule", null=True, blank=True, on_delete=models.SET_NULL, related_name="runs"
    )
    # What the run has spent, written with the verdicts that spent it; budgets look here. US dollars.
    calls_made = models.PositiveIntegerField(default=0)
    cost_made = models.DecimalField(max_digits=14, decimal_places=8, default=0)
    priced_replies = models.PositiveIntegerField(default=0)
    unpriced_replies = models.PositiveIntegerField(default=0)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-pk"]
        indexes: ClassVar = [
            models.Index(name="run_unfinished", fields=["id"], condition=Q(state="running")),
        ]
        constraints: ClassVar = [
            models.CheckConstraint(
                name="run_state_known",
                condition=Q(state__in=["running", "paused", "finished", "cancelled"]),
            ),
            models.CheckConstraint(
                name="run_paused_has_a_reason", condition=~Q(state="paused") | ~Q(pause_reason="")
            ),
        ]

    def __str__(self) -> str:
        return f"run {self.pk}: {self.judge_version} on {self.criteria_version}"

    @property
    def stops_early(self) -> bool:
        """Whether a panel's juror is not asked where the others have decided already."""
        may = self.kind == self.Kind.SCORING and self.on_split == JudgeVersion.OnSplit.MAJORITY
        return may and not self.asks_all and self.judge_version.kind == JudgeVersion.Kind.PANEL

    @property
    def reuses(self) -> bool:
        """Whether a juror's answer of the last day to the very same question is taken over."""
        return self.kind == self.Kind.SCORING and not self.asks_all


class VerdictQuerySet(models.QuerySet["Verdict"]):
    def own(self) -> Self:
        """Those of the runs' own judges, which carry the claims; not those of a panel's jurors."""
        return self.filter(panel_verdict=None)

    def pending(self) -> Self:
        """Those without an answer yet."""
        return self.filter(outcome="pending")

    def claimable(self, now: datetime | Now) -> Self:
        """Work that nobody holds: never claimed, given back, or held by a worker whose lease ran out."""
        return self.own().pending().filter(Q(lease_until=None) | Q(lease_until__lt=now))

    def with_answers(self) -> Self:
        """With candidate, ordered scores and jurors' verdicts: the same number of queries for any rows."""
        scores = CriterionScore.objects.select_related("criterion").order_by("criterion__position")
        jurors = Verdict.objects.select_related("judge_version__judge", "reused_from").order_by("pk")
        named = self.select_related("candidate", "judge_version__judge", "reused_from")
        return named.prefetch_related(
            Prefetch("scores", scores),
            Prefetch("juror_verdicts", jurors),
            Prefetch("juror_verdicts__scores", scores),
        )


class Verdict(models.Model):
    """What one judge version says of one candidate in one run. Pending until filled, once, for good.

    The verdict of the run's own judge (`panel_verdict` null) carries the claim: a worker that holds it asks
    every juror beneath it. Juror verdicts of a panel point at the panel's.
    """

    class Kind(models.TextChoices):
        JUROR = "juror", "juror"
        PANEL = "panel", "panel"

    class Outcome(models.TextChoices):
        PENDING = "pending", "pending"
        PASS = "pass", "pass"
        FAIL = "fail", "fail"
        SKIPPED = "skipped", "skipped"
        NOT_ASKED = "not_asked", "not asked"
        ESCALATED = "escalated", "sent to people"

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="verdicts")
    candidate = models.ForeignKey(Candidate, on_delete=models.PROTECT, related_name="verdicts")
    judge_version = models.ForeignKey(JudgeVersion, on_delete=models.PROTECT, related_name="verdicts")
    kind = models.CharField(max_length=10, choices=Kind)
    panel_verdict = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.CASCADE, related_name="juror_verdicts"
    )
    repeat = models.PositiveSmallIntegerField(default=0)
    candidate_hash = models.CharField(max_length=64)

    # The claim, on the run's own verdicts only.
    claimed_by = models.CharField(max_length=64, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    claims = models.PositiveSmallIntegerField(default=0)

    # The answer.
    outcome = models.CharField(max_length=10, choices=Outcome, default=Outcome.PENDING)
    reason = models.CharField(max_length=40, blank=True)  # why skipped, a code of judging.domain.reasons
    detail = models.TextField(blank=True)
    score = models.FloatField(null=True, blank=True)  # overall, 0–1
    confidence = models.FloatField(
        null=True, blank=True
    )  # share of configured jurors behind a panel's verdict
    feedback = models.TextField(blank=True)
    filled_at = models.DateTimeField(null=True, blank=True)

    # What made it.
    threshold = models.DecimalField(max_digits=4, decimal_places=3, null=True, blank=True)
    fingerprint = models.CharField(max_length=64, blank=True)
    answered_model = models.CharField(max_length=200, blank=True)
    provider_fingerprint = models.CharField(max_length=200, blank=True)
    prompt_tokens = models.PositiveIntegerField(null=True, blank=True)
    completion_tokens = models.PositiveIntegerField(null=True, blank=True)
    cost = models.DecimalField(
        max_digits=12, decimal_places=8, null=True, blank=True
    )  # US dollars; null: unknown
    latency_ms = models.PositiveIntegerField(null=True, blank=True)
    calls = models.PositiveSmallIntegerField(default=0)  # requests sent, resends included
    resends = models.PositiveSmallIntegerField(default=0)  # of them, repeated after a transport failure
    raw_reply = models.TextField(blank=True)
    raw_cut = models.BooleanField(default=False)
    # The one corrective re-ask: how many were sent, and the reply that could not be read before it.
    corrections = models.PositiveSmallIntegerField(default=0)
    rejected_reply = models.TextField(blank=True)
    rejected_reason = models.CharField(max_length=40, blank=True)
    # The verdict on the identical question that was taken over instead of asking again.
    reused_from = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.SET_NULL, related_name="+", db_index=False
    )
    independent = models.BooleanField(null=True, blank=True)  # null: the generator is unknown
    flags = models.JSONField(default=list, blank=True)  # such as ["injection_attempt"]

    objects = VerdictQuerySet.as_manager()

    class Meta:
        indexes: ClassVar = [
            models.Index(
                name="verdict_work",
                fields=["run", "lease_until"],
                condition=Q(outcome="pending", panel_verdict__isnull=True),
            ),
            models.Index(name="verdict_outcomes", fields=["run", "kind", "outcome", "reason"]),
        ]
        constraints: ClassVar = [
            models.UniqueConstraint(
                name="verdict_once_per_run", fields=["run", "candidate", "judge_version", "repeat"]
            ),
            models.CheckConstraint(
                name="verdict_outcome_known",
                condition=Q(outcome__in=["pending", "pass", "fail", "skipped", "not_asked", "escalated"]),
            ),
            models.CheckConstraint(
                name="verdict_filled_when_decided",
                condition=Q(outcome="pending", filled_at__isnull=True)
                | (~Q(outcome="pending") & Q(filled_at__isnull=False)),
            ),
            models.CheckConstraint(
                name="verdict_skipped_says_why", condition=~Q(outcome="skipped") | ~Q(reason="")
            ),
            models.CheckConstraint(
                name="verdict_skipped_has_no_score", condition=~Q(outcome="skipped") | Q(score__isnull=True)
            ),
            models.CheckConstraint(
                name="verdict_panel_stands_alone", condition=Q(kind="juror") | Q(panel_verdict__isnull=True)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.judge_version} on candidate {self.candidate_id}: {self.outcome}"


class SkippedAttempt(models.Model):
    """A verdict that was skipped for a passing reason and asked again: what it was, before it was."""

    verdict = models.ForeignKey(Verdict, on_delete=models.CASCADE, related_name="skipped_attempts")
    reason = models.CharField(max_length=40)
    detail = models.TextField(blank=True)
    raw_reply = models.TextField(blank=True)
    calls = models.PositiveSmallIntegerField(default=0)
    cost = models.DecimalField(max_digits=12, decimal_places=8, null=True, blank=True)  # US dollars
    skipped_at = models.DateTimeField()
    retried_at = models.DateTimeField()
    retried_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        ordering: ClassVar = ["pk"]

    def __str__(self) -> str:
        return f"{self.reason}, asked again {self.retried_at:%Y-%m-%d %H:%M}"


class CriterionScore(models.Model):
    """A judge's score on one criterion, on the criterion's scale; for a panel the jurors' median."""

    verdict = models.ForeignKey(Verdict, on_delete=models.CASCADE, related_name="scores")
    criterion = models.ForeignKey(Criterion, on_delete=models.PROTECT, related_name="+")
    score = models.FloatField()
    reason = models.TextField(blank=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(name="criterionscore_once", fields=["verdict", "criterion"])
        ]

    def __str__(self) -> str:
        return f"{self.criterion}: {self.score}"
