"""litellm for real, over HTTP, against the scripted judge."""

import asyncio
import json
import logging
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import CancelledError
from dataclasses import replace
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Event, Thread
from typing import Any, ClassVar

import pytest

from judging.domain.params import InvalidJudgeParams
from judging.domain.prompt import build_messages, response_schema
from judging.domain.reasons import PauseReason, SkipReason
from judging.domain.reply import Refused, check_model, parse_reply
from judging.llm import Call, Reply, Unavailable, ask, resendable
from judging.loop import run_in_loop, stop_loop
from tests.domain.specs import SPEC
from tests.scripted_judge import ERRORS, ScriptedJudge

KEY = "a-key/that+must=never-be-seen"


@pytest.fixture(scope="module", autouse=True)
def _loop() -> Iterator[None]:
    yield
    stop_loop()


@pytest.fixture(scope="module")
def judge() -> Iterator[ScriptedJudge]:
    with ScriptedJudge() as scripted:
        yield scripted


def call(judge: ScriptedJudge, behaviour: str, candidate: str = "The answer.", **changes: Any) -> Call:
    messages = build_messages(
        "juror-1", SPEC, "Do it.", candidate, "", "", "0123456789abcdef0123456789abcdef"
    )
    usual: dict[str, Any] = {
        "schema": response_schema(SPEC, "juror-1"),
        "params": {"temperature": 0},
        "timeout": 20,
    }
    return Call(f"openai/scripted/{behaviour}", messages, base_url=judge.url, api_key=KEY, **usual | changes)


def answer(call: Call) -> Reply:
    return run_in_loop(ask(call)).result(60)


def failure(call: Call) -> Unavailable:
    with pytest.raises(Unavailable) as unavailable:
        answer(call)
    return unavailable.value


def read(asked: Call, reply: Reply) -> list[int]:
    check_model(asked.model, reply.model, asked.params)
    parsed = parse_reply(reply.text, SPEC, reply.finish_reason, "The answer.", refusal=reply.refusal)
    return [score.score for score in parsed.scores]


def test_a_reply_carries_what_made_it(judge: ScriptedJudge) -> None:
    reply = answer(call(judge, "pass"))

    assert (reply.model, reply.provider_fingerprint) == ("scripted/pass", "fp_scripted")
    assert (reply.prompt_tokens, reply.completion_tokens, reply.finish_reason) == (100, 20, "stop")
    assert reply.cost is None
    assert reply.latency_ms >= 0


def test_a_known_price_becomes_a_cost(judge: ScriptedJudge) -> None:
    known = Call("openai/gpt-4o-mini", [{"role": "user", "content": "x"}], base_url=judge.url, api_key=KEY)

    # 100 tokens in at $0.15 and 20 out at $0.60 per million
    assert answer(known).cost == Decimal("0.000027")


def test_the_question_travels_as_given(judge: ScriptedJudge) -> None:
    answer(call(judge, "pass", params={"temperature": 0, "seed": 7, "answers_as": "x"}))

    body = judge.calls[-1].body
    assert (body["model"], body["temperature"], body["seed"]) == ("scripted/pass", 0, 7)
    assert body["response_format"]["json_schema"]["schema"] == response_schema(SPEC, "juror-1")
    assert set(body) == {"model", "messages", "temperature", "seed", "response_format"}
    assert judge.calls[-1].headers["Authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize(
    ("behaviour", "code"),
    [
        ("garbage", "not_json"),
        ("prose", "not_json"),
        ("sorry", "refused"),
        ("refusal", "refused"),
        ("empty", "empty_reply"),
        ("half", "truncated"),
        ("length", "truncated"),
        ("content-filter", "content_filter"),
        ("unknown-criterion", "unknown_criterion"),
        ("missing-criterion", "missing_criterion"),
        ("out-of-scale", "out_of_scale"),
        ("nan", "not_json"),
        ("duplicate-keys", "duplicate_key"),
        ("2mb", "too_long"),
        ("wrong-model", "wrong_model"),
    ],
)
def test_a_bad_reply_is_refused_with_its_own_reason(judge: ScriptedJudge, behaviour: str, code: str) -> None:
    asked = call(judge, behaviour)
    reply = answer(asked)

    with pytest.raises(Refused) as refused:
        read(asked, reply)
    assert refused.value.code == code


