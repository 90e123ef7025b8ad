"""Where a judge is asked and with which key: read from the environment by the names its version gives."""

import os
import re
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal
from urllib.parse import urlsplit

from django.conf import settings

from judging.models import JudgeVersion, WorkerSeen

type Holds = Literal["key", "address"]

_OWN_NAME = re.compile(r"VERA_JUROR_[A-Z0-9_]+\Z")


class NotConfigured(ValueError):
    """A juror cannot be asked as things are; the sentence names the variable to set."""


@dataclass(frozen=True, slots=True)
class Connection:
    """None: what the provider's library takes by itself. The key is never shown."""

    base_url: str | None
    api_key: str | None = field(repr=False)


def check_variable(name: str) -> None:
    """Raise `NotConfigured` unless a judge may name this variable for its key or address."""
    own = _OWN_NAME.match(name) and not hasattr(settings, name)  # VERA_JUROR_HOSTS is Vera's own setting
    if name not in settings.VERA_JUROR_ENV_NAMES and not own:
        raise NotConfigured(
            f"A judge may not read the variable {name!r}. Use a provider's usual name, such as "
            "OPENAI_API_KEY, or one that starts with VERA_JUROR_."
        )


def check_address(url: str, variable: str) -> None:
    """Raise `NotConfigured` unless the administrator allows judges at this address."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise NotConfigured(f"{variable} holds no address. Set it to one like https://host/v1.") from None
    if parts.scheme not in ("http", "https") or not host or "@" in parts.netloc:
        raise NotConfigured(f"{variable} must hold an address like https://host/v1, without a user name.")
    shown = f"[{host}]" if ":" in host else host
    allowed = {entry.lower() for entry in settings.VERA_JUROR_HOSTS}
    if not allowed & {shown, f"{shown}:{port}"}:
        raise NotConfigured(
            f"{variable} points to {shown}, which is not on the list of hosts that judges may be asked at. "
            "An administrator can add it to VERA_JUROR_HOSTS."
        )


def connection_of(version: JudgeVersion) -> Connection:
    """Address and key of a model. Raises `NotConfigured` naming the variable that is missing or wrong."""
    base_url = _read(version, version.base_url_env)
    if base_url is not None:
        check_address(base_url, version.base_url_env)
    return Connection(base_url, _read(version, version.api_key_env))


def _read(version: JudgeVersion, name: str) -> str | None:
    if not name:
        return None
    check_variable(name)
    value = os.environ.get(name, "").strip()
    if not value:
        raise NotConfigured(
            f"The judge {version} needs the variable {name}, which is not set for the worker. "
            "Set it in the worker's environment and restart the worker."
        )
    return value


def variables_here() -> list[str]:
    """The names of those variables a judge may read that are set for this process. Never their values."""
    own = [name for name in os.environ if _OWN_NAME.match(name) and not hasattr(settings, name)]
    return sorted(name for name in {*settings.VERA_JUROR_ENV_NAMES, *own} if os.environ.get(name, "").strip())


@dataclass(frozen=True, slots=True)
class Missing:
    """A variable that a judge needs and a worker lacks. `where`: a sentence that says who lacks it."""

    name: str
    holds: Holds
    where: str

    def __str__(self) -> str:
        return self.name


class Environments:
    """What the living workers say that they have, read once for a page; this process's word where none is."""

    def __init__(self, now: datetime) -> None:
        self._workers: list[list[str] | None] = list(
            WorkerSeen.objects.alive(now).values_list("variables", flat=True)
        )

    @property
    def workers(self) -> int:
        """How many worker processes are alive."""
        return len(self._workers)

    def missing(self, version: JudgeVersion) -> list[Missing]:
        """What the version's jurors name and not every worker has."""
        named: dict[str, Holds] = {}
        for juror in version.jurors():
            named |= {juror.api_key_env: "key", juror.base_url_env: "address"}
        found = [(name, holds, self._lacking(name)) for name, holds in sorted(named.items()) if name]
        return [Missing(name, holds, where) for name, holds, where in found if where]

    def _lacking(self, name: str) -> str:
        """Who lacks the variable, as a sentence; empty where nobody does, or where nobody can say."""
        telling = [names for names in self._workers if names is not None]
        lacking = sum(name not in names for names in telling)
        if not self._workers:
            here = bool(os.environ.get(name, "").strip())
            return "" if here else "Not set where this page is served, and no worker is seen."
        if lacking and lacking == len(telling):
            return "No worker has it."
        return f"{lacking} of {len(telling)} worker processes do not have it." if lacking else ""
