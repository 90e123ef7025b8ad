"""Reference sets: candidates to one request that a judge should put in the right order."""

from datetime import datetime
from typing import ClassVar, Self

from django.conf import settings
from django.db import models
from django.db.models import Count, F, Prefetch, Q

from judging.models.judges import JudgeVersion
from judging.models.runs import Run
from labeling.models import Candidate, CriteriaSet, CriteriaVersion


class ReferenceSetQuerySet(models.QuerySet["ReferenceSet"]):
    def in_use(self, at: datetime | None = None) -> Self:
        """Those that are judged now, or that were at a moment."""
        if at is None:
            return self.filter(retired_at=None)
        return self.filter(Q(retired_at=None) | Q(retired_at__gt=at), created_at__lte=at)

    def with_members(self) -> Self:
        """With their candidates, the good ones first: the same number of queries for any sets."""
        members = ReferenceCandidate.objects.select_related("candidate").order_by("-is_good", "pk")
        return self.prefetch_related(Prefetch("members", members))

    def counted(self) -> Self:
        """With `good` and `deficient`, how many candidates of each kind they have."""
        good = Count("members", filter=Q(members__is_good=True))
        return self.annotate(good=good, deficient=Count("members", filter=Q(members__is_good=False)))


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

    objects = ReferenceSetQuerySet.as_manager()

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


class OrderingResultQuerySet(models.QuerySet["OrderingResult"]):
    def of_pair(self, judge_version_id: int, criteria_version_id: int) -> Self:
        """Those of a judge version's own runs on a criteria version, newest first; not as a panel's juror."""
        found = self.filter(judge_version=judge_version_id, criteria_version=criteria_version_id)
        return found.filter(run__judge_version=judge_version_id).order_by("-pk")

    def violations(self, judge_version_id: int, criteria_version_id: int) -> int | None:
        """How many sets that count for certificates the newest run found violated; None: not measured."""
        found = self.of_pair(judge_version_id, criteria_version_id).filter(deciding_sets__gt=0)
        return found.values_list("deciding_violated", flat=True).first()


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

    objects = OrderingResultQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["-pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(name="orderingresult_once", fields=["run", "judge_version"]),
            models.CheckConstraint(name="orderingresult_within_sets", condition=Q(violated__lte=F("sets"))),
        ]

    def __str__(self) -> str:
        return f"{self.judge_version}: {self.violated} of {self.sets} sets violated"
