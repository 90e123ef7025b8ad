"""Verdicts that were given elsewhere and brought in from a file."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from labeling.models import Candidate, CriteriaSet


class Recording(models.Model):
    """One judge's verdicts in one file. Never changed: a corrected file is another recording."""

    criteria_set = models.ForeignKey(CriteriaSet, on_delete=models.PROTECT, related_name="recordings")
    file_name = models.CharField(max_length=255)
    sha256 = models.CharField(max_length=64)
    source = models.CharField(max_length=200, blank=True)  # what the file calls the judge
    family = models.CharField(max_length=80, blank=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["-pk"]

    def __str__(self) -> str:
        return f"{self.source or 'verdicts'} of {self.file_name}"


class RecordedVerdict(models.Model):
    """What the recorded judge said of one candidate."""

    recording = models.ForeignKey(Recording, on_delete=models.CASCADE, related_name="verdicts")
    candidate = models.ForeignKey(Candidate, on_delete=models.PROTECT, related_name="+")
    outcome = models.CharField(max_length=10)  # pass, fail or skipped
    score = models.FloatField(null=True, blank=True)  # overall, 0-1; null: the file has none
    scores = models.JSONField(default=dict, blank=True)  # {criterion's name: score on its scale}
    explanation = models.TextField(blank=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(name="recordedverdict_once", fields=["recording", "candidate"]),
            models.CheckConstraint(
                name="recordedverdict_outcome", condition=Q(outcome__in=["pass", "fail", "skipped"])
            ),
        ]

    def __str__(self) -> str:
        return f"{self.recording}: {self.outcome}"