@pytest.mark.parametrize(("behaviour", "scores"), [("pass", [1, 5]), ("fail", [0, 1]), ("fenced", [1, 5])])
def test_a_good_reply_is_read(judge: ScriptedJudge, behaviour: str, scores: list[int]) -> None:
    asked = call(judge, behaviour)

    assert read(asked, answer(asked)) == scores


def test_an_echoed_verdict_is_not_the_judge_s(judge: ScriptedJudge) -> None:
    candidate = answer(call(judge, "pass")).text
    echoed = answer(call(judge, "echo", candidate))

    assert echoed.text == candidate
    with pytest.raises(Refused, match="copied"):
        parse_reply(echoed.text, SPEC, echoed.finish_reason, candidate)


@pytest.mark.parametrize(
    ("behaviour", "code", "scope", "again"),
    [
        ("400", "bad_request", "call", False),
        ("401", "authentication", "every_call", False),
        ("402", "no_credit", "every_call", False),
        ("403", "permission_denied", "every_call", False),
        ("404", "unknown_model", "every_call", False),
        ("429", "rate_limited", "call", True),
        ("quota", "no_credit", "every_call", False),
        ("500", "unavailable", "call", True),
        ("503", "unavailable", "call", True),
        ("close", "unavailable", "call", True),
        ("context", "context_too_long", "call", False),
        ("policy", "content_filter", "call", False),
    ],
)
def test_each_failure_has_its_code_and_is_asked_once(
    judge: ScriptedJudge, behaviour: str, code: str, scope: str, again: bool
) -> None:
    before = len(judge.calls)
    failed = failure(call(judge, behaviour))

    assert (failed.code, failed.scope, resendable(failed.code)) == (code, scope, again)
    assert len(judge.calls) == before + 1


@pytest.mark.parametrize(
    "quoted",
    [
        "The rate limit is 429 a minute.",
        "A timeout occurred",
        "The server had an error processing your request.",
        "Request too large",
        "Your credit balance is too low",
        "LLM Provider NOT provided",
    ],
)
def test_a_bad_request_that_quotes_the_question_is_a_bad_request(
    judge: ScriptedJudge, monkeypatch: pytest.MonkeyPatch, quoted: str
) -> None:
    monkeypatch.setitem(ERRORS, "quotes", (400, "invalid_value", f"Bad input: '{quoted}'"))

    assert failure(call(judge, "quotes", f"Judge this: {quoted}")).code == "bad_request"


def test_retry_after_is_told(judge: ScriptedJudge) -> None:
    assert failure(call(judge, "429")).retry_after == 1.0
    with ScriptedJudge(retry_after="Wed, 21 Oct 2015 07:28:00 GMT") as past:
        assert failure(call(past, "429")).retry_after == 0.0


def test_a_slow_judge_times_out(judge: ScriptedJudge) -> None:
    assert failure(call(judge, "timeout", timeout=0.3)).code == SkipReason.TIMEOUT


def test_nobody_listening_is_unavailable() -> None:
    with ScriptedJudge() as gone:
        asked = call(gone, "pass")

    assert failure(asked).code == SkipReason.UNAVAILABLE


def test_an_unknown_provider_pauses(judge: ScriptedJudge) -> None:
    unknown = Call("no-such-provider", [{"role": "user", "content": "x"}], api_key=KEY)

    assert failure(unknown).code == PauseReason.UNKNOWN_MODEL


def test_a_lone_surrogate_is_refused_before_it_is_sent(judge: ScriptedJudge) -> None:
    before = len(judge.calls)

    assert failure(call(judge, "pass", "half \ud800 a pair")).code == SkipReason.UNENCODABLE
    assert len(judge.calls) == before


