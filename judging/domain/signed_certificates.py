"""Certificates in a file of their own: signed by the installation, believed without asking it.

Ed25519 (RFC 8032) over the canonical JSON (RFC 8785) of the member `certificate`.
"""

import base64
import binascii
import hashlib
import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from judging.domain.canonical_json import canonical

ALGORITHM = "Ed25519"
FORMAT = "vera-certificate-1"
LARGEST = 64 * 1024  # bytes of a file
_KEY = 32  # bytes of a key, secret or public
_CLOCKS = timedelta(minutes=1)  # by which the clocks of two machines may differ
_TEXTS = ("format", "judge", "fingerprint", "criteria", "status", "issued_at", "valid_until")
_NUMBERS = ("judge_version", "criteria_version")


class Malformed(ValueError):
    """This is no signed certificate, or no key; the sentence says what is wrong with it."""


class Refused(ValueError):
    """The certificate opens no gate; the sentence says why and what to do."""


@dataclass(frozen=True, slots=True)
class Signed:
    """A file that was read. Nothing of it is to be believed before `check`."""

    certificate: dict[str, Any]
    signature: bytes
    key_id: str


def public_key_of(seed: bytes) -> bytes:
    """The public key, 32 bytes, of a secret one."""
    return Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes_raw()


def key_id_of(public_key: bytes) -> str:
    """By what a key is called: the first 16 hexadecimal digits of its SHA-256."""
    return hashlib.sha256(public_key).hexdigest()[:16]


def encoded(key: bytes) -> str:
    """A key as people copy it: base64."""
    return base64.b64encode(key).decode()


