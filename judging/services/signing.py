"""Signing certificates with the installation's key, and saying which keys are its own."""

import os
import secrets
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction

from judging.domain.signed_certificates import (
    ALGORITHM,
    FORMAT,
    decoded,
    encoded,
    key_id_of,
    keys_in,
    public_key_of,
    signed,
)
from judging.models import SigningKey
from judging.services.resource import resource
from judging.services.standing import Standing
from labeling.access import AnyUser
from labeling.services.audit import record


class CannotSign(RuntimeError):
    """There is no key to sign with; the sentence says how to set one."""


def sign_standing(standing: Standing) -> dict[str, Any]:
    """The certification as a signed file's content, good from now on for `VERA_SIGNED_HOURS`.

    Raises `CannotSign`.
    """
    seed = _seed()
    _note(public_key_of(seed), standing.now)
    return signed(_certificate(standing), seed)


def _certificate(standing: Standing) -> dict[str, Any]:
    until = standing.now + timedelta(hours=settings.VERA_SIGNED_HOURS)
    certificate = standing.certificate
    if certificate is not None and standing.certified:
        until = min(until, certificate.expires_at)
    return resource(standing) | {
        "format": FORMAT,
        "issuer": settings.ALLOWED_HOSTS[0],
        "issued_at": standing.now.isoformat(timespec="seconds"),
        "valid_until": until.isoformat(timespec="seconds"),
        "criteria_hash": standing.criteria_version.content_hash,
        "policy": certificate.policy if certificate else None,
    }


def public_keys() -> list[dict[str, Any]]:
    """The keys by which this installation's certificates may be checked, the newest first."""
    now_used = key_id_of(public_key_of(seed)) if (seed := _known_seed()) else ""
    return [
        {
            "key_id": key.key_id,
            "algorithm": ALGORITHM,
            "public_key": key.public_key,
            "first_used_at": key.first_used_at.isoformat(),
            "in_use": key.key_id == now_used,
        }
        for key in SigningKey.objects.filter(withdrawn_at=None)
    ]


def own_public_keys() -> list[bytes]:
    """This installation's public keys, by its settings and files alone: no database is asked."""
    told = [] if settings.VERA_SIGNING_KEY is None else [public_key_of(settings.VERA_SIGNING_KEY)]
    kept = _public_file()
    return told + (keys_in(kept.read_bytes()) if kept.exists() else [])


def current_public_key() -> bytes:
    """The public half of the key in use, which is made where there is none. Raises `CannotSign`."""
    return public_key_of(_seed())


@transaction.atomic
def renew_key(*, now: datetime, actor: AnyUser | None = None) -> bytes:
    """Make another key and sign with it from now on; the public ones before stay listed.

    Raises `CannotSign` where the key comes from the environment.
    """
    if settings.VERA_SIGNING_KEY is not None or settings.VERA_PRODUCTION:
        raise CannotSign(
            "The key is set by VERA_SIGNING_KEY. Set that to another one, as `openssl rand -base64 32` "
            "prints it, and restart; the public key before stays listed."
        )
    fresh, public = _fresh_key()
    os.replace(fresh, _secret_file())
    _publish(public)
    _note(public, now)
    record(actor=actor, action="signing_key_renewed", subject=key_id_of(public))
    return public


@transaction.atomic
def withdraw_key(*, key_id: str, now: datetime, actor: AnyUser | None = None) -> SigningKey:
    """List a public key no more, because its secret half may be in wrong hands.

    Raises `CannotSign` where the key is in use, and `SigningKey.DoesNotExist`.
    """
    key = SigningKey.objects.select_for_update().get(key_id=key_id)
    if (seed := _known_seed()) and key_id_of(public_key_of(seed)) == key_id:
        raise CannotSign("Certificates are signed with this key now. Change the key first.")
    key.withdrawn_at = key.withdrawn_at or now
    key.save(update_fields=["withdrawn_at"])
    if _public_file().exists():
        others = [each for each in keys_in(_public_file().read_bytes()) if key_id_of(each) != key_id]
        _public_file().write_text("".join(f"{encoded(each)}\n" for each in others), encoding="ascii")
    record(actor=actor, action="signing_key_withdrawn", subject=key_id)
    return key


def _note(public_key: bytes, now: datetime) -> None:
    """From its first signature on a key is listed."""
    key_id = key_id_of(public_key)
    if not SigningKey.objects.filter(key_id=key_id).exists():
        known = {"public_key": encoded(public_key), "first_used_at": now}
        SigningKey.objects.get_or_create(key_id=key_id, defaults=known)


def _seed() -> bytes:
    if (known := _known_seed()) is not None:
        return known
    if settings.VERA_PRODUCTION:
        raise CannotSign(
            "VERA_SIGNING_KEY is not set, so nothing can be signed. Set it to what `openssl rand -base64 32` "
            "prints, the same for every process, and restart."
        )
    _first_key()
    return decoded(_secret_file().read_text(encoding="ascii"))


def _known_seed() -> bytes | None:
    if settings.VERA_SIGNING_KEY is not None or settings.VERA_PRODUCTION:
        seed: bytes | None = settings.VERA_SIGNING_KEY
        return seed
    path = _secret_file()
    return decoded(path.read_text(encoding="ascii")) if path.exists() else None


def _first_key() -> None:
    fresh, public = _fresh_key()
    try:
        os.link(fresh, _secret_file())  # two processes that sign at once agree on the first key
        _publish(public)
    except FileExistsError:
        pass
    finally:
        fresh.unlink()


def _fresh_key() -> tuple[Path, bytes]:
    """A file that only this user may read, with a new secret key, and the public one."""
    seed, path = secrets.token_bytes(32), settings.VERA_VAR / f".signing_key-{secrets.token_hex(8)}"
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
        file.write(encoded(seed))
    return path, public_key_of(seed)


def _publish(public_key: bytes) -> None:
    """Keep the public key where `gate --offline` finds it on this machine, after those before."""
    with _public_file().open("a", encoding="ascii") as file:
        file.write(f"{encoded(public_key)}\n")


def _secret_file() -> Path:
    return Path(settings.VERA_VAR) / "signing_key"


def _public_file() -> Path:
    return Path(settings.VERA_VAR) / "signing_keys.pub"
