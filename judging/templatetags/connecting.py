"""`{% connect missing %}`, `{% connect_judge version %}`: what is not set, where it belongs, what to copy."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django import template
from django.conf import settings

from judging.models import JudgeVersion
from judging.services.connections import Missing
from judging.services.judges import missing_variables

register = template.Library()


@dataclass(frozen=True, slots=True)
class Line:
    """One variable with a value to replace, as a shell and as a file of variables write it."""

    name: str
    value: str

    @property
    def shell(self) -> str:
        return f"export {self.name}='{self.value}'"

    @property
    def entry(self) -> str:
        return f"{self.name}={self.value}"


@register.inclusion_tag("judging/connect.html")
def connect(missing: Sequence[Missing]) -> dict[str, Any]:
    """How to connect a model whose variables are `missing`; nothing where none is."""
    addresses = any(each.holds == "address" for each in missing)
    values = {"key": "PASTE-THE-KEY-HERE", "address": "https://HOST/v1"}
    lines = [Line(each.name, values[each.holds]) for each in missing]
    if addresses:
        lines.append(Line("VERA_JUROR_HOSTS", ",".join([*_listed_hosts(), "HOST"])))
    return {
        "missing": missing,
        "lines": lines,
        "addresses": addresses,
        "hosts": settings.VERA_JUROR_HOSTS,
        "is_demo": settings.VERA_DEMO,
    }


def _listed_hosts() -> list[str]:
    """The hosts that an administrator listed; outside production loopback is allowed without."""
    given = {"127.0.0.1", "localhost", "[::1]"}
    return [host for host in settings.VERA_JUROR_HOSTS if settings.VERA_PRODUCTION or host not in given]


@register.inclusion_tag("judging/connect.html")
def connect_judge(version: JudgeVersion) -> dict[str, Any]:
    """`connect` for what a judge version lacks at the moment."""
    return connect(missing_variables(version))
