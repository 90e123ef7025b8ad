"""Signs of life of the worker processes."""

from datetime import datetime, timedelta

from django.utils import timezone

from judging.models import WorkerSeen
from judging.services.connections import variables_here

_FORGOTTEN = timedelta(days=1)


def mark_seen(*, name: str) -> None:
    """Note that this worker process is alive, and which of the judges' variables it has (names only).

    Those that have long been silent are forgotten.
    """
    now = timezone.now()
    WorkerSeen.objects.update_or_create(name=name, defaults={"seen_at": now, "variables": variables_here()})
    WorkerSeen.objects.filter(seen_at__lt=now - _FORGOTTEN).delete()


def workers_seen(now: datetime) -> int:
    """How many worker processes gave a sign of life lately."""
    return WorkerSeen.objects.alive(now).count()
