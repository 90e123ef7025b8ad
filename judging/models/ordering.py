"""Reference sets: candidates to one request that a judge should put in the right order."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from judging.models.judges import JudgeVersion
from judging.models.runs import Run
from labeling.models import Candidate, CriteriaSet, CriteriaVersion


class ReferenceSet(models.Model):
    """Candidates to one request, each marked good or clearly deficient."""

    criteria_set = models.ForeignKey(CriteriaSet, on_delete=models.PROTECT, related_name="reference_sets")
    name = models.CharField(max_length=200)
    source = models.CharField(max_length=255, blank=True)  # a file's name; empty: made on a page
    # Whether it counts for certificates: its deficient ones are clearly so, not only the worse of two.
    decides = models.BooleanField(default=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    retired_at = models.DateTimeField(null=True, blank=True)  # judged no more

    class Meta:
        ordering: ClassVar = ["pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(name="referenceset_name_once", fields=["criteria_set", "name"])
        ]

    def __str__(self) -> str:
        return self.name


class ReferenceCandidate(models.Model):
    """One candidate of a reference set."""

    reference_set = models.ForeignKey(ReferenceSet, on_delete=models.CASCADE, related_name="members")
    candidate = models.ForeignKey(Candidate, on_delete=models.PROTECT, related_name="references")
    is_good = models.BooleanField()  # else clearly deficient

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(name="referencecandidate_once", fields=["reference_set", "candidate"])
        ]

    def __str__(self) -> str:
        return f"candidate {self.candidate_id}, {'good' if self.is_good else 'deficient'}"


class OrderingResult(models.Model):
    """How one judge version ordered the reference sets in one run. Pages and certificates read this."""

    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="orderings")
    judge_version = models.ForeignKey(JudgeVersion, on_delete=models.PROTECT, related_name="orderings")
    criteria_version = models.ForeignKey(CriteriaVersion, on_delete=models.PROTECT, related_name="orderings")
    sets = models.PositiveIntegerField()  # that could be told
    violated = models.PositiveIntegerField()
    left_out = models.PositiveIntegerField(default=0)  # a skip, and no violation among the rest
    # Of them those that count for certificates, as they were marked when this was counted.
    deciding_sets = models.PositiveIntegerField(default=0)
    deciding_violated = models.PositiveIntegerField(default=0)
    high = models.FloatField(null=True)  # one-sided 95 % upper bound of the violated share; null: no set
    auc = models.FloatField(null=True)
    pairs = models.PositiveIntegerField(default=0)
    # {"violated": {set's id: [{"good", "deficient": candidate ids, "fault"}]}, "right": ids of the sets in
    # order, "left_out": ids}
    violations = models.JSONField(default=dict)
    as_of = models.DateTimeField()

    class Meta:
        ordering: ClassVar = ["-pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(name="orderingresult_once", fields=["run", "judge_version"]),
            models.CheckConstraint(name="orderingresult_within_sets", condition=Q(violated__lte=F("sets"))),
        ]

    def __str__(self) -> str:
        return f"{self.judge_version}: {self.violated} of {self.sets} sets violated"
