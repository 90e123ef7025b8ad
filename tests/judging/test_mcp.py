"""Certificates over MCP: the tools, asked by the SDK's own client, ask a real server."""

import asyncio
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.server.mcpserver import MCPServer
from pytest_django.live_server_helper import LiveServer

from judging.domain.reason_guide import REASON_GUIDE
from judging.domain.reasons import CertificateReason
from judging.mcp_server import make_server
from judging.services.tokens import create_token
from tests.factories import make_criteria_set, make_judge
from tests.judging.dashboards import certify

pytestmark = pytest.mark.django_db(transaction=True)

type Call = tuple[str, dict[str, Any]]


@pytest.fixture
def token() -> str:
    """A token of scope `gate` on a set with one certified judge and one that is not."""
    criteria_set = make_criteria_set("replies")
    certify(make_judge("strict"), criteria_set, a=18, b=1, c=1, d=18)
    certify(make_judge("hasty"), criteria_set, a=10, b=9, c=9, d=10)
    return create_token(name="agent", scopes=["gate"], criteria_sets=[criteria_set])[1]


def ask(server: MCPServer[Any] | StdioServerParameters, *calls: Call) -> list[Any]:
    """What the tools answer to these calls, one after the other; in a thread, for a loop runs in this one."""

    async def talk() -> list[Any]:
        async with Client(server, read_timeout_seconds=60) as client:
            return [await client.call_tool(name, arguments) for name, arguments in calls]

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(lambda: asyncio.run(talk())).result()


def program(url: str, token: str) -> StdioServerParameters:
    """The command, as an agent starts it: it needs neither database nor worker."""
    return StdioServerParameters(
        command=sys.executable,
        args=[str(settings.BASE_DIR / "manage.py"), "mcp", "--url", url],
        env={"VERA_TOKEN": token, "DATABASE_URL": "postgres://nobody@127.0.0.1:1/nothing"},
    )


def test_an_agent_reads_certificates_and_what_reasons_mean(live_server: LiveServer, token: str) -> None:
    one, other, some, meant = ask(
        program(live_server.url, token),
        ("get_certification", {"judge": "strict", "criteria": "replies"}),
        ("get_certification", {"judge": "hasty", "criteria": "replies"}),
        ("list_certifications", {"status": "uncertified"}),
        ("explain_reasons", {"codes": ["below_bar"]}),
    )

    assert one.structured_content["certified"] is True
    assert [reason["code"] for reason in other.structured_content["reasons"]] == ["below_bar"]
    assert [item["judge"] for item in some.structured_content["items"]] == ["hasty"]
    assert meant.structured_content["below_bar"]["remedy"] == REASON_GUIDE[CertificateReason.BELOW_BAR].remedy


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (("get_certification", {"judge": "nobody", "criteria": "replies"}), "There is no judge “nobody”."),
        (("explain_reasons", {"codes": ["bad_mood"]}), "There is no reason “bad_mood”."),
        (("get_certification", {"judge": "../gate", "criteria": "replies"}), "judge"),
    ],
)
def test_what_cannot_be_answered_is_an_error_that_says_so(
    live_server: LiveServer, token: str, call: Call, sentence: str
) -> None:
    (answer,) = ask(make_server(live_server.url, token), call)

    assert answer.is_error
    assert sentence in answer.content[0].text


def test_a_wrong_token_and_a_server_that_is_away_are_no_yes(live_server: LiveServer, token: str) -> None:
    call: Call = ("get_certification", {"judge": "strict", "criteria": "replies"})

    refused, away = (
        ask(make_server(url, secret), call)[0]
        for url, secret in ((live_server.url, "wrong"), ("http://127.0.0.1:1", token))
    )

    assert refused.is_error
    assert away.is_error
    assert "Treat the judge as uncertified." in away.content[0].text


@pytest.mark.parametrize(
    ("url", "token", "sentence"),
    [
        ("http://me:sekret@127.0.0.1:1", "vera_x", "names a user or a password"),
        ("ftp://127.0.0.1", "vera_x", "is no address"),
        ("http://[", "vera_x", "is no address"),
        ("http://127.0.0.1:1", "vera_ü", "VERA_TOKEN"),
        ("http://127.0.0.1:1", "", "VERA_TOKEN"),
    ],
)
def test_a_wrong_start_is_refused_without_telling_secrets(
    monkeypatch: pytest.MonkeyPatch, url: str, token: str, sentence: str
) -> None:
    monkeypatch.setenv("VERA_TOKEN", token)

    with pytest.raises(CommandError, match=re.escape(sentence)) as refused:
        call_command("mcp", "--url", url)

    assert refused.value.returncode == 2
    assert "sekret" not in str(refused.value)


def test_every_reason_is_explained() -> None:
    assert set(REASON_GUIDE) == set(CertificateReason)
