"""Criteria sets, their immutable versions, and who may do what in them."""

from decimal import Decimal
from typing import Any, ClassVar

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q


class Changed(TypeError):
    """Somebody tried to change a row that never changes."""


class Immutable(models.Model):
    """A row that is written once. What was judged by it must stay what it was."""

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Write a new row; raise `Changed` for one that exists."""
        if not self._state.adding:
            raise Changed(f"{self} is never changed; add a new criteria version instead.")
        super().save(*args, **kwargs)


def default_looks() -> list[int]:
    """When the rule `bound` looks, in scored rows, where a lead plans nothing else."""
    return [30, 60, 100, 150, 200, 300, 400]


class CriteriaSet(models.Model):
    """A named rubric with the policy by which judges are certified against it."""

    class Rule(models.TextChoices):
        POINT = "point", "point: kappa reaches the bar"
        BOUND = "bound", "bound: the lower bound of kappa reaches the bar"

    class OnSplit(models.TextChoices):
        MAJORITY = "majority", "the majority decides"
        HUMAN = "human", "people decide"

    class OnSkip(models.TextChoices):
        REPORT = "report", "say so"
        BLOCK = "block", "block"

    slug = models.SlugField(max_length=80, unique=True)
    name = models.CharField(max_length=200)
    description = models.TextField(blank=True)
    live_version = models.ForeignKey(
        "CriteriaVersion", null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    # Who labels what, and how often.
    labels_per_row = models.PositiveSmallIntegerField(default=1, validators=[MinValueValidator(1)])
    # Where one label per row is wanted: the share of rows that two people label, and the fewest of these.
    double_share = models.DecimalField(
        max_digits=4,
        decimal_places=3,
        default=Decimal("0.200"),
        validators=[MinValueValidator(Decimal(0)), MaxValueValidator(Decimal(1))],
    )
    double_rows = models.PositiveIntegerField(default=30)
    # The share of somebody's labels that they are asked about once more, unannounced.
    repeat_share = models.DecimalField(
        max_digits=4,
        decimal_places=3,
        default=Decimal("0.050"),
        validators=[MinValueValidator(Decimal(0)), MaxValueValidator(Decimal(1))],
    )
    shows_labels = models.BooleanField(default=True)  # what others said, to a labeler who has decided
    daily_goal = models.PositiveIntegerField(default=50)  # rows for each labeler; 0 for none
    rows_goal = models.PositiveIntegerField(default=300)  # settled rows of the set; 0 for none

    on_split = models.CharField(max_length=10, choices=OnSplit, default=OnSplit.MAJORITY)
    on_skip = models.CharField(max_length=10, choices=OnSkip, default=OnSkip.REPORT)
    public_badge = models.BooleanField(default=False)

    # The certificate policy; a certificate keeps the values it was decided by.
    rule = models.CharField(max_length=10, choices=Rule, default=Rule.POINT)
    bar = models.DecimalField(
        max_digits=4,
        decimal_places=3,
        default=Decimal("0.650"),
        validators=[MinValueValidator(Decimal("0.001")), MaxValueValidator(Decimal(1))],
    )
    min_rows = models.PositiveIntegerField(default=30)
    min_per_class = models.PositiveIntegerField(default=5)
    min_coverage = models.DecimalField(
        max_digits=4,
        decimal_places=3,
        default=Decimal("0.950"),
        validators=[MinValueValidator(Decimal(0)), MaxValueValidator(Decimal(1))],
    )
    max_age_days = models.PositiveIntegerField(default=30, validators=[MinValueValidator(1)])
    demand_ordering = models.BooleanField(default=False)
    demand_human_ceiling = models.BooleanField(default=False)
    # The plan of the rule `bound`: scored rows at which one may look, and the rows by which all is spent.
    looks = models.JSONField(default=default_looks)
    n_max = models.PositiveIntegerField(default=400, validators=[MinValueValidator(1)])

    # Of the live candidates that judges score, the share that people label too, to see judges drift.
    audit_share = models.DecimalField(
        max_digits=4,
        decimal_places=3,
        default=Decimal("0.050"),
        validators=[MinValueValidator(Decimal(0)), MaxValueValidator(Decimal(1))],
    )

    archived_at = models.DateTimeField(null=True, blank=True)  # out of sight and closed to labels; kept whole
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["slug"]
        constraints: ClassVar = [
            models.CheckConstraint(name="criteriaset_bar_in_0_1", condition=Q(bar__gt=0, bar__lte=1)),
            models.CheckConstraint(
                name="criteriaset_coverage_in_0_1", condition=Q(min_coverage__gte=0, min_coverage__lte=1)
            ),
            models.CheckConstraint(
                name="criteriaset_audit_share_in_0_1", condition=Q(audit_share__gte=0, audit_share__lte=1)
            ),
            models.CheckConstraint(name="criteriaset_wants_a_label", condition=Q(labels_per_row__gte=1)),
            models.CheckConstraint(
                name="criteriaset_double_share_in_0_1", condition=Q(double_share__gte=0, double_share__lte=1)
            ),
            models.CheckConstraint(
                name="criteriaset_repeat_share_in_0_1", condition=Q(repeat_share__gte=0, repeat_share__lte=1)
            ),
        ]

    def __str__(self) -> str:
        return self.slug


class Membership(models.Model):
    """What one person is in one criteria set; who has none gets 404 there."""

    class Role(models.TextChoices):
        LABELER = "labeler", "labeler"
        LEAD = "lead", "lead"

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships")
    criteria_set = models.ForeignKey(CriteriaSet, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role, default=Role.LABELER)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(name="membership_once", fields=["user", "criteria_set"]),
        ]

    def __str__(self) -> str:
        return f"{self.user} is {self.role} of {self.criteria_set}"


class CriteriaVersion(Immutable):
    """One immutable, numbered state of a criteria set. Never updated once it exists."""

    criteria_set = models.ForeignKey(CriteriaSet, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    threshold = models.DecimalField(max_digits=4, decimal_places=3, default=Decimal("0.700"))
    content_hash = models.CharField(max_length=64)
    note = models.TextField(blank=True)
    archived_at = models.DateTimeField(null=True, blank=True)  # a draft that nobody goes on with; no content
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["criteria_set_id", "number"]
        constraints: ClassVar = [
            models.UniqueConstraint(name="criteriaversion_number", fields=["criteria_set", "number"]),
            models.CheckConstraint(
                name="criteriaversion_threshold_in_0_1", condition=Q(threshold__gt=0, threshold__lte=1)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.criteria_set.slug}@{self.number}"


class Criterion(Immutable):
    """One item of a criteria version, scored by the judge or by a named rule."""

    version = models.ForeignKey(CriteriaVersion, on_delete=models.CASCADE, related_name="criteria")
    position = models.PositiveSmallIntegerField()
    name = models.CharField(max_length=80)
    description = models.TextField()
    weight = models.PositiveIntegerField(default=1)
    required = models.BooleanField(default=True)
    scale_min = models.SmallIntegerField(default=0)
    scale_max = models.SmallIntegerField(default=1)
    minimum = models.SmallIntegerField(null=True, blank=True, default=1)  # what a required one must reach
    strategy = models.CharField(max_length=40, default="judge")
    params = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering: ClassVar = ["version_id", "position"]
        verbose_name_plural = "criteria"
        constraints: ClassVar = [
            models.UniqueConstraint(name="criterion_name_once", fields=["version", "name"]),
            models.UniqueConstraint(name="criterion_position_once", fields=["version", "position"]),
            models.CheckConstraint(name="criterion_weight_positive", condition=Q(weight__gt=0)),
            models.CheckConstraint(name="criterion_scale_rises", condition=Q(scale_min__lt=F("scale_max"))),
            models.CheckConstraint(
                name="criterion_required_has_minimum",
                condition=Q(required=False) | Q(minimum__isnull=False),
            ),
            models.CheckConstraint(
                name="criterion_minimum_on_scale",
                condition=Q(minimum__gte=F("scale_min"), minimum__lte=F("scale_max")),
            ),
        ]

    def __str__(self) -> str:
        return self.name
