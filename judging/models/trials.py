"""Trying a judge on one text: asked by a lead, answered by a worker, never a verdict."""

from datetime import datetime
from typing import ClassVar, Self

from django.conf import settings
from django.db import models
from django.db.models import Q

from judging.models.judges import JudgeVersion
from labeling.models import Candidate, CriteriaVersion

MOST_CLAIMS = 3  # a trial that three workers died with is not tried again


class TrialQuerySet(models.QuerySet["Trial"]):
    def claimable(self, now: datetime) -> Self:
        """Those that wait, and those whose worker has fallen silent, while one more try is allowed."""
        silent = Q(state="asking", lease_until__lt=now)
        return self.filter(Q(state="waiting") | silent, claims__lt=MOST_CLAIMS)

    def lost(self, now: datetime) -> Self:
        """Those whose worker has fallen silent for the last time."""
        return self.filter(state="asking", lease_until__lt=now, claims__gte=MOST_CLAIMS)


class Trial(models.Model):
    """One question to a judge version to see what it is sent and what it says. Only the newest are kept.

    It is no `Verdict`: no calibration and no certificate knows of it.
    """

    class State(models.TextChoices):
        WAITING = "waiting", "waiting for a worker"
        ASKING = "asking", "asking"
        ANSWERED = "answered", "answered"
        FAILED = "failed", "failed"

    judge_version = models.ForeignKey(JudgeVersion, on_delete=models.CASCADE, related_name="trials")
    criteria_version = models.ForeignKey(CriteriaVersion, on_delete=models.CASCADE, related_name="+")
    candidate = models.ForeignKey(
        Candidate, null=True, blank=True, on_delete=models.CASCADE, related_name="+"
    )  # null: texts that somebody typed
    texts = models.JSONField(default=dict, blank=True)  # of those: request, output, grounding, criteria_text
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    asked_at = models.DateTimeField(auto_now_add=True)

    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    claimed_by = models.CharField(max_length=64, blank=True)
    claimed_at = models.DateTimeField(null=True, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    claims = models.PositiveSmallIntegerField(default=0)

    answers = models.JSONField(default=dict, blank=True)  # as `judging.services.trying` writes it
    problem = models.TextField(blank=True)  # why it failed, a sentence
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = TrialQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["-pk"]
        indexes: ClassVar = [
            models.Index(name="trial_open", fields=["id"], condition=Q(state__in=["waiting", "asking"])),
        ]
        constraints: ClassVar = [
            models.CheckConstraint(
                name="trial_state_known", condition=Q(state__in=["waiting", "asking", "answered", "failed"])
            ),
            models.CheckConstraint(
                name="trial_failed_says_why", condition=~Q(state="failed") | ~Q(problem="")
            ),
        ]

    def __str__(self) -> str:
        return f"trial {self.pk} of {self.judge_version}"

    @property
    def is_open(self) -> bool:
        """Whether an answer may still come."""
        return self.state in (self.State.WAITING, self.State.ASKING)
