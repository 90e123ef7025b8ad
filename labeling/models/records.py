"""Who was shown what, and who did what: logs that are only ever added to."""

from typing import ClassVar

from django.conf import settings
from django.db import models

from labeling.models.candidates import Candidate
from labeling.models.criteria import CriteriaSet, CriteriaVersion


class Exposure(models.Model):
    """Somebody was shown other people's labels or a judge's verdict on a row."""

    class What(models.TextChoices):
        LABELS = "labels", "other people's labels"
        VERDICTS = "verdicts", "a judge's verdict"

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="exposures")
    candidate = models.ForeignKey(Candidate, on_delete=models.PROTECT, related_name="exposures")
    version = models.ForeignKey(CriteriaVersion, on_delete=models.PROTECT, related_name="+")
    what = models.CharField(max_length=10, choices=What)
    shown_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes: ClassVar = [
            models.Index(name="exposure_by_row", fields=["candidate", "version", "user", "what"])
        ]

    def __str__(self) -> str:
        return f"{self.user} was shown {self.what}"


class TruthChange(models.Model):
    """Human verdicts that changed and of which not everybody concerned has been told yet."""

    version = models.ForeignKey(CriteriaVersion, on_delete=models.PROTECT, related_name="+")
    candidate_ids = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"{len(self.candidate_ids)} rows of {self.version} changed"


class AuditEvent(models.Model):
    """An act that somebody may have to answer for. Never holds a secret."""

    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    criteria_set = models.ForeignKey(
        CriteriaSet, null=True, blank=True, on_delete=models.PROTECT, related_name="events"
    )
    action = models.CharField(max_length=60)  # such as "ruling", "promote", "judge_refused"
    subject = models.CharField(max_length=200)  # what it was done to, as a person would name it
    details = models.JSONField(default=dict, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["-pk"]

    def __str__(self) -> str:
        return f"{self.action}: {self.subject}"
