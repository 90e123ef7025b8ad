"""Files on their way in: kept until a worker has read them, so that no closed page and no crash loses one."""

from datetime import datetime
from typing import ClassVar, Self

from django.conf import settings
from django.db import models
from django.db.models import Q

from labeling.models.candidates import ImportBatch
from labeling.models.criteria import CriteriaSet


class ImportJobQuerySet(models.QuerySet["ImportJob"]):
    """Questions about files on their way in; none of them writes."""

    def due(self, now: datetime) -> Self:
        """Those that wait for a worker, or whose worker's lease ran out by the database's word.

        A worker renews its lease beside the file, see `labeling.services.import_progress`: ask there, too.
        """
        lost = Q(state=ImportJob.State.RUNNING, claimed_until__lt=now)
        return self.filter(Q(state=ImportJob.State.WAITING) | lost).order_by("pk")

    def unfinished(self) -> Self:
        """Those with which somebody may go on."""
        return self.exclude(state=ImportJob.State.DONE)


class ImportJob(models.Model):
    """One uploaded file, how to read it, and how far a worker has come with it."""

    class State(models.TextChoices):
        UPLOADED = "uploaded", "waiting for you to look at it"
        WAITING = "waiting", "waiting for a worker"
        RUNNING = "running", "being read"
        DONE = "done", "done"
        FAILED = "failed", "not imported"

    criteria_set = models.ForeignKey(CriteriaSet, on_delete=models.PROTECT, related_name="import_jobs")
    file_name = models.CharField(max_length=255)  # as its owner called it, made printable
    stored_as = models.CharField(max_length=80)  # below VERA_VAR/imports; the file goes once it is read
    size = models.PositiveBigIntegerField()  # bytes
    sha256 = models.CharField(max_length=64, blank=True)  # "" until the whole file has arrived
    changed_at = models.CharField(max_length=20, blank=True)  # when the file was, as its owner's browser says

    format = models.CharField(max_length=40, blank=True)
    mapping = models.JSONField(
        default=dict, blank=True
    )  # {the file's column: Vera's field, "" to keep in meta}
    split = models.CharField(max_length=10, default="certify")
    keep_good = models.BooleanField(default=False)
    check_only = models.BooleanField(default=False)

    state = models.CharField(max_length=10, choices=State, default=State.UPLOADED)
    attempts = models.PositiveSmallIntegerField(default=0)
    claimed_until = models.DateTimeField(null=True, blank=True)
    bytes_read = models.PositiveBigIntegerField(default=0)
    rows_read = models.PositiveBigIntegerField(default=0)
    report = models.JSONField(
        default=dict, blank=True
    )  # as `Report.as_json`, but of its refused rows only the first; the others lie beside the file
    problem = models.TextField(blank=True)  # why nothing could be done, in a sentence
    batch = models.ForeignKey(
        ImportBatch, null=True, blank=True, on_delete=models.PROTECT, related_name="jobs"
    )
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = ImportJobQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["-pk"]
        indexes: ClassVar = [
            models.Index(name="importjob_unfinished", fields=["state"], condition=Q(finished_at=None)),
        ]
        constraints: ClassVar = [
            models.CheckConstraint(
                name="importjob_state_known",
                condition=Q(state__in=["uploaded", "waiting", "running", "done", "failed"]),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.file_name}: {self.get_state_display()}"
