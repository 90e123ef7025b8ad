"""Candidates, how they arrived, and what makes one golden."""

from typing import Any, ClassVar, Self, TypedDict

from django.conf import settings
from django.db import models
from django.db.models import Case, Exists, F, OuterRef, Q, Subquery, Sum, Value, When
from django.db.models.functions import Coalesce
from django_stubs_ext import WithAnnotations

from labeling.models.criteria import CriteriaSet, CriteriaVersion


class Truths(TypedDict):
    """What `with_truth` annotates."""

    truth: str | None


class CandidateQuerySet(models.QuerySet["Candidate"]):
    """Questions about candidates; none of them writes."""

    def with_truth(
        self, version: CriteriaVersion | OuterRef
    ) -> "models.QuerySet[WithAnnotations[Candidate, Truths]]":
        """Annotate `truth`: `pass`, `fail`, `unresolved`, or None where nobody has decided.

        `version` may be a reference to the row's own, such as `OuterRef("criteria_set__live_version")`.

        The SQL form of `labeling.domain.truth.settle`; a test holds the two together.
        """
        from labeling.models.labels import Label, Ruling

        mine = {"candidate": OuterRef("pk"), "version": version}
        labels = Label.objects.current().filter(**mine, blind=True).order_by().values("candidate")
        majority = labels.annotate(lead=Sum(Case(When(verdict="pass", then=1), default=-1))).annotate(
            word=Case(
                When(lead__gt=0, then=Value("pass")),
                When(lead__lt=0, then=Value("fail")),
                default=Value("unresolved"),
            )
        )
        without_effect = Q(candidate__split="certify", blind=False)
        ruling = (
            Ruling.objects.current()
            .filter(**mine)
            .annotate(word=Case(When(without_effect, then=Value("unresolved")), default=F("verdict")))
        )
        # Each subquery stands in the statement once: with counts to compare it would be run for each of them.
        settled: models.QuerySet[Any] = self.annotate(
            truth=Coalesce(Subquery(ruling.values("word")[:1]), Subquery(majority.values("word")))
        )
        return settled

    def for_people(self) -> Self:
        """Without those that came only as members of reference sets: nobody is asked to label them."""
        reference = Submission.Source.REFERENCE
        otherwise = Submission.objects.filter(candidate=OuterRef("candidate")).exclude(source=reference)
        came = Submission.objects.filter(candidate=OuterRef("pk"), source=reference)
        return self.filter(~Exists(came.exclude(Exists(otherwise))))

    def golden(self, version: CriteriaVersion) -> "models.QuerySet[WithAnnotations[Candidate, Truths]]":
        """Those whose human verdict is settled under `version`."""
        return self.with_truth(version).filter(truth__in=["pass", "fail"])

    def unlabelled(self, version: CriteriaVersion) -> Self:
        """Those that nobody has labelled or ruled on under `version` and that people may be asked about."""
        from labeling.models.labels import Label, Ruling

        mine = {"candidate": OuterRef("pk"), "version": version}
        return self.for_people().filter(
            ~Exists(Label.objects.current().filter(**mine)), ~Exists(Ruling.objects.current().filter(**mine))
        )


class Candidate(models.Model):
    """One output under evaluation with what it may lean on. The four texts never change."""

    class Split(models.TextChoices):
        TUNE = "tune", "tune"
        CERTIFY = "certify", "certify"

    criteria_set = models.ForeignKey(CriteriaSet, on_delete=models.PROTECT, related_name="candidates")
    request = models.TextField(blank=True)
    output = models.TextField(blank=True)
    grounding = models.TextField(blank=True)
    criteria_text = models.TextField(blank=True)
    content_hash = models.CharField(max_length=64)
    request_hash = models.CharField(max_length=64)
    split = models.CharField(max_length=10, choices=Split, default=Split.CERTIFY)
    created_at = models.DateTimeField(auto_now_add=True)

    objects: ClassVar[models.Manager["Candidate"]] = CandidateQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["pk"]
        indexes: ClassVar = [
            models.Index(name="candidate_by_request", fields=["criteria_set", "request_hash"]),
            models.Index(name="candidate_by_split", fields=["criteria_set", "split"]),
        ]
        constraints: ClassVar = [
            models.UniqueConstraint(name="candidate_content_once", fields=["criteria_set", "content_hash"]),
            models.CheckConstraint(name="candidate_split_known", condition=Q(split__in=["tune", "certify"])),
        ]

    def __str__(self) -> str:
        return f"candidate {self.pk}"


class ImportBatch(models.Model):
    """One file that was brought in, with what became of its rows."""

    criteria_set = models.ForeignKey(CriteriaSet, on_delete=models.PROTECT, related_name="batches")
    version = models.ForeignKey(CriteriaVersion, on_delete=models.PROTECT, related_name="+")
    file_name = models.CharField(max_length=255)
    format = models.CharField(max_length=40)
    sha256 = models.CharField(max_length=64)
    counts = models.JSONField(default=dict)
    refused = models.JSONField(default=list)  # [{"line", "field", "reason"}], cut at a limit that counts says
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["-pk"]
        verbose_name_plural = "import batches"

    def __str__(self) -> str:
        return f"{self.file_name} ({self.created_at:%Y-%m-%d %H:%M})"


class Submission(models.Model):
    """One arrival of a candidate. The same text from two generators is one candidate, two submissions."""

    class Source(models.TextChoices):
        IMPORT = "import", "import"
        API = "api", "API"
        REFERENCE = "reference", "reference set"

    candidate = models.ForeignKey(Candidate, on_delete=models.PROTECT, related_name="submissions")
    batch = models.ForeignKey(
        ImportBatch, null=True, blank=True, on_delete=models.PROTECT, related_name="submissions"
    )
    line = models.PositiveIntegerField(null=True, blank=True)
    external_id = models.CharField(max_length=200, blank=True)
    generator_model = models.CharField(max_length=200, blank=True)
    generator_family = models.CharField(max_length=80, blank=True)
    meta = models.JSONField(default=dict, blank=True)
    truncated = models.BooleanField(default=False)
    source = models.CharField(max_length=10, choices=Source)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["pk"]
        indexes: ClassVar = [
            models.Index(name="submission_references", fields=["candidate"], condition=Q(source="reference")),
            models.Index(name="submission_by_id", fields=["external_id"]),
        ]

    def __str__(self) -> str:
        return f"submission {self.pk} of candidate {self.candidate_id}"
