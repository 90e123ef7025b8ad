"""Which worker processes are alive, by their own word."""

from datetime import datetime, timedelta
from typing import Self

from django.db import models

SILENCE = timedelta(seconds=30)  # a worker that was silent for longer is not counted on


class WorkerSeenQuerySet(models.QuerySet["WorkerSeen"]):
    def alive(self, now: datetime) -> Self:
        """Those that gave a sign of life lately."""
        return self.filter(seen_at__gt=now - SILENCE)


class WorkerSeen(models.Model):
    """The last sign of life of one worker process; each gives one every few seconds."""

    name = models.CharField(max_length=100, unique=True)  # host and process id
    seen_at = models.DateTimeField()
    # Names of the variables for judges that it has; null: it is of a release that does not say.
    variables = models.JSONField(null=True, blank=True)

    objects = WorkerSeenQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.name}, seen {self.seen_at:%Y-%m-%d %H:%M:%S}"