def decoded(text: str) -> bytes:
    """The 32 bytes of a key from base64, of either alphabet. Raises `Malformed`."""
    given = text.strip().translate(str.maketrans("-_", "+/")).rstrip("=")
    try:
        key = base64.b64decode(given + "=" * (-len(given) % 4), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if len(key) != _KEY:
        raise Malformed("A key is 32 bytes in base64: 43 characters, and mostly an equals sign.")
    return key


def signed(certificate: dict[str, Any], seed: bytes) -> dict[str, Any]:
    """The content of the file: the certificate, and the signature by the key with this seed."""
    signature = Ed25519PrivateKey.from_private_bytes(seed).sign(canonical(certificate))
    return {
        "certificate": certificate,
        "signature": base64.b64encode(signature).decode(),
        "algorithm": ALGORITHM,
        "key_id": key_id_of(public_key_of(seed)),
    }


def read(content: bytes) -> Signed:
    """Take a file apart without believing it. Raises `Malformed`."""
    told = _object(content)
    certificate, signature, key_id = (told.get(name) for name in ("certificate", "signature", "key_id"))
    if not (isinstance(certificate, dict) and isinstance(signature, str) and isinstance(key_id, str)):
        raise Malformed("A signed certificate has the members certificate, signature, algorithm and key_id.")
    if told.get("algorithm") != ALGORITHM:
        raise Malformed(f"The only algorithm is {ALGORITHM}; this file names another one.")
    missing = [name for name in _TEXTS if not isinstance(certificate.get(name), str)]
    if missing := missing + [name for name in _NUMBERS if type(certificate.get(name)) is not int]:
        raise Malformed(f"The certificate lacks {', '.join(missing)}.")
    for name in ("issued_at", "valid_until"):
        _moment(certificate, name)
    try:
        return Signed(certificate, base64.b64decode(signature, validate=True), key_id)
    except (binascii.Error, ValueError):
        raise Malformed("The signature is not in base64.") from None


def check(found: Signed, public_keys: Collection[bytes], now: datetime) -> None:
    """Believe the file, or raise `Refused`: signed by one of these keys, certified, and young enough.

    It cannot know what happened since it was issued: a suspension is seen once `valid_until` has passed.
    """
    _check_signature(found, public_keys)
    certificate = found.certificate
    if certificate["format"] != FORMAT:
        raise Refused(f"It is of the format {certificate['format']!r}, which this version does not know.")
    issued, until = _moment(certificate, "issued_at"), _moment(certificate, "valid_until")
    if issued > now + _CLOCKS:
        raise Refused(
            f"It says that it was issued at {issued:%Y-%m-%d %H:%M:%S} UTC, which is yet to come. Set the "
            "clock of this machine right, or of the one that issued it."
        )
    if certificate["status"] != "certified" or certificate.get("certified") is not True:
        raise Refused(f"{_named(certificate)} is not certified{_because(certificate)}")
    if now >= until:
        raise Refused(
            f"It was good until {until:%Y-%m-%d %H:%M:%S} UTC, because a file cannot know what happened "
            "since. Fetch a fresh one."
        )
    if now >= _moment(certificate, "expires_at"):
        raise Refused(f"The certificate of {_named(certificate)} has expired. Calibrate the judge again.")


def check_names(found: Signed, judge: str, criteria: str) -> None:
    """That the file is about this judge and these criteria, `slug` or `slug@N`. Raises `Refused`."""
    for name, wanted in (("judge", judge), ("criteria", criteria)):
        slug, at, number = wanted.partition("@")
        told = str(found.certificate.get(f"{name}_version")) if at else ""
        if (found.certificate[name], told) != (slug, number):
            raise Refused(f"It is about {_named(found.certificate)}, and not about {name} “{wanted}”.")


def keys_in(content: bytes) -> list[bytes]:
    """The public keys of a file: as `/.well-known/vera-signing-keys.json` has them, or one a line.

    Raises `Malformed`.
    """
    if len(content) > LARGEST:
        raise Malformed(
            f"The file of keys is larger than {LARGEST // 1024} kB. Keep only keys that you trust."
        )
    if not content.lstrip().startswith(b"{"):
        return [decoded(line) for line in _lines(content)]
    listed = _object(content).get("keys")
    if not isinstance(listed, list) or not all(isinstance(each, dict) for each in listed):
        raise Malformed("A file of keys has a list “keys”.")
    return [decoded(str(each.get("public_key", ""))) for each in listed]


def _lines(content: bytes) -> Iterator[str]:
    text = content.decode(errors="replace")
    return (line for line in text.splitlines() if line.strip() and not line.startswith("#"))


def _check_signature(found: Signed, public_keys: Collection[bytes]) -> None:
    key = next((each for each in public_keys if key_id_of(each) == found.key_id), None)
    if key is None:
        raise Refused(
            f"It is signed with the key {found.key_id[:64]!r}, which nobody here has said to trust. Where it "
            "is the right one, give its public key by --key, or by VERA_TRUSTED_KEYS."
        )
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(found.signature, canonical(found.certificate))
    except (InvalidSignature, ValueError, RecursionError):
        raise Refused(
            "The signature is wrong: the file was changed since it was signed. Fetch it again."
        ) from None


def _object(content: bytes) -> dict[str, Any]:
    if len(content) > LARGEST:
        raise Malformed(f"The file is larger than {LARGEST // 1024} kB, which no signed certificate is.")
    try:
        told = json.loads(content, object_pairs_hook=_once, parse_constant=_no_constant)
    except Malformed:
        raise
    except (ValueError, RecursionError):
        raise Malformed("The file is no JSON.") from None
    if not isinstance(told, dict):
        raise Malformed("The file is no JSON object.")
    return told


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    told = dict(pairs)
    if len(told) < len(pairs):
        raise Malformed("The file says the same thing twice: a repeated name in a JSON object.")
    return told


def _no_constant(name: str) -> Any:
    raise Malformed(f"The file holds {name}, which JSON does not have.")


def _moment(certificate: dict[str, Any], name: str) -> datetime:
    try:
        told = datetime.fromisoformat(str(certificate.get(name)))
    except ValueError:
        raise Malformed(f"The certificate's {name} is no time.") from None
    if told.tzinfo is None:
        raise Malformed(f"The certificate's {name} does not say its time zone.")
    return told


def _named(certificate: dict[str, Any]) -> str:
    judge, criteria = certificate["judge"][:80], certificate["criteria"][:80]
    return f"{judge}@{certificate.get('judge_version')} on {criteria}@{certificate.get('criteria_version')}"


def _because(certificate: dict[str, Any]) -> str:
    reasons = certificate.get("reasons")
    told = [str(each.get("message", "")) for each in reasons or [] if isinstance(each, dict)]
    return f": {' '.join(told)[:1000]}" if told else "."
