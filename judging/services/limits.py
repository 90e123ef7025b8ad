"""What each provider allows, as all workers on all hosts share it: permits to ask, parts of what may be in
flight, and until when nobody asks.

Each act is one short transaction that holds the provider's row. On PostgreSQL times are the server's, so that
hosts whose clocks differ agree.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import connection, transaction
from django.db.models.functions import Now
from django.utils import timezone

from judging.domain.pacing import Claim, Part, admit, corrected, share_of
from judging.models import ProviderLimit, ProviderShare

_LONGEST_CLOSED = 86_400 + 60  # seconds: a provider that asks for more than a day is not believed


@dataclass(frozen=True, slots=True)
class Allowed:
    """A provider's limits; None is no limit. `closed_for`: seconds until it may be asked again."""

    calls_in_flight: int | None = None
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    closed_for: float = 0.0

    @property
    def is_paced(self) -> bool:
        return self.requests_per_minute is not None or self.tokens_per_minute is not None

    @property
    def is_limited(self) -> bool:
        return self.is_paced or self.calls_in_flight is not None


@dataclass(frozen=True, slots=True)
class Taken:
    """How many questions may be sent now, and in how many seconds there may be more."""

    granted: int
    wait: float


def allowed(providers: Collection[str]) -> dict[str, Allowed]:
    """The limits of those providers that have any, or are closed."""
    rows = ProviderLimit.objects.filter(provider__in=providers).annotate(now=Now())
    return {
        row.provider: Allowed(
            row.calls_in_flight,
            row.requests_per_minute,
            row.tokens_per_minute,
            closed_for(row, row.now),
        )
        for row in rows
    }


def closed_for(row: ProviderLimit, now: datetime) -> float:
    """Seconds until a provider may be asked again. No clock that was right wrote a time beyond a day."""
    seconds = (row.closed_until - now).total_seconds() if row.closed_until else 0.0
    return seconds if 0 < seconds <= _LONGEST_CLOSED else 0.0


@transaction.atomic
def take(*, provider: str, expected: Sequence[int], correction: int = 0) -> Taken:
    """Permits for the first of a line of questions, each with the tokens that it is `expected` to take.

    `correction`: how many tokens more (below 0: fewer) earlier questions took than they were expected to. A
    provider without such limits grants all.
    """
    row = ProviderLimit.objects.select_for_update().filter(provider=provider).first()
    if row is None:
        return Taken(len(expected), 0.0)
    now = _now()
    _correct(row, correction, now)
    if closed := closed_for(row, now):
        row.save(update_fields=["tokens_due_at"])
        return Taken(0, closed)
    count, wait = len(expected), 0.0
    if row.tokens_per_minute:
        count = _admit(row.tokens_per_minute, row.tokens_due_at, now, expected)[0]
    if row.requests_per_minute:
        count, row.requests_due_at, wait = _admit(
            row.requests_per_minute, row.requests_due_at, now, [1] * count
        )
    if row.tokens_per_minute:
        _, row.tokens_due_at, tokens_wait = _admit(
            row.tokens_per_minute, row.tokens_due_at, now, expected[:count]
        )
        wait = max(wait, tokens_wait)
    row.save(update_fields=["requests_due_at", "tokens_due_at"])
    return Taken(count, wait)


def _admit(
    limit: int, due: datetime | None, now: datetime, weights: Sequence[int]
) -> tuple[int, datetime, float]:
    found = admit(limit, (due or now).timestamp(), now.timestamp(), weights)
    return found.count, _moment(found.due), found.wait


def _correct(row: ProviderLimit, tokens: int, now: datetime) -> None:
    if tokens and row.tokens_per_minute:
        due = (row.tokens_due_at or now).timestamp()
        row.tokens_due_at = _moment(corrected(row.tokens_per_minute, due, now.timestamp(), tokens))


@transaction.atomic
def hold(*, provider: str, worker: str, wanted: int, in_flight: int) -> Part | None:
    """A worker's part of the calls in flight, while its lease lasts; None where there is no such limit.

    Comes back before the lease ends. `wanted`: calls that it could have in flight now, those that are
    included. A worker that wants none and has none gives its part back.
    """
    row = ProviderLimit.objects.select_for_update().filter(provider=provider).first()
    if row is None or row.calls_in_flight is None:
        return None
    now = _now()
    shares = ProviderShare.objects.filter(limit=row)
    # A lease that ends later than any can was written by a clock that was wrong: its worker takes a new one.
    shares.exclude(lease_until__gt=now, lease_until__lte=now + 2 * share_lease()).delete()
    held = dict(shares.values_list("worker", "calls"))
    claim = Claim(worker, held.pop(worker, 0), wanted, in_flight)
    part = share_of(row.calls_in_flight, claim, held, now.timestamp())
    if not wanted and not in_flight:
        shares.filter(worker=worker).delete()
    else:
        ProviderShare.objects.update_or_create(
            limit=row, worker=worker, defaults={"calls": part.kept, "lease_until": now + share_lease()}
        )
    return part


def share_lease() -> timedelta:
    """How long a worker that is not heard of keeps its part."""
    return timedelta(seconds=settings.VERA_CLAIM_LEASE)


@transaction.atomic
def close(*, provider: str, seconds: float) -> datetime:
    """Nobody asks this provider for so long, or as long as was said before; returns until when."""
    row, _ = ProviderLimit.objects.select_for_update().get_or_create(provider=provider)
    now = _now()
    until = now + timedelta(seconds=seconds)
    if row.closed_until is None or closed_for(row, now) < seconds:
        row.closed_until = until
        row.save(update_fields=["closed_until"])
    return row.closed_until


@transaction.atomic
def reopen(*, provider: str) -> datetime | None:
    """Let all ask this provider again; returns until when it was closed, None where it was not."""
    row = ProviderLimit.objects.select_for_update().filter(provider=provider).first()
    if row is None or row.closed_until is None or row.closed_until <= _now():
        return None
    until, row.closed_until = row.closed_until, None
    row.save(update_fields=["closed_until"])
    return until


def _now() -> datetime:
    """The database server's time, read after the row is held; one's own where there is no server."""
    if connection.vendor != "postgresql":
        return timezone.now()
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        now: datetime = cursor.fetchone()[0]
    return now


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, tz=timezone.now().tzinfo)
