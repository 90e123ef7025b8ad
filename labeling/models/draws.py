"""How rows were chosen, and with what probability: a row that was likelier to be chosen counts less."""

from collections.abc import Iterable
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from labeling.models.candidates import Candidate, ImportBatch
from labeling.models.criteria import CriteriaVersion


class Draw(models.Model):
    """One choice of rows out of many."""

    class Strategy(models.TextChoices):
        IMPORT = "import", "probabilities given in a file"
        AUDIT = "audit", "live rows that people check"
        RANDOM = "random", "random: each row as likely as any"
        STRATIFIED = "stratified", "by a judge's verdict: enough rows of each kind"
        DISAGREEMENT = "disagreement", "where jurors disagree, for tuning"

    version = models.ForeignKey(CriteriaVersion, on_delete=models.PROTECT, related_name="draws")
    strategy = models.CharField(max_length=20, choices=Strategy)
    judge = models.CharField(max_length=100, blank=True)  # whose verdicts it went by, as slug@version
    seed = models.CharField(max_length=64, blank=True)
    frame = models.PositiveIntegerField(null=True, blank=True)  # rows that were drawn from; null: unknown
    is_equal = models.BooleanField(default=False)  # every row of the frame had the same probability
    batch = models.ForeignKey(
        ImportBatch, null=True, blank=True, on_delete=models.PROTECT, related_name="draws"
    )
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["-pk"]
        constraints: ClassVar = [
            models.CheckConstraint(
                name="draw_strategy_known",
                condition=Q(strategy__in=["import", "audit", "random", "stratified", "disagreement"]),
            ),
        ]

    def __str__(self) -> str:
        return f"draw {self.pk}: {self.get_strategy_display()}"


class DrawnRowQuerySet(models.QuerySet["DrawnRow"]):
    def unequal(self, candidates: Iterable[int]) -> dict[int, float]:
        """Those of the candidates that were drawn unequally, with their probability in the first draw."""
        drawn = self.filter(draw__is_equal=False, candidate__in=candidates).order_by("-pk")
        return dict(drawn.values_list("candidate_id", "probability"))


class DrawnRow(models.Model):
    """A candidate that was drawn. Rows of one stratum had the same probability."""

    draw = models.ForeignKey(Draw, on_delete=models.CASCADE, related_name="rows")
    candidate = models.ForeignKey(Candidate, on_delete=models.PROTECT, related_name="draws")
    probability = models.FloatField()
    stratum = models.CharField(max_length=80, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = DrawnRowQuerySet.as_manager()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(name="drawnrow_once", fields=["draw", "candidate"]),
            models.CheckConstraint(
                name="drawnrow_probability", condition=Q(probability__gt=0, probability__lte=1)
            ),
        ]

    def __str__(self) -> str:
        return f"candidate {self.candidate_id}, drawn with probability {self.probability}"
