"""The tools that agents see over MCP. All of them read; none can label, judge or certify.

An agent that cannot reach Vera is told so in an error, never that a judge is certified.
"""

from typing import Annotated, Any, Literal

import httpx
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations
from pydantic import Field

from judging.domain.reason_guide import REASON_GUIDE

_SECONDS = 10
_NO_YES = "Treat the judge as uncertified."
_INSTRUCTIONS = (
    "Vera says which LLM judges may be trusted. Before you act on a judge's verdict, call get_certification "
    "and go on only if `certified` is true. An error is not a yes."
)
_READS = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True)

Name = Annotated[str, Field(pattern=r"^[-\w]{1,80}$")]
Number = Annotated[int, Field(ge=1, le=2**31 - 1)]


def make_server(url: str, token: str) -> MCPServer[Any]:
    """A server that asks the Vera at `url` with `token`, whose scope is `gate`."""
    vera = Vera(url, token)
    server: MCPServer[Any] = MCPServer("vera", title="Vera", instructions=_INSTRUCTIONS)

    @server.tool(annotations=_READS)
    async def get_certification(
        judge: Name,
        criteria: Name,
        judge_version: Number | None = None,
        criteria_version: Number | None = None,
    ) -> dict[str, Any]:
        """Whether a judge is certified on a criteria set now, with reasons, kappa, interval and expiry.

        Without version numbers it answers for the live versions.
        """
        versions = {"judge_version": judge_version, "version": criteria_version}
        return await vera.get(f"certifications/{judge}/{criteria}", versions)

    @server.tool(annotations=_READS)
    async def list_certifications(
        judge: Name | None = None,
        criteria: Name | None = None,
        status: Literal["certified", "uncertified"] | None = None,
        cursor: Number | None = None,
    ) -> dict[str, Any]:
        """The certificates in force, newest first. `next_cursor`, where it is not null, asks for more."""
        wanted = {"judge": judge, "criteria": criteria, "status": status, "cursor": cursor}
        return await vera.get("certifications", wanted)

    @server.tool(annotations=_READS)
    async def explain_reasons(codes: list[str]) -> dict[str, Any]:
        """What reason codes of a certificate mean, and who can clear them and how."""
        return explained(codes)

    return server


def explained(codes: list[str]) -> dict[str, Any]:
    """Meaning and remedy by code. Raises `ToolError` for a code that there is not."""
    known = {str(code): entry for code, entry in REASON_GUIDE.items()}
    if unknown := [code for code in codes if code not in known]:
        names = ", ".join(known)
        raise ToolError(f"There is no reason “{unknown[0][:80]}”. The reasons are: {names}.")
    return {code: {"meaning": known[code].meaning, "remedy": known[code].remedy} for code in codes}


class Vera:
    """The API of one Vera. Every failure becomes a `ToolError` with a sentence."""

    def __init__(self, url: str, token: str) -> None:
        self._base = f"{url.rstrip('/')}/api/v1/"
        self._headers = {"Authorization": f"Bearer {token}", "Accept": "application/json"}

    async def get(self, path: str, given: dict[str, Any]) -> dict[str, Any]:
        """One answer as JSON; `given` without what is None becomes the query."""
        query = {name: value for name, value in given.items() if value is not None}
        try:
            async with httpx.AsyncClient(timeout=_SECONDS, headers=self._headers) as client:
                answer = await client.get(self._base + path, params=query)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise ToolError(
                f"Vera cannot be reached at {self._base} ({type(error).__name__}). {_NO_YES}"
            ) from None
        return _content(answer)


def _content(answer: httpx.Response) -> dict[str, Any]:
    try:
        content = answer.json()
    except ValueError:
        content = None
    if answer.is_success and isinstance(content, dict):
        return content
    raise ToolError(f"{_message(content, answer.status_code)} {_NO_YES}")


def _message(content: object, status: int) -> str:
    """Vera's own sentence where it sent one."""
    match content:
        case {"error": {"message": str(message)}}:
            return message
    return f"Vera answered {status} and not with a certificate."
