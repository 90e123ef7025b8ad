"""By which names providers answer: what tells that another model answers under the same alias."""

from typing import ClassVar

from django.db import models
from django.db.models import Q

from judging.models.judges import JudgeVersion
from judging.models.runs import Run


class AnsweredAs(models.Model):
    """A model's name and a provider's fingerprint that a juror's answers in a run carry; noted once.

    Written with the verdicts that carry them. A worker compares them with what the certificates in force
    were measured by, and says so in `checked_at`.
    """

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="answered_as")
    judge_version = models.ForeignKey(JudgeVersion, on_delete=models.PROTECT, related_name="+")
    model = models.CharField(max_length=200, blank=True)
    provider_fingerprint = models.CharField(max_length=200, blank=True)
    seen_at = models.DateTimeField()
    checked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["pk"]
        indexes: ClassVar = [
            models.Index(name="answeredas_unchecked", fields=["id"], condition=Q(checked_at=None)),
            models.Index(name="answeredas_of_judge", fields=["judge_version", "checked_at"]),
        ]
        constraints: ClassVar = [
            models.UniqueConstraint(
                name="answeredas_once", fields=["run", "judge_version", "model", "provider_fingerprint"]
            )
        ]

    def __str__(self) -> str:
        return f"{self.judge_version} answered as {self.model}"
