"""Certificates: what was decided from a calibration, event by event."""

from datetime import datetime
from fractions import Fraction
from typing import ClassVar, Self

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from judging.domain.figures import shown_kappa
from judging.domain.reasons import CertificateReason, Reason
from judging.models.calibrations import Calibration
from judging.models.judges import JudgeVersion
from labeling.domain.agreement import kappa_exact
from labeling.models import CriteriaSet, CriteriaVersion


class CertificateQuerySet(models.QuerySet["Certificate"]):
    def current(self) -> Self:
        """The event in force for each judge version and criteria version."""
        return self.filter(superseded_at=None)

    def of_pair(self, judge_version_id: int, criteria_version_id: int) -> Self:
        """Every event of one judge version on one criteria version, superseded or not."""
        return self.filter(judge_version=judge_version_id, criteria_version=criteria_version_id)

    def of_judge_version(self, number: int | None) -> Self:
        """Those of the judge version with this number; None: of each judge's live one."""
        if number is None:
            return self.filter(judge_version=F("judge_version__judge__live_version"))
        return self.filter(judge_version__number=number)

    def of_criteria_version(self, number: int | None) -> Self:
        """Those on the criteria version with this number; None: on each criteria set's live one."""
        if number is None:
            return self.filter(criteria_version=F("criteria_version__criteria_set__live_version"))
        return self.filter(criteria_version__number=number)

    def certified(self, now: datetime) -> Self:
        """Those that certify at `now`."""
        return self.filter(status="certified", expires_at__gt=now)

    def uncertified(self, now: datetime) -> Self:
        """Those that do not, the expired among them."""
        return self.filter(~Q(status="certified") | Q(expires_at__lte=now))

    def not_outdated(self) -> Self:
        """Those of live versions and of newer ones, which are drafts that may be promoted."""
        return self.filter(
            Q(judge_version__judge__live_version=None)
            | Q(judge_version__number__gte=F("judge_version__judge__live_version__number")),
            Q(criteria_version__criteria_set__live_version=None)
            | Q(criteria_version__number__gte=F("criteria_version__criteria_set__live_version__number")),
        )

    def outdated(self) -> Self:
        """Those of which the judge's or the criteria's version is older than the live one."""
        return self.filter(
            Q(judge_version__number__lt=F("judge_version__judge__live_version__number"))
            | Q(criteria_version__number__lt=F("criteria_version__criteria_set__live_version__number"))
        )

    def within(self, sets: models.QuerySet[CriteriaSet]) -> Self:
        """Those of criteria sets that the reader may see."""
        return self.filter(criteria_version__criteria_set__in=sets)

    def with_versions(self) -> Self:
        """With the judge and the criteria it is about, in the same query."""
        return self.select_related("judge_version__judge", "criteria_version__criteria_set")

    def with_names(self) -> Self:
        """With all that a certificate is shown by, in the same query."""
        return self.with_versions().select_related("calibration")


