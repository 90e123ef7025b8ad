"""Noting that a certificate's time ran out, so that history and webhooks have it.

The answer to readers does not wait for this: whoever reads a certificate compares its expiry with the clock.
"""

from datetime import datetime
from functools import partial

from django.db import transaction
from django.db.models import Q

from judging.models import Certificate
from judging.models.certificates import CertificateQuerySet
from judging.services.aside import Aside
from judging.services.certificates import carry_on, lock

_aside = Aside("That certificate %s has expired cannot be noted; it is tried again.")


def expire_due(*, now: datetime) -> list[Certificate]:
    """Add an event to each certificate that certified until its time ran out; returns these events.

    Any number of workers may call this at once: each event is added once, by whoever holds the lock first.
    """
    due = _due(now).exclude(pk__in=_aside.rows(now)).order_by("judge_version", "pk")
    expired = [
        _aside.tried(pk, now, partial(_expire, judge_version, pk, now))
        for judge_version, pk in due.values_list("judge_version", "pk")
    ]
    return [each for each in expired if each is not None]


@transaction.atomic
def _expire(judge_version_id: int, pk: int, now: datetime) -> Certificate | None:
    lock(judge_version_id)
    current = _due(now).with_names().filter(pk=pk).first()
    if current is None:
        return None
    return carry_on(current, current.against, cause=Certificate.Cause.EXPIRED, moment=now)


def _due(now: datetime) -> CertificateQuerySet:
    over = Q(status=Certificate.Status.CERTIFIED, expires_at__lte=now)
    return Certificate.objects.current().filter(over)
