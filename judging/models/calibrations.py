"""Calibrations: what a judge said of rows that people settled, counted."""

from typing import TYPE_CHECKING, Any, ClassVar, Self

from django.db import models
from django.db.models import Q

from judging.domain.measured import Measured
from judging.models.judges import JudgeVersion
from judging.models.runs import Run, Verdict
from labeling.domain.agreement import Table
from labeling.domain.agreement.drawn import Stratum
from labeling.models import Candidate, CriteriaVersion

if TYPE_CHECKING:
    from judging.models.certificates import Certificate


class CalibrationQuerySet(models.QuerySet["Calibration"]):
    def replays_of(self, certificate: "Certificate") -> Self:
        """The golden replays of its versions as they are counted now, those that ended last first.

        Where the judge was only a juror of the panel that was replayed, that is no replay of it.
        """
        counted = self.filter(
            run__kind=Run.Kind.REPLAY,
            run__judge_version=certificate.judge_version_id,
            judge_version=certificate.judge_version_id,
            criteria_version=certificate.criteria_version_id,
            is_current=True,
        )
        return counted.select_related("run").order_by("-run__finished_at", "-run")


class Calibration(models.Model):
    """The 2×2 counts of one judge version against the golden set. Dashboards read these, never verdicts.

    a, b, c, d: rows human (pass, fail), columns judge (pass, fail). A panel's run has one
    for each juror too.
    """

    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="calibrations")
    judge_version = models.ForeignKey(JudgeVersion, on_delete=models.PROTECT, related_name="calibrations")
    criteria_version = models.ForeignKey(
        CriteriaVersion, on_delete=models.PROTECT, related_name="calibrations"
    )
    a = models.PositiveIntegerField()
    b = models.PositiveIntegerField()
    c = models.PositiveIntegerField()
    d = models.PositiveIntegerField()
    skipped_pass = models.PositiveIntegerField(default=0)  # skipped rows whose human verdict is pass
    skipped_fail = models.PositiveIntegerField(default=0)
    escalated = models.PositiveIntegerField(default=0)
    unresolved = models.PositiveIntegerField(default=0)  # certify rows that people have not settled
    # The same table without the rows that Layer 1 would have killed.
    unkilled_a = models.PositiveIntegerField(default=0)
    unkilled_b = models.PositiveIntegerField(default=0)
    unkilled_c = models.PositiveIntegerField(default=0)
    unkilled_d = models.PositiveIntegerField(default=0)
    # Rows that each Layer-1 check kills: {"check": [of rows that people pass, of those they fail]}, and under
    # "" those that none kills; null: not counted.
    layer1 = models.JSONField(null=True, blank=True)
    # Where rows were drawn unequally: {"stratum": {"probability", "a", "b", "c", "d", "skipped_pass",
    # "skipped_fail"}}; null: nowhere.
    strata = models.JSONField(null=True, blank=True)
    # The larger of kappa's standard errors over rows and over requests, and the square of how much larger the
    # second is; null: kappa is undefined, or this was not computed.
    standard_error = models.FloatField(null=True, blank=True)
    design_effect = models.FloatField(null=True, blank=True)
    # How far people agree with each other on this criteria version; null: not measured.
    human_kappa = models.FloatField(null=True, blank=True)
    human_rows = models.PositiveIntegerField(default=0)
    # {"method", "alone": people with themselves, "labelers", "left_out", "interval": [low, high] or null};
    # null: not measured, or not kept then.
    human_details = models.JSONField(null=True, blank=True)
    run_complete = models.BooleanField(default=True)
    attempt = models.PositiveIntegerField(default=1)
    golden_hash = models.CharField(max_length=64)
    as_of = models.DateTimeField()
    is_current = models.BooleanField(default=True)  # false once recomputed after a correction of labels
    created_at = models.DateTimeField(auto_now_add=True)

    objects = CalibrationQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["-pk"]
        indexes: ClassVar = [
            models.Index(name="calibration_newest", fields=["criteria_version", "judge_version", "-id"])
        ]
        constraints: ClassVar = [
            models.UniqueConstraint(
                name="calibration_one_current", fields=["run", "judge_version"], condition=Q(is_current=True)
            )
        ]

    def __str__(self) -> str:
        return f"calibration of {self.judge_version} in run {self.run_id}"

    @property
    def rows(self) -> "CalibrationRowQuerySet":
        """The rows that were counted here: those that came with this count, and earlier ones that stayed."""
        return CalibrationRow.objects.counted_in(self)

    @property
    def table(self) -> Table:
        """Rows that people settled and the judge scored."""
        return Table(self.a, self.b, self.c, self.d)

    @property
    def measured(self) -> Measured:
        """Kappa and what follows from it, by what each row weighs."""
        strata = [
            Stratum(each["probability"], Table(*(each[cell] for cell in "abcd"))) for each in self._strata
        ]
        return Measured(self.table, tuple(strata), self.design_effect or 1.0)

    @property
    def worst_strata(self) -> tuple[Stratum, ...]:
        """Rows by their probability with every skip counted as the opposite of what people say."""
        return tuple(
            Stratum(
                each["probability"],
                Table(
                    each["a"], each["b"] + each["skipped_pass"], each["c"] + each["skipped_fail"], each["d"]
                ),
            )
            for each in self._strata
        )

    @property
    def _strata(self) -> list[dict[str, Any]]:
        return list((self.strata or {}).values())

    @property
    def unkilled_table(self) -> Table:
        """The same without the rows that Layer 1 would have killed."""
        return Table(self.unkilled_a, self.unkilled_b, self.unkilled_c, self.unkilled_d)

    @property
    def people_alone(self) -> bool:
        """Whether `human_kappa` is of people with themselves: hardly anybody else labelled the same rows."""
        return bool(self.human_details and self.human_details["alone"])

    @property
    def skipped(self) -> int:
        """Settled rows on which the judge gave no verdict."""
        return self.skipped_pass + self.skipped_fail


