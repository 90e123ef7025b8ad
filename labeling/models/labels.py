"""What people say of a candidate. Evidence is added, never overwritten."""

from datetime import datetime
from typing import Any, ClassVar, Self

from django.conf import settings
from django.db import models
from django.db.models import Count, F, OuterRef, Q, Subquery

from labeling.models.candidates import Candidate, ImportBatch
from labeling.models.criteria import CriteriaVersion, Criterion


class Verdict(models.TextChoices):
    """A person's verdict. A judge's verdict is `judging.models.Verdict`, another thing."""

    PASS = "pass", "pass"
    FAIL = "fail", "fail"


class LabelQuerySet(models.QuerySet["Label"]):
    def current(self) -> Self:
        """Labels neither superseded by a correction nor withdrawn by undo."""
        return self.filter(superseded_at=None, withdrawn_at=None)

    def decided_on_page(self) -> Self:
        """One for each decision on the labeling page: the first label, whatever it was corrected to since.

        A decision that was taken back is none, and putting an old label right is no further one.
        """
        return self.filter(supersedes=None, withdrawn_at=None, source=Label.Source.BROWSER)

    def pair_counts(self, version: CriteriaVersion) -> "models.QuerySet[Any, Any]":
        """How often two people's blind labels met on a row: `one`, `other`, their two verdicts, `n`."""
        counts = {"version": version, "blind": True, "superseded_at": None, "withdrawn_at": None}
        others = {f"candidate__labels__{field}": value for field, value in counts.items()}
        return (
            self.filter(**counts, **others, candidate__labels__labeler__gt=F("labeler"))
            .order_by()
            .values(
                "verdict",
                one=F("labeler__username"),
                other=F("candidate__labels__labeler__username"),
                other_verdict=F("candidate__labels__verdict"),
            )
            .annotate(n=Count("pk"))
        )


