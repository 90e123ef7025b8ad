"""Runs that start by themselves: golden replays, and the judging of live samples."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from judging.models.judges import Judge
from labeling.models import CriteriaSet


class Schedule(models.Model):
    """When which judge, at its live version, judges which rows of a criteria set, at its live version.

    A worker's timer fires what is due: `next_at` moves on in the same transaction that starts the run.
    """

    class Kind(models.TextChoices):
        REPLAY = "replay", "golden replay"
        SAMPLE = "sample", "sample of new rows"

    class Every(models.TextChoices):
        HOUR = "hour", "every hour"
        DAY = "day", "every day"
        WEEK = "week", "every week"

    criteria_set = models.ForeignKey(CriteriaSet, on_delete=models.CASCADE, related_name="schedules")
    judge = models.ForeignKey(Judge, on_delete=models.PROTECT, related_name="schedules")
    kind = models.CharField(max_length=10, choices=Kind)
    every = models.CharField(max_length=10, choices=Every, default=Every.DAY)
    weekday = models.PositiveSmallIntegerField(default=0)  # of a weekly one; 0 is Monday
    at = models.TimeField()  # in `zone`; of an hourly one only the minute counts
    zone = models.CharField(max_length=60)  # an IANA name, such as Europe/Berlin
    sample_rows = models.PositiveIntegerField(default=200)  # at most so many rows of a sample
    max_calls = models.PositiveIntegerField(null=True, blank=True)
    max_cost = models.DecimalField(max_digits=12, decimal_places=6, null=True, blank=True)  # US dollars
    is_on = models.BooleanField(default=True)
    next_at = models.DateTimeField()
    fired_at = models.DateTimeField(null=True, blank=True)
    problem = models.TextField(blank=True)  # why the last firing started no run; empty: it did
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["criteria_set__slug", "pk"]
        indexes: ClassVar = [models.Index(name="schedule_due", fields=["next_at"], condition=Q(is_on=True))]
        constraints: ClassVar = [
            models.CheckConstraint(name="schedule_kind_known", condition=Q(kind__in=["replay", "sample"])),
            models.CheckConstraint(
                name="schedule_every_known", condition=Q(every__in=["hour", "day", "week"])
            ),
            models.CheckConstraint(name="schedule_weekday_exists", condition=Q(weekday__lte=6)),
            models.CheckConstraint(name="schedule_samples_rows", condition=Q(sample_rows__gt=0)),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} of {self.judge} on {self.criteria_set}, {self.get_every_display()}"
