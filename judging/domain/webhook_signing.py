"""Signing messages as the Standard Webhooks specification has it, version 1.0.0, symmetric (`v1`).

https://www.standardwebhooks.com: a receiver checks `id.timestamp.body` with any library for it.
"""

import base64
import hashlib
import hmac
from collections.abc import Sequence

PREFIX = "whsec_"


def secret_from(master: str, salt: str) -> str:
    """The secret of one address, derived so that it need not be stored: `whsec_` and 32 bytes in base64."""
    derived = hmac.new(master.encode(), f"vera webhook {salt}".encode(), hashlib.sha256).digest()
    return PREFIX + base64.b64encode(derived).decode()


def signed_headers(secrets: Sequence[str], message_id: str, timestamp: int, body: bytes) -> dict[str, str]:
    """The three headers of a message; a signature by each secret, so that one may be changed for another.

    `timestamp`: of this try, in seconds since 1970. `message_id` must hold no full stop.
    """
    signatures = " ".join(_signature(secret, message_id, timestamp, body) for secret in secrets)
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": signatures,
    }


def _signature(secret: str, message_id: str, timestamp: int, body: bytes) -> str:
    key = base64.b64decode(secret.removeprefix(PREFIX))
    signed = hmac.new(key, f"{message_id}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    return "v1," + base64.b64encode(signed).decode()