@pytest.mark.parametrize("behaviour", ["401", "500"])
def test_the_key_is_in_no_error_and_no_log(
    judge: ScriptedJudge,
    behaviour: str,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    asked = call(judge, behaviour)
    with caplog.at_level(logging.DEBUG):
        failed = failure(asked)

    everything = f"{failed} {failed!r} {failed.detail} {asked!r} {caplog.text} {capfd.readouterr()}"
    assert "[key]" in failed.detail
    assert KEY not in everything
    assert failed.__context__ is None


def test_without_a_key_the_environment_s_own_is_not_sent_to_a_set_address(
    judge: ScriptedJudge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "the-provider-s-own")
    answer(Call("openai/scripted/pass", [{"role": "user", "content": "x"}], base_url=judge.url))

    assert judge.calls[-1].headers["Authorization"] == "Bearer none"


@pytest.mark.parametrize(("behaviour", "requests"), [("no-schema", 2), ("no-json", 3)])
def test_a_refused_response_format_is_weakened_and_remembered(behaviour: str, requests: int) -> None:
    with ScriptedJudge() as fresh:
        answer(call(fresh, behaviour))
        assert len(fresh.calls) == requests

        answer(call(fresh, behaviour))
        assert len(fresh.calls) == requests + 1


@pytest.mark.parametrize(
    "params", [{"api_base": "http://127.0.0.1"}, {"mock_response": "x"}, {"response_format": "xml"}]
)
def test_parameters_that_are_not_a_judge_s_are_refused(judge: ScriptedJudge, params: dict[str, Any]) -> None:
    with pytest.raises(InvalidJudgeParams):
        answer(call(judge, "pass", params=params))


def test_a_price_of_the_judge_s_own_makes_the_cost_and_stays_here(judge: ScriptedJudge) -> None:
    reply = answer(call(judge, "pass", price=(Decimal(1), Decimal(2))))

    assert reply.cost == Decimal("0.00014")
    assert not {"input_cost_per_token", "output_cost_per_token"} & set(judge.calls[-1].body)


def test_importing_the_door_does_not_import_litellm() -> None:
    code = "import sys, judging.llm; sys.exit('litellm' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_warming_up_loads_the_library_and_asks_nobody() -> None:
    code = """
import asyncio, gc, socket, sys
from judging.llm import warm_up

def refuse(*_):
    raise AssertionError("Somebody is asked.")

socket.socket.connect = refuse
asyncio.run(warm_up())
sys.exit("litellm" not in sys.modules or not gc.get_freeze_count())
"""

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


class Odd(BaseHTTPRequestHandler):
    """Answers with counts of tokens that nobody can store, and repeats the key that it was sent."""

    usage: ClassVar = {"prompt_tokens": 10**30, "completion_tokens": -5}

    def do_POST(self) -> None:
        message = {"role": "assistant", "content": f"I got {self.headers['Authorization']}."}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        body = json.dumps({"id": "1", "model": "m", "choices": [choice], "usage": self.usage}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: object) -> None:
        """Quiet."""


def test_counts_that_cannot_be_are_unknown_and_a_repeated_key_is_taken_out(judge: ScriptedJudge) -> None:
    with HTTPServer(("127.0.0.1", 0), Odd) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        asked = replace(call(judge, "pass"), base_url=f"http://127.0.0.1:{server.server_port}/v1")
        reply = answer(asked)
        server.shutdown()

    assert (reply.prompt_tokens, reply.completion_tokens, reply.cost) == (None, None, None)
    assert reply.text == "I got Bearer [key]."


class Redirecting(BaseHTTPRequestHandler):
    """Sends whoever asks on to `elsewhere`."""

    elsewhere = ""

    def do_POST(self) -> None:
        self.send_response(307)
        self.send_header("Location", self.elsewhere)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *arguments: object) -> None:
        """Quiet."""


def test_nobody_is_followed_to_another_address(judge: ScriptedJudge, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Redirecting, "elsewhere", f"{judge.url}/chat/completions")
    before = len(judge.calls)
    with HTTPServer(("127.0.0.1", 0), Redirecting) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        refused = failure(replace(call(judge, "pass"), base_url=f"http://127.0.0.1:{server.server_port}/v1"))
        server.shutdown()

    assert refused.code == "unavailable"
    assert len(judge.calls) == before


def test_a_call_that_the_library_gives_up_by_itself_is_one_failed_call(
    judge: ScriptedJudge, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def given_up(**_: Any) -> None:
        raise asyncio.CancelledError

    answer(call(judge, "pass"))  # the library is there
    monkeypatch.setattr(sys.modules["litellm"], "acompletion", given_up)

    assert failure(call(judge, "pass")).code == SkipReason.UNAVAILABLE


def test_a_call_that_we_give_up_is_given_up(judge: ScriptedJudge, monkeypatch: pytest.MonkeyPatch) -> None:
    began = Event()

    async def forever(**_: Any) -> None:
        began.set()
        await asyncio.sleep(60)

    answer(call(judge, "pass"))
    monkeypatch.setattr(sys.modules["litellm"], "acompletion", forever)
    asked = run_in_loop(ask(call(judge, "pass")))
    assert began.wait(5)

    asked.cancel()

    with pytest.raises(CancelledError):
        asked.result(5)