class Label(models.Model):
    """One person's verdict on one candidate under one criteria version."""

    class Source(models.TextChoices):
        BROWSER = "browser", "browser"
        IMPORT = "import", "import"
        API = "api", "API"
        CARRIED = "carried", "carried from an earlier version"
        HISTORY = "history", "history of one's own labels"  # not to be undone on the labeling page

    candidate = models.ForeignKey(Candidate, on_delete=models.PROTECT, related_name="labels")
    version = models.ForeignKey(CriteriaVersion, on_delete=models.PROTECT, related_name="labels")
    labeler = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="labels")
    verdict = models.CharField(max_length=4, choices=Verdict)
    comment = models.TextField(blank=True)
    blind = models.BooleanField(default=True)
    source = models.CharField(max_length=10, choices=Source)
    batch = models.ForeignKey(
        ImportBatch, null=True, blank=True, on_delete=models.PROTECT, related_name="labels"
    )
    carried_from = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    carried_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    # From seeing the row to deciding, without those in which nobody touched the page.
    seconds = models.PositiveIntegerField(null=True, blank=True)
    idle_seconds = models.PositiveIntegerField(null=True, blank=True)
    # A correction that was taken back leaves the place of the next one free.
    supersedes = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.PROTECT, related_name="corrections"
    )
    superseded_at = models.DateTimeField(null=True, blank=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = LabelQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["pk"]
        indexes: ClassVar = [
            models.Index(name="label_by_version", fields=["version", "candidate"]),
            models.Index(name="label_by_labeler", fields=["labeler", "version", "created_at"]),
        ]
        constraints: ClassVar = [
            models.UniqueConstraint(
                name="label_one_current",
                fields=["candidate", "version", "labeler"],
                condition=Q(superseded_at=None, withdrawn_at=None),
            ),
            models.UniqueConstraint(
                name="label_corrected_once", fields=["supersedes"], condition=Q(withdrawn_at=None)
            ),
            models.CheckConstraint(name="label_verdict_known", condition=Q(verdict__in=["pass", "fail"])),
        ]

    def __str__(self) -> str:
        return f"{self.verdict} by {self.labeler}"


class RepeatQuerySet(models.QuerySet["Repeat"]):
    def current(self) -> Self:
        """Those that no undo replaced, of labels that still count."""
        return self.filter(withdrawn_at=None, label__superseded_at=None, label__withdrawn_at=None)

    def answered(self) -> Self:
        """Those that count as a second answer of the same person."""
        return self.current().exclude(answered_at=None)

    def waiting(self, now: datetime) -> Self:
        """Those that their labeler is looking at or may be asked from `now` on.

        Never the row that they labelled last; where repeats are switched off, only what they are looking at.
        """
        own = {"version": OuterRef("label__version"), "labeler": OuterRef("label__labeler")}
        last = Label.objects.decided_on_page().filter(**own).order_by("-created_at", "-pk").values("pk")
        due = Q(due_at__lte=now, label__version__criteria_set__repeat_share__gt=0)
        shown = Q(shown_at__isnull=False)
        return self.current().filter(shown | due & ~Q(label=Subquery(last[:1])), answered_at=None)


class Repeat(models.Model):
    """A labeler is asked once more about a row that they labelled, apart in time and unannounced.

    The second answer is kept here and never among the labels: it decides nothing, it only measures how far
    one person agrees with themselves.
    """

    label = models.ForeignKey(Label, on_delete=models.PROTECT, related_name="repeats")
    due_at = models.DateTimeField()  # not asked before
    shown_at = models.DateTimeField(null=True, blank=True)
    answered_at = models.DateTimeField(null=True, blank=True)
    verdict = models.CharField(max_length=4, choices=Verdict, blank=True)  # "" until answered
    marks = models.JSONField(default=dict, blank=True)  # {criterion name: score}
    comment = models.TextField(blank=True)
    blind = models.BooleanField(default=True)  # no labels of others and no judge's verdict were shown before
    seconds = models.PositiveIntegerField(null=True, blank=True)
    idle_seconds = models.PositiveIntegerField(null=True, blank=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    objects = RepeatQuerySet.as_manager()

    class Meta:
        indexes: ClassVar = [
            models.Index(name="repeat_due", fields=["due_at"], condition=Q(answered_at=None))
        ]
        constraints: ClassVar = [
            models.UniqueConstraint(name="repeat_once", fields=["label"], condition=Q(withdrawn_at=None)),
            models.CheckConstraint(
                name="repeat_answer_whole",
                condition=Q(answered_at=None, verdict="")
                | Q(answered_at__isnull=False, verdict__in=["pass", "fail"]),
            ),
        ]

    def __str__(self) -> str:
        return f"repeat of label {self.label_id}: {self.verdict or 'not answered'}"


class Mark(models.Model):
    """A person's score on one criterion, part of a label."""

    label = models.ForeignKey(Label, on_delete=models.PROTECT, related_name="marks")
    criterion = models.ForeignKey(Criterion, on_delete=models.PROTECT, related_name="marks")
    score = models.SmallIntegerField()

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(name="mark_once", fields=["label", "criterion"])]

    def __str__(self) -> str:
        return f"{self.criterion}: {self.score}"


class RulingQuerySet(models.QuerySet["Ruling"]):
    def current(self) -> Self:
        """Rulings that no later one supersedes."""
        return self.filter(superseded_at=None)


class Ruling(models.Model):
    """A lead's decision where labels conflict; `unresolved` where a file contradicts itself."""

    class Decision(models.TextChoices):
        PASS = "pass", "pass"
        FAIL = "fail", "fail"
        UNRESOLVED = "unresolved", "unresolved"

    class Source(models.TextChoices):
        BROWSER = "browser", "browser"
        IMPORT = "import", "import"
        CARRIED = "carried", "carried from an earlier version"

    candidate = models.ForeignKey(Candidate, on_delete=models.PROTECT, related_name="rulings")
    version = models.ForeignKey(CriteriaVersion, on_delete=models.PROTECT, related_name="rulings")
    verdict = models.CharField(max_length=10, choices=Decision)
    reason = models.TextField(blank=True)
    blind = models.BooleanField()  # the lead was not shown a judge's verdict on this row
    source = models.CharField(max_length=10, choices=Source)
    batch = models.ForeignKey(
        ImportBatch, null=True, blank=True, on_delete=models.PROTECT, related_name="rulings"
    )
    carried_from = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    carried_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    ruled_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="rulings"
    )
    supersedes = models.OneToOneField(
        "self", null=True, blank=True, on_delete=models.PROTECT, related_name="superseded_by"
    )
    superseded_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = RulingQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                name="ruling_one_current", fields=["candidate", "version"], condition=Q(superseded_at=None)
            ),
            models.CheckConstraint(
                name="ruling_verdict_known", condition=Q(verdict__in=["pass", "fail", "unresolved"])
            ),
        ]

    def __str__(self) -> str:
        return f"ruled {self.verdict}"
