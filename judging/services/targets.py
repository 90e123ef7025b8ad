"""Where messages may go: an address that was read, looked up once, and found to be open to everybody."""

import asyncio
import socket
import unicodedata
from dataclasses import dataclass
from urllib.parse import urlsplit

from django.conf import settings

from judging.domain.public_addresses import is_public

LONGEST = 500  # characters of an address


class NotAllowed(ValueError):
    """No message may be sent there; the sentence says why and what to do."""


@dataclass(frozen=True, slots=True)
class Target:
    """A server. `trusted`: the administrator allows it, wherever it is."""

    scheme: str
    host: str
    port: int
    trusted: bool


def target_of(url: str) -> Target:
    """The server that an address names. Raises `NotAllowed` for what is refused without looking it up."""
    try:
        parts = urlsplit(url)
        host, port = _plain(parts.hostname or ""), parts.port
    except ValueError:
        raise NotAllowed("This is no address. Write one like https://example.org/hooks/vera.") from None
    if not host or port == 0 or any(not character.isprintable() or character in " \\" for character in url):
        raise NotAllowed("This is no address. Write one like https://example.org/hooks/vera.")
    if "@" in parts.netloc or parts.fragment:
        raise NotAllowed("Leave out user name, password and what follows a “#”: messages are signed instead.")
    if parts.scheme not in _schemes():
        raise NotAllowed(f"The address must begin with {' or '.join(f'{each}://' for each in _schemes())}.")
    target = Target(parts.scheme, host, port or {"http": 80, "https": 443}[parts.scheme], _trusts(host, port))
    if _is_literal(host) or host == "localhost" or host.endswith(".localhost"):
        _check(target, [host])
    return target


def _plain(host: str) -> str:
    """A host as it is looked up: another form of a letter or of a dot, or a last dot, is the same host."""
    return unicodedata.normalize("NFKC", host).replace("\u3002", ".").rstrip(".").lower()


def _schemes() -> tuple[str, ...]:
    return ("https",) if settings.VERA_PRODUCTION else ("https", "http")


def _trusts(host: str, port: int | None) -> bool:
    shown = f"[{host}]" if ":" in host else host
    return bool({each.lower() for each in settings.VERA_WEBHOOK_HOSTS} & {shown, f"{shown}:{port}"})


def _is_literal(host: str) -> bool:
    """Whether the system would take the host for a number, in any of the spellings that it knows."""
    try:
        socket.inet_aton(host)
    except (OSError, UnicodeError):
        return ":" in host
    return True


async def addresses_of(target: Target) -> list[str]:
    """The network addresses of a server, all of them allowed: what a connection is to be made to.

    Asked once. A name that is looked up a second time may lead elsewhere by then. Raises `NotAllowed`, and
    `OSError` where the name is unknown.
    """
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
    addresses = list(dict.fromkeys(str(sockaddr[0]) for *_, sockaddr in found))
    _check(target, addresses)
    return addresses


def _check(target: Target, addresses: list[str]) -> None:
    if not target.trusted and not all(map(is_public, addresses)):
        wish = "" if settings.VERA_PRODUCTION else " An administrator can allow it by VERA_WEBHOOK_HOSTS."
        raise NotAllowed(
            f"{target.host} is an address inside a network, or one that is no single server's. Messages go "
            f"only where anybody on the internet may go.{wish}"
        )
