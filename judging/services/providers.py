"""The providers that judges use: what each allows, who waits there, and which formats its models take."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from judging.domain.figures import many
from judging.domain.pacing import provider_of
from judging.models import JudgeVersion, ProviderLimit, ProviderShare, Run, TakenFormat
from judging.services.formats import KEPT, forget_format
from judging.services.limits import closed_for, reopen
from labeling.access import AnyUser
from labeling.services.audit import record

_LIMITS = ("calls_in_flight", "requests_per_minute", "tokens_per_minute")


class UnknownProvider(ValueError):
    """No judge is asked there."""


@dataclass(slots=True)
class Provider:
    """One provider. `judges`: their slugs. `shares`: the live workers' parts of its calls in flight.

    `formats`: the response formats that its models were found to take. `closed_until`: only while it is.
    """

    name: str
    judges: list[str] = field(default_factory=list)
    limit: ProviderLimit | None = None
    closed_until: datetime | None = None
    shares: list[ProviderShare] = field(default_factory=list)
    formats: list[TakenFormat] = field(default_factory=list)


def providers(now: datetime) -> list[Provider]:
    """Every provider that a judge uses, and those with limits that none uses any more, by name."""
    models = JudgeVersion.objects.filter(kind=JudgeVersion.Kind.MODEL).select_related("judge")
    versions = list(
        models.only("judge__slug", "model", "base_url_env", "api_key_env").order_by("judge__slug")
    )
    found = _used(versions)
    for row in ProviderLimit.objects.select_related("updated_by"):
        provider = found.setdefault(row.provider, Provider(row.provider))
        provider.limit = row
        provider.closed_until = row.closed_until if closed_for(row, now) else None
    for share in ProviderShare.objects.filter(lease_until__gt=now).select_related("limit").order_by("worker"):
        found[share.limit.provider].shares.append(share)
    _add_formats(found, versions, now)
    return [found[name] for name in sorted(found, key=str.lower)]


def _used(versions: Iterable[JudgeVersion]) -> dict[str, Provider]:
    found: dict[str, Provider] = {}
    for version in versions:
        provider = found.setdefault(provider_of(version), Provider(provider_of(version)))
        if version.judge.slug not in provider.judges:
            provider.judges.append(version.judge.slug)
    return found


def _add_formats(found: Mapping[str, Provider], versions: Iterable[JudgeVersion], now: datetime) -> None:
    names: dict[tuple[str, str], set[str]] = defaultdict(set)
    for version in versions:
        names[version.model, version.base_url_env].add(provider_of(version))
    for taken in TakenFormat.objects.filter(noted_at__gt=now - KEPT).order_by("model"):
        for name in names[taken.model, taken.base_url_env]:
            found[name].formats.append(taken)


@transaction.atomic
def set_limits(
    *,
    provider: str,
    calls_in_flight: int | None,
    requests_per_minute: int | None,
    tokens_per_minute: int | None,
    actor: AnyUser,
) -> ProviderLimit:
    """What may be asked of a provider from now on; None is no limit. Raises `UnknownProvider`."""
    if provider not in {each.name for each in providers(timezone.now())}:
        raise UnknownProvider("No judge is asked at this provider.")
    row, _ = ProviderLimit.objects.select_for_update().get_or_create(provider=provider)
    before = {name: getattr(row, name) for name in _LIMITS}
    after = dict(zip(_LIMITS, (calls_in_flight, requests_per_minute, tokens_per_minute), strict=True))
    if before == after:
        return row
    for name, value in after.items():
        setattr(row, name, value)
    row.requests_due_at = row.tokens_due_at = None
    row.updated_by = actor if actor.is_authenticated else None
    row.save()
    record(actor=actor, action="provider_limits_changed", subject=provider, before=before, after=after)
    return row


def forget(*, model: str, base_url_env: str, actor: AnyUser) -> None:
    """Find out anew, when it is next asked, which response format a model takes."""
    if forget_format(model=model, base_url_env=base_url_env):
        record(actor=actor, action="response_format_forgotten", subject=model, address=base_url_env)


@transaction.atomic
def ask_again(*, provider: str, actor: AnyUser) -> bool:
    """Ask a provider again before the time that it named; False where it is not closed.

    Every worker hears of it within a second or two. What the provider says then is kept to.
    """
    if (until := reopen(provider=provider)) is None:
        return False
    record(actor=actor, action="provider_reopened", subject=provider, closed_until=until.isoformat())
    return True


@dataclass(frozen=True, slots=True)
class Wait:
    """Why a run's questions wait at a provider; `until`: where it said so."""

    provider: str
    allows: str = ""
    until: datetime | None = None


def waits_of(run: Run) -> list[Wait]:
    """The limits that hold up a running run at the moment."""
    if run.state != Run.State.RUNNING:
        return []
    now = timezone.now()
    rows = ProviderLimit.objects.filter(
        provider__in={provider_of(each) for each in run.judge_version.jurors()}
    )
    return [wait for row in rows if (wait := _wait(row, now))]


def _wait(row: ProviderLimit, now: datetime) -> Wait | None:
    if closed_for(row, now):
        return Wait(row.provider, until=row.closed_until)
    if row.requests_per_minute and row.requests_due_at and row.requests_due_at > now:
        return Wait(row.provider, f"{many(row.requests_per_minute, 'request')} a minute")
    if row.tokens_per_minute and row.tokens_due_at and row.tokens_due_at > now:
        return Wait(row.provider, f"{many(row.tokens_per_minute, 'token')} a minute")
    if row.calls_in_flight:
        shares = row.shares.filter(lease_until__gt=now).values_list("calls", flat=True)
        if sum(shares) >= row.calls_in_flight:
            return Wait(row.provider, f"{many(row.calls_in_flight, 'call')} at a time")
    return None
