"""How rows were chosen, and with what probability: a row that was likelier to be chosen counts less."""

from collections.abc import Iterable
from typing import Any, ClassVar, Self, TypedDict

from django.conf import settings
from django.db import models
from django.db.models import Count, Exists, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce
from django_stubs_ext import WithAnnotations

from labeling.models.candidates import Candidate, ImportBatch
from labeling.models.criteria import CriteriaSet, CriteriaVersion


class Progress(TypedDict):
    """What `with_progress` annotates: numbers of rows."""

    drawn: int
    fresh: int
    labelled: int


class DrawQuerySet(models.QuerySet["Draw"]):
    def by_leads(self) -> Self:
        """Those that a lead made."""
        return self.filter(strategy__in=["random", "stratified", "disagreement"])

    def stratified(self, criteria_set: CriteriaSet | int) -> Self:
        """Those of the criteria set by a judge's verdict, the first one first."""
        return self.filter(strategy="stratified", version__criteria_set=criteria_set).order_by("pk")

    def with_progress(self) -> "models.QuerySet[WithAnnotations[Draw, Progress]]":
        """Annotate `drawn`, rows; `fresh`, those that no draw before held; `labelled`, by whomever."""
        from labeling.models.labels import Label, Ruling

        rows = DrawnRow.objects.filter(draw=OuterRef("pk"))
        said = {"candidate": OuterRef("candidate"), "version": OuterRef("draw__version")}
        heard = Exists(Label.objects.current().filter(**said)) | Exists(
            Ruling.objects.current().filter(**said)
        )
        before = {"candidate": OuterRef("candidate"), "draw__lt": OuterRef("draw")}
        earlier = Exists(DrawnRow.objects.filter(**before, draw__strategy="stratified"))
        counted: models.QuerySet[Any] = self.annotate(
            drawn=_number(rows), fresh=_number(rows.exclude(earlier)), labelled=_number(rows.filter(heard))
        )
        return counted


def _number(rows: "models.QuerySet[DrawnRow]") -> Coalesce:
    counted = rows.order_by().values("draw").annotate(number=Count("pk")).values("number")
    return Coalesce(Subquery(counted), 0)


class Draw(models.Model):
    """One choice of rows out of many.

    A stratified draw holds the rows of those before it as well, with the probability that each has since; so
    the newest one tells which rows stand for which. `frame`: the rows of all its strata.
    """

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

    objects = DrawQuerySet.as_manager()

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
    def weighing(self) -> Self:
        """Rows that weigh by their probability, by the order of draws: of a candidate the last one counts."""
        return self.filter(draw__is_equal=False, probability__isnull=False).order_by("pk")

    def stratum_sizes(self, draws: Iterable[int]) -> dict[tuple[int, str], int]:
        """How many rows each stratum of these draws stands for, drawn or not, by draw and stratum."""
        drawn = self.filter(draw__in=draws, probability__isnull=False).exclude(stratum="").order_by()
        counted = drawn.values_list("draw_id", "stratum", "probability").annotate(rows=Count("pk"))
        # Whole numbers: a probability is the rows that were drawn, over these.
        return {(draw, name): round(rows / chance) for draw, name, chance, rows in counted if chance}

    def unequal(self, candidates: Iterable[int]) -> dict[int, float]:
        """Those of the candidates that were drawn unequally, with their probability in the newest draw."""
        drawn = self.weighing().filter(candidate__in=candidates)
        return {
            candidate: chance
            for candidate, chance in drawn.values_list("candidate_id", "probability")
            if chance
        }


class DrawnRow(models.Model):
    """A candidate that was drawn. Rows of one stratum had the same probability."""

    draw = models.ForeignKey(Draw, on_delete=models.CASCADE, related_name="rows")
    candidate = models.ForeignKey(Candidate, on_delete=models.PROTECT, related_name="draws")
    probability = models.FloatField(null=True, blank=True)  # null: unknown, as of rows for tuning
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
        known = "unknown probability" if self.probability is None else f"probability {self.probability}"
        return f"candidate {self.candidate_id}, drawn with {known}"
