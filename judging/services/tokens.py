"""Making and revoking API tokens. The secret is returned once and never stored."""

import secrets
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from judging.auth import PREFIX, digest_of
from judging.models import ApiToken
from labeling.access import AnyUser
from labeling.models import CriteriaSet
from labeling.services.audit import record


class BadToken(ValueError):
    """A token that cannot be made as asked; the message says what to change."""


def check_token(name: str, scopes: Collection[str], days: int | None) -> None:
    """Raise `BadToken` unless a token may be called so, do that, and live so long."""
    known = set(ApiToken.Scope.values)
    if not name.strip() or len(name) > 120:
        raise BadToken("Give the token a name of at most 120 characters, such as the pipeline that uses it.")
    if not scopes or not set(scopes) <= known:
        raise BadToken(f"Give the token at least one scope out of: {', '.join(ApiToken.Scope.values)}.")
    if days is not None and not 0 < days <= 3650:
        raise BadToken("A token lives at least 1 day and at most 3650, or without an end.")


@transaction.atomic
def create_token(
    *,
    name: str,
    scopes: Sequence[str],
    criteria_sets: Sequence[CriteriaSet] | None = None,
    days: int | None = None,
    actor: AnyUser | None = None,
    now: datetime | None = None,
) -> tuple[ApiToken, str]:
    """A token and its secret. `criteria_sets` None: it covers every set, also those to come.

    Raises `BadToken`.
    """
    check_token(name, scopes, days)
    moment = now or timezone.now()
    secret = PREFIX + secrets.token_urlsafe(32)
    token = ApiToken.objects.create(
        name=name.strip(),
        digest=digest_of(secret),
        scopes=sorted(set(scopes)),
        every_criteria_set=criteria_sets is None,
        created_by=actor if actor is not None and actor.is_authenticated else None,
        expires_at=None if days is None else moment + timedelta(days=days),
    )
    token.criteria_sets.set(criteria_sets or [])
    record(actor=actor, action="token_created", subject=token.name, scopes=token.scopes)
    return token, secret


@transaction.atomic
def revoke_tokens(*, name: str, actor: AnyUser | None = None, now: datetime | None = None) -> int:
    """Revoke every token in force with that name, at once; returns how many there were."""
    moment = now or timezone.now()
    revoked = ApiToken.objects.in_force(moment).filter(name=name).update(revoked_at=moment)
    if revoked:
        record(actor=actor, action="token_revoked", subject=name, tokens=revoked)
    return revoked
