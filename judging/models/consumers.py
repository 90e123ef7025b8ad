"""Who reads certificates, and who has shown that it stops when the answer is no."""

from typing import ClassVar

from django.db import models
from django.db.models import Q

from judging.models.judges import Judge
from judging.models.tokens import ApiToken
from labeling.models import CriteriaSet


class GateReader(models.Model):
    """One token that asks for one judge's certification on one criteria set."""

    token = models.ForeignKey(ApiToken, on_delete=models.CASCADE, related_name="reads")
    judge = models.ForeignKey(Judge, on_delete=models.CASCADE, related_name="readers")
    criteria_set = models.ForeignKey(CriteriaSet, on_delete=models.CASCADE, related_name="readers")
    first_at = models.DateTimeField()
    last_at = models.DateTimeField()  # to the minute: reads between are not written down

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(name="gatereader_once", fields=["token", "judge", "criteria_set"])
        ]

    def __str__(self) -> str:
        return f"{self.token} reads {self.judge} on {self.criteria_set}"


class Drill(models.Model):
    """A rehearsed answer that a consumer asked for, and whether it reported that it stopped."""

    class Answer(models.TextChoices):
        UNCERTIFIED = "uncertified", "uncertified"
        EXPIRED = "expired", "expired"
        SUSPENDED = "suspended", "suspended"
        UNAVAILABLE = "unavailable", "Vera cannot be reached"

    token = models.ForeignKey(ApiToken, on_delete=models.CASCADE, related_name="drills")
    judge = models.ForeignKey(Judge, on_delete=models.CASCADE, related_name="drills")
    criteria_set = models.ForeignKey(CriteriaSet, on_delete=models.CASCADE, related_name="drills")
    answer = models.CharField(max_length=20, choices=Answer)
    asked_at = models.DateTimeField()
    stopped = models.BooleanField(null=True, blank=True)  # null: it has not reported
    reported_at = models.DateTimeField(null=True, blank=True)
    note = models.CharField(max_length=500, blank=True)

    class Meta:
        ordering: ClassVar = ["-pk"]
        constraints: ClassVar = [
            models.CheckConstraint(
                name="drill_answer_known",
                condition=Q(answer__in=["uncertified", "expired", "suspended", "unavailable"]),
            ),
            models.CheckConstraint(
                name="drill_reported_when_told",
                condition=Q(stopped__isnull=True, reported_at__isnull=True)
                | Q(stopped__isnull=False, reported_at__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.token} rehearsed {self.answer}"
