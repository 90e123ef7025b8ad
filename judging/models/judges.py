"""Judges and their immutable versions."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q


class Judge(models.Model):
    """A named judge: one model, a panel or a recording, by what its versions say."""

    slug = models.SlugField(max_length=80, unique=True)
    live_version = models.ForeignKey(
        "JudgeVersion", null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["slug"]

    def __str__(self) -> str:
        return self.slug


class JudgeVersion(models.Model):
    """One immutable, numbered state of a judge; its fingerprint is a hash of all that makes it judge so."""

    class Kind(models.TextChoices):
        MODEL = "model", "model"
        PANEL = "panel", "panel"
        RECORDED = "recorded", "recorded"

    class OnSplit(models.TextChoices):
        MAJORITY = "majority", "the majority decides"
        HUMAN = "human", "people decide"

    judge = models.ForeignKey(Judge, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    kind = models.CharField(max_length=10, choices=Kind)
    fingerprint = models.CharField(max_length=64, db_index=True)

    # A model: what is asked, where, and how. Secrets are named, never stored.
    model = models.CharField(max_length=200, blank=True)
    family = models.CharField(max_length=80, blank=True)
    base_url_env = models.CharField(max_length=80, blank=True)
    api_key_env = models.CharField(max_length=80, blank=True)
    params = models.JSONField(default=dict, blank=True)
    template = models.CharField(max_length=40, blank=True)  # the prompt template's name, such as juror-1
    # Rows of the `tune` split that are shown with every question, as they stood: see judging.domain.examples.
    examples = models.JSONField(default=dict, blank=True)
    price = models.JSONField(
        null=True, blank=True
    )  # {"input": per million tokens, "output": …} in US dollars

    # A recorded judge: nothing is asked, its verdicts were brought in from a file.
    recording = models.ForeignKey(
        "Recording", null=True, blank=True, on_delete=models.PROTECT, related_name="judge_versions"
    )
    # So is a panel with such a juror: what is measured of it says so wherever it is shown.
    has_recorded = models.BooleanField(default=False)

    # A panel: its members at these very versions, and what becomes of a split.
    members: "models.ManyToManyField[JudgeVersion, PanelMember]" = models.ManyToManyField(
        "self", through="PanelMember", symmetrical=False, related_name="panels"
    )
    on_split = models.CharField(max_length=10, choices=OnSplit, default=OnSplit.MAJORITY)

    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["judge_id", "number"]
        constraints: ClassVar = [
            models.UniqueConstraint(name="judgeversion_number", fields=["judge", "number"]),
            models.CheckConstraint(
                name="judgeversion_model_or_panel",
                condition=(Q(kind="model") & ~Q(model=""))
                | (Q(kind="panel") & Q(model=""))
                | Q(kind="recorded", recording__isnull=False),
            ),
            models.CheckConstraint(
                name="judgeversion_recorded_says_so",
                condition=Q(kind="panel")
                | Q(kind="model", has_recorded=False)
                | Q(kind="recorded", has_recorded=True),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.judge.slug}@{self.number}"

    def jurors(self) -> "list[JudgeVersion]":
        """Who gives verdicts: a panel's members in their order, or the judge itself."""
        if self.kind != self.Kind.PANEL:
            return [self]
        return [seat.juror for seat in self.seats.all()]


class PanelMember(models.Model):
    """One juror's seat in a panel version."""

    panel = models.ForeignKey(JudgeVersion, on_delete=models.CASCADE, related_name="seats")
    juror = models.ForeignKey(JudgeVersion, on_delete=models.PROTECT, related_name="+")
    position = models.PositiveSmallIntegerField()

    class Meta:
        ordering: ClassVar = ["panel_id", "position"]
        constraints: ClassVar = [
            models.UniqueConstraint(name="panelmember_position_once", fields=["panel", "position"]),
            models.UniqueConstraint(name="panelmember_juror_once", fields=["panel", "juror"]),
            models.CheckConstraint(name="panelmember_not_itself", condition=~Q(panel=F("juror"))),
        ]

    def __str__(self) -> str:
        return f"{self.juror} sits in {self.panel}"