class CalibrationRowQuerySet(models.QuerySet["CalibrationRow"]):
    def counted_in(self, calibration: Calibration) -> Self:
        """The rows of one calibration. A recount adds only the rows that changed; all others go on."""
        series = self.filter(
            calibration__run=calibration.run_id, calibration__judge_version=calibration.judge_version_id
        )
        return series.filter(
            Q(ended_by=None) | Q(ended_by__gt=calibration.pk), calibration__lte=calibration.pk
        )


class CalibrationRow(models.Model):
    """One golden row of a calibration and of its recounts: what people say, what the judge says."""

    calibration = models.ForeignKey(Calibration, on_delete=models.CASCADE, related_name="+")  # the first
    # The first recount in which the row no longer stands like this; null: it still does.
    ended_by = models.ForeignKey(
        Calibration, null=True, blank=True, on_delete=models.CASCADE, related_name="+"
    )
    candidate = models.ForeignKey(Candidate, on_delete=models.PROTECT, related_name="+")
    verdict = models.ForeignKey(Verdict, on_delete=models.PROTECT, related_name="+")
    truth = models.CharField(max_length=10)
    outcome = models.CharField(max_length=10)
    killed_by = models.CharField(max_length=40, blank=True)  # the Layer-1 check that would have killed it
    # How likely the row was to be drawn, and from which part of the frame; 1: it was not drawn unequally.
    probability = models.FloatField(default=1.0)
    stratum = models.CharField(max_length=100, blank=True)

    objects = CalibrationRowQuerySet.as_manager()

    class Meta:
        indexes: ClassVar = [
            models.Index(name="calibrationrow_cell", fields=["calibration", "truth", "outcome"])
        ]
        constraints: ClassVar = [
            models.UniqueConstraint(name="calibrationrow_once", fields=["calibration", "candidate"]),
            models.CheckConstraint(name="calibrationrow_settled", condition=Q(truth__in=["pass", "fail"])),
        ]

    def __str__(self) -> str:
        return f"human {self.truth}, judge {self.outcome}"
