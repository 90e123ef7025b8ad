"""Guidelines: what leads tell labelers beyond the criteria. No judge ever reads them."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from labeling.models.candidates import Candidate
from labeling.models.criteria import CriteriaSet
from labeling.models.labels import Verdict


class Guidelines(models.Model):
    """One state of a criteria set's guidelines; the newest counts. Never updated once it exists.

    They belong to the set and not to a criteria version: a typo put right asks nobody to label again and no
    judge to be certified again.
    """

    criteria_set = models.ForeignKey(CriteriaSet, on_delete=models.PROTECT, related_name="guidelines")
    number = models.PositiveIntegerField()
    text = models.TextField(blank=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["criteria_set_id", "-number"]
        verbose_name_plural = "guidelines"
        constraints: ClassVar = [
            models.UniqueConstraint(name="guidelines_number", fields=["criteria_set", "number"]),
        ]

    def __str__(self) -> str:
        return f"guidelines {self.number} of {self.criteria_set}"


class GuidelineExample(models.Model):
    """An output with the right verdict and why, shown to labelers. Made up, or taken from a `tune` row."""

    guidelines = models.ForeignKey(Guidelines, on_delete=models.CASCADE, related_name="examples")
    position = models.PositiveSmallIntegerField()
    request = models.TextField(blank=True)
    output = models.TextField()
    verdict = models.CharField(max_length=4, choices=Verdict)
    why = models.TextField()
    candidate = models.ForeignKey(
        Candidate, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        ordering: ClassVar = ["guidelines_id", "position"]
        constraints: ClassVar = [
            models.CheckConstraint(
                name="guidelineexample_verdict_known", condition=Q(verdict__in=["pass", "fail"])
            ),
        ]

    def __str__(self) -> str:
        return f"example {self.position} of {self.guidelines}"
