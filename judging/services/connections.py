"""Where a judge is asked and with which key: read from the environment by the names its version gives."""

import os
import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from django.conf import settings

from judging.models import JudgeVersion

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
            "Set it, restart the worker and resume the run."
        )
    return value
