"""One HTTP request that carries a message, made so that neither its address nor its answer can do harm.

aiohttp is imported when it is first needed: pages, which send nothing, never load it.
"""

import asyncio
import socket
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from judging.services.targets import NotAllowed, Target, addresses_of, target_of

if TYPE_CHECKING:
    from aiohttp import ClientResponse
    from aiohttp.abc import ResolveResult

LIMIT = 4096  # bytes that are read of an answer
PATIENCE = 10.0  # seconds for all of it
_ADDRESS = 64  # characters that are kept of the addresses
_BODY_PATIENCE = 2.0  # seconds for an answer's text, once its status is known


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a request. `problem`: a sentence; blank: it was taken. `retry_after`: seconds.

    `address`: what the name led to, where there was an answer.
    """

    problem: str = ""
    status: int | None = None
    text: str = ""
    address: str = ""
    retry_after: float = 0.0


async def post(url: str, headers: Mapping[str, str], body: bytes) -> Answer:
    """Send a message; whatever goes wrong is told in the answer.

    The name is looked up once, every address checked, and the connection made to one of those. No redirect is
    followed, no proxy asked, no more than `LIMIT` bytes read, and all of it ends within `PATIENCE` seconds.
    """
    from aiohttp import ClientConnectorCertificateError, ClientError, ClientSSLError

    try:
        async with asyncio.timeout(PATIENCE):
            target = target_of(url)
            return await _post(url, headers, body, target, await addresses_of(target))
    except NotAllowed as refused:
        return Answer(str(refused))
    except TimeoutError:
        return Answer(f"It did not answer within {PATIENCE:.0f} seconds.")
    except ClientConnectorCertificateError as error:
        return Answer(f"Its TLS certificate is not valid for this name: {_cause(error)}.")
    except ClientSSLError as error:
        return Answer(f"No secure connection could be made: {_cause(error)}.")
    except (OSError, UnicodeError) as error:
        return Answer(f"It could not be reached: {_cause(error)}.")
    except ClientError as error:
        return Answer(f"Its answer could not be understood ({type(error).__name__}).")


def _cause(error: Exception) -> str:
    return (getattr(error, "strerror", None) or str(error) or type(error).__name__)[:200].rstrip(".")


async def _post(
    url: str, headers: Mapping[str, str], body: bytes, target: Target, addresses: list[str]
) -> Answer:
    from aiohttp import ClientSession, DummyCookieJar, TCPConnector
    from aiohttp.abc import AbstractResolver
    from yarl import URL

    class Checked(AbstractResolver):
        """Knows the addresses that were checked, and nothing else."""

        async def resolve(
            self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
        ) -> "list[ResolveResult]":
            return [_resolved(host, port, each) for each in addresses]

        async def close(self) -> None:
            """There is nothing to close."""

    # To read the machine's certificates takes a while, in which this loop would answer no judge.
    context = await asyncio.to_thread(ssl.create_default_context) if target.scheme == "https" else True
    connector = TCPConnector(resolver=Checked(), use_dns_cache=False, force_close=True, ssl=context)
    session = ClientSession(connector=connector, cookie_jar=DummyCookieJar(), auto_decompress=False)
    async with session, session.post(URL(url), data=body, headers=headers, allow_redirects=False) as response:
        return _told(response, await _beginning(response), addresses)


def _resolved(host: str, port: int, address: str) -> "ResolveResult":
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    return {
        "hostname": host,
        "host": address,
        "port": port,
        "family": family,
        "proto": 0,
        "flags": socket.AI_NUMERICHOST,
    }


async def _beginning(response: "ClientResponse") -> str:
    """The first bytes of an answer as a text; what comes too late or never ends is left."""
    from aiohttp import ClientError

    read = bytearray()
    try:
        async with asyncio.timeout(_BODY_PATIENCE):
            while len(read) < LIMIT and (part := await response.content.read(LIMIT - len(read))):
                read += part
    except (TimeoutError, ClientError, OSError):
        pass  # its status says whether it took the message
    return read.decode(errors="replace").replace("\0", "�")


def _told(response: "ClientResponse", text: str, addresses: list[str]) -> Answer:
    status, problem = response.status, ""
    if 300 <= status < 400:
        problem = (
            f"It answered with a redirect ({status}), and none is followed. "
            "Give the webhook the address that it leads to."
        )
    elif not 200 <= status < 300:
        problem = f"It answered with status {status}."
    known = ", ".join(addresses)[:_ADDRESS]
    return Answer(problem, status, text, known, _seconds(response.headers.get("Retry-After", "")))


def _seconds(told: str) -> float:
    """The seconds of a `Retry-After`; 0 where it holds a date or nonsense."""
    return float(told) if told.isascii() and told.isdecimal() and len(told) < 9 else 0.0