class Certificate(models.Model):
    """An event in the life of a certificate. Only added to; the newest, not superseded, is in force."""

    class Status(models.TextChoices):
        CERTIFIED = "certified", "certified"
        UNCERTIFIED = "uncertified", "uncertified"

    class Cause(models.TextChoices):
        RUN = "run", "a calibration run ended"
        GOLDEN_SET = "golden_set", "labels or rulings were corrected"
        RETRY = "retry", "answers that had failed for a passing reason were asked for again"
        POLICY = "policy", "the policy was changed"
        ORDERING = "ordering", "reference sets were judged"
        REPLAY = "replay", "a golden replay came out worse"
        DRIFT = "drift", "people disagreed with it too often on live rows"
        PROVIDER_MODEL = "provider_model", "the provider answered with another model"
        REINSTATED = "reinstated", "a suspension was lifted"
        EXPIRED = "expired", "its time ran out"

    judge_version = models.ForeignKey(JudgeVersion, on_delete=models.PROTECT, related_name="certificates")
    criteria_version = models.ForeignKey(
        CriteriaVersion, on_delete=models.PROTECT, related_name="certificates"
    )
    calibration = models.ForeignKey(Calibration, on_delete=models.PROTECT, related_name="certificates")
    status = models.CharField(max_length=12, choices=Status)
    reasons = models.JSONField(default=list)  # [{"code", "message"}]
    warnings = models.JSONField(default=list)  # the same shape; they block nothing
    policy = models.JSONField()  # as it was when this was decided
    rule = models.CharField(max_length=10)
    bar = models.DecimalField(max_digits=4, decimal_places=3)
    kappa = models.FloatField(null=True)  # null: undefined
    interval_low = models.FloatField(null=True)
    interval_high = models.FloatField(null=True)
    lower_bound = models.FloatField(null=True)  # one-sided 95 %
    n = models.PositiveIntegerField()
    n_pass = models.PositiveIntegerField()
    n_fail = models.PositiveIntegerField()
    agreement = models.FloatField(null=True)
    coverage = models.FloatField(null=True)
    kappa_worst_case = models.FloatField(null=True)
    attempt = models.PositiveIntegerField(default=1)
    # The rule `bound`: the planned look that was taken with these rows (null: none was due), kappa's score
    # statistic against the bar, what it had to reach, the bound that holds at all looks together, and the
    # scored rows at which the next look is planned (null: none is left).
    look = models.PositiveSmallIntegerField(null=True, blank=True)
    z = models.FloatField(null=True, blank=True)
    boundary = models.FloatField(null=True, blank=True)
    bound_at_looks = models.FloatField(null=True, blank=True)
    # What the counts behind it say, as the API tells it; null: of a certificate from before this was kept.
    behind = models.JSONField(null=True, blank=True)
    next_look = models.PositiveIntegerField(null=True, blank=True)
    # Certify rows of this criteria version on which somebody has been shown a judge's verdict.
    opened_rows = models.PositiveIntegerField(default=0)
    calibrated_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    cause = models.CharField(max_length=20, choices=Cause)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    note = models.TextField(blank=True)  # what led to it, or why somebody lifted a suspension
    superseded_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = CertificateQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["-pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                name="certificate_one_current",
                fields=["judge_version", "criteria_version"],
                condition=Q(superseded_at=None),
            ),
            models.CheckConstraint(
                name="certificate_status_known", condition=Q(status__in=["certified", "uncertified"])
            ),
            models.CheckConstraint(
                name="certificate_certified_has_kappa",
                condition=~Q(status="certified") | Q(kappa__isnull=False),
            ),
            models.CheckConstraint(
                name="certificate_expires_later", condition=Q(expires_at__gt=F("calibrated_at"))
            ),
        ]

    def __str__(self) -> str:
        return f"{self.judge_version} on {self.criteria_version}: {self.status}"

    @property
    def against(self) -> tuple[Reason, ...]:
        """All that this event tells against the judge."""
        return _as_reasons(self.reasons)

    @property
    def beside(self) -> tuple[Reason, ...]:
        """What it tells beside the answer and that blocks nothing."""
        return _as_reasons(self.warnings)

    @property
    def exact_kappa(self) -> Fraction | None:
        """From the counts, unless rows weigh unequally; None where kappa does not exist."""
        if self.kappa is None:
            return None
        return Fraction(self.kappa) if self.calibration.strata else kappa_exact(self.calibration.table)

    @property
    def shown_kappa(self) -> str:
        """Kappa for people: never rounded up to a bar that it misses."""
        return shown_kappa(self.exact_kappa, self.bar)

    @property
    def shown_bound(self) -> str:
        """The lower bound, likewise."""
        return shown_kappa(None if self.lower_bound is None else Fraction(self.lower_bound), self.bar)

    def is_certified(self, now: datetime) -> bool:
        """The effective state: an expired certificate certifies nothing."""
        return self.status == self.Status.CERTIFIED and now < self.expires_at


def _as_reasons(stored: list[dict[str, str]]) -> tuple[Reason, ...]:
    return tuple(Reason(CertificateReason(each["code"]), each["detail"], each["message"]) for each in stored)
