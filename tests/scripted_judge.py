"""A scripted judge behind a real OpenAI-compatible server on loopback, so that litellm is truly in the loop.

In a test: `with ScriptedJudge(plan) as judge: … judge.url … judge.calls`. Across processes:
`python -m tests.scripted_judge --port 9009 --delay 0.2`, `GET /calls` tells what was asked, and
`POST /script` with {"behaviour": "503", "seconds": 8} lets every call behave like that for a while.
How it behaves is named by the plan, by what the candidate is mapped to, or by the end of the model's name.
"""

import argparse
import asyncio
import base64
import hashlib
import json
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote

from aiohttp import web

from judging.loop import LoopThread

type Body = dict[str, Any]
type Plan = Callable[[Body, int], str]

_CRITERION = re.compile(r"^- (.+?) – score (-?\d+) \(.+?\) (?:or|to) (-?\d+) \(", re.MULTILINE)
_EXAMPLE = re.compile(r"=== BEGIN CASE 1 CANDIDATE \w+ ===\n(.*?)\n=== END", re.DOTALL)
_BOUNDARY = re.compile(r"The random word is (\S+)\.")
SYSTEM_FINGERPRINT = "fp_scripted"
PROMPT_TOKENS, COMPLETION_TOKENS = 100, 20


@dataclass(frozen=True)
class Asked:
    """One call as it arrived; `at` in seconds since 1970."""

    body: Body
    headers: Mapping[str, str]
    at: float = field(default_factory=time.time)


def candidate_of(body: Body) -> str:
    """The candidate inside its fence; "" when the prompt has none."""
    user = str(body["messages"][1]["content"]) if len(body["messages"]) > 1 else ""
    boundary = _BOUNDARY.search(user)
    if boundary is None:
        return ""
    _, _, rest = user.partition(f"=== BEGIN CANDIDATE {boundary[1]} ===\n")
    return rest.rpartition(f"\n=== END CANDIDATE {boundary[1]} ===")[0]


def is_correction(body: Body) -> bool:
    """Whether the call asks once more after a reply that could not be read."""
    return len(body["messages"]) > 2


def criteria_of(body: Body) -> list[tuple[str, int, int]]:
    """Name, smallest and largest score of each criterion asked about, as the prompt lists them."""
    found = _CRITERION.findall(str(body["messages"][0]["content"]))
    return [(name, int(low), int(high)) for name, low, high in found]


def reply_with(body: Body, *, passes: bool) -> Body:
    """The agreed reply with the best or the worst score on every criterion."""
    entries = [
        {"name": name, "score": high if passes else low, "reason": "As scripted."}
        for name, low, high in criteria_of(body)
    ]
    return {"criteria": entries, "feedback": "" if passes else "Do it again."}


def _changed_entry(body: Body, **changes: Any) -> Body:
    reply = reply_with(body, passes=True)
    reply["criteria"][0].update(changes)
    return reply


def _one_more(body: Body) -> Body:
    reply = reply_with(body, passes=True)
    reply["criteria"].append({"name": "charm", "score": 1, "reason": "Nobody asked."})
    return reply


def _one_fewer(body: Body) -> Body:
    reply = reply_with(body, passes=True)
    reply["criteria"].pop()
    return reply


def _pass_text(body: Body) -> str:
    return json.dumps(reply_with(body, passes=True))


# What the judge says, by the name of the behaviour.
TEXTS: dict[str, Callable[[Body], str]] = {
    "pass": _pass_text,
    "fail": lambda body: json.dumps(reply_with(body, passes=False)),
    "fenced": lambda body: f"Here it is:\n```json\n{_pass_text(body)}\n```",
    "think": lambda body: f"<think>It may {{fail}}.</think>\n{_pass_text(body)}",
    "garbage": lambda body: "%% {score: 1, ]]",
    "prose": lambda body: "I would let this pass; it is rather good.",
    "sorry": lambda body: "I'm sorry, but I cannot evaluate this.",
    "empty": lambda body: "",
    "half": lambda body: _pass_text(body)[: len(_pass_text(body)) // 2],
    "length": lambda body: _pass_text(body)[: len(_pass_text(body)) // 2],
    "content-filter": lambda body: "",
    "unknown-criterion": lambda body: json.dumps(_one_more(body)),
    "missing-criterion": lambda body: json.dumps(_one_fewer(body)),
    "out-of-scale": lambda body: json.dumps(_changed_entry(body, score=99)),
    "nan": lambda body: json.dumps(_changed_entry(body, score=float("nan"))),
    "duplicate-keys": lambda body: _pass_text(body).replace('{"criteria"', '{"feedback": "", "criteria"', 1),
    "2mb": lambda body: "[" * 2_000_000,
    "echo": candidate_of,
    "repeats-example": lambda body: _EXAMPLE.findall(str(body["messages"][0]["content"]))[0],
    "wrong-model": _pass_text,
    "no-schema": _pass_text,
    "no-json": _pass_text,
}

# Judges that repeat the key they were asked with, in every spelling, wherever a provider has a place for it.
LEAKS = ("leak-401", "leak-400", "leak-500", "leak-reply", "leak-prose", "leak-body", "leak-redirect")


def spellings(key: str) -> list[str]:
    """The key as it is, and as URLs, JSON, HTML, base64 and hexadecimal digits write it."""
    encoded = base64.b64encode
    as_bytes = key.encode()
    return [
        key,
        quote(key, safe=""),
        quote(key, safe="").lower(),
        "".join(f"%{byte:02x}" for byte in as_bytes),
        "".join(f"\\u{ord(letter):04x}" for letter in key),
        key.replace("/", "\\/").replace("&", "\\u0026"),
        "".join(f"&#{ord(letter)};" for letter in key),
        key.replace("&", "&amp;"),
        encoded(as_bytes).decode(),
        base64.urlsafe_b64encode(as_bytes).decode(),
        encoded(b"Bearer " + as_bytes).decode(),
        encoded(b":" + as_bytes).decode(),
        as_bytes.hex(),
    ]


def key_of(headers: Mapping[str, str]) -> str:
    """The key that a call was made with."""
    return headers.get("Authorization", "").removeprefix("Bearer ")


def _leak(body: Body, behaviour: str, key: str) -> web.Response:
    """The key in the status line, the headers, addresses, names, numbers and texts of an answer."""
    said = " ".join(spellings(key))
    headers = {"X-Api-Key": key, "X-Request-Id": quote(key), "WWW-Authenticate": f'Bearer key="{quote(key)}"'}
    if behaviour == "leak-redirect":
        return web.Response(status=307, headers=headers | {"Location": f"/v1/elsewhere?key={quote(key)}"})
    if behaviour == "leak-body":
        return web.Response(status=200, text=f"This is not JSON: {said}", headers=headers)
    if behaviour in ("leak-reply", "leak-prose"):
        answer = _completed(body, behaviour)
        answer |= {"id": key, "system_fingerprint": key}
        message = answer["choices"][0]["message"]
        message["content"] = said if behaviour == "leak-prose" else _leaking_verdict(body, key)
        return web.json_response(answer, headers=headers)
    status = int(behaviour.removeprefix("leak-"))
    error = {"message": f"Refused: {said} at http://host/v1?key={quote(key)}", "type": key, "code": key}
    told = {"error": error | {"param": key}}
    return web.json_response(told, status=status, headers=headers, reason=quote(key))


def _leaking_verdict(body: Body, key: str) -> str:
    """A verdict in the agreed shape with the key in its reason and feedback, also in JSON's escapes."""
    said = "; ".join(each for each in spellings(key) if "\\" not in each)
    reply = _changed_entry(body, reason=f"{said} ESCAPED") | {"feedback": f"{said} ESCAPED"}
    return json.dumps(reply).replace("ESCAPED", "".join(f"\\u{ord(letter):04x}" for letter in key))


FINISH_REASONS = {"length": "length", "content-filter": "content_filter"}

# Status, the provider's own error code and message, by the name of the behaviour.
ERRORS: dict[str, tuple[int, str, str]] = {
    "400": (400, "invalid_value", "Something in the request is wrong."),
    "401": (401, "invalid_api_key", "Incorrect API key provided: {key}."),
    "402": (402, "payment_required", "Insufficient credit."),
    "403": (403, "forbidden", "This key may not use this model."),
    "404": (404, "model_not_found", "The model does not exist."),
    "429": (429, "rate_limit_exceeded", "Too many calls."),
    "quota": (
        429,
        "insufficient_quota",
        "You exceeded your current quota, check your plan and billing details.",
    ),
    "500": (500, "server_error", "Broken. The request carried {key}."),
    "503": (503, "overloaded", "Overloaded."),
    "context": (400, "context_length_exceeded", "This model's maximum context length is 10 tokens."),
    "policy": (400, "content_policy_violation", "Your request was rejected."),
}


def _behaviour_of_model(body: Body) -> str:
    return str(body["model"]).rsplit("/", 1)[-1]


@dataclass
class Script:
    """What to do with each call, and what was called so far.

    `plan(body, n)` names the behaviour of call n (from 1). Else `verdicts` maps a candidate to one, else the
    end of the model's name is one. A name that nothing knows passes. `delay`: seconds before each answer.
    `spell`: how every call behaves until the given moment of the monotonic clock. `answers_as`: the model
    that answers say they come from, where it is another than the one that was asked; with that `fingerprint`.
    """

    plan: Plan | None = None
    verdicts: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    retry_after: str = "1"
    calls: list[Asked] = field(default_factory=list)
    at_once: int = 0
    most_at_once: int = 0
    spell: tuple[str, float] = ("", 0.0)
    answers_as: str = ""
    fingerprint: str = SYSTEM_FINGERPRINT

    def behaviour(self, body: Body) -> str:
        """What to do; of two names joined by `--` the second is for when the first was not understood."""
        first, _, corrected = self._behaviour(body).partition("--")
        return corrected if corrected and is_correction(body) else first

    def _behaviour(self, body: Body) -> str:
        behaviour, until = self.spell
        if time.monotonic() < until:
            return behaviour
        if self.plan is not None:
            return self.plan(body, len(self.calls))
        return self.verdicts.get(candidate_of(body)) or _behaviour_of_model(body)

    def report(self) -> Body:
        """For another process: how many calls, most at once, when they came, how often each question."""
        questions = Counter(
            f"{call.body['model']} {hashlib.sha256(candidate_of(call.body).encode()).hexdigest()}"
            for call in self.calls
        )
        return {
            "count": len(self.calls),
            "most_at_once": self.most_at_once,
            "arrivals": [[call.at, call.body["model"]] for call in self.calls],
            "by_question": dict(questions),
        }


WITH_RETRY_AFTER = {429}  # statuses that tell when to come again
_SCRIPT = web.AppKey("script", Script)


async def _complete(request: web.Request) -> web.StreamResponse:
    script = request.app[_SCRIPT]
    body = await request.json()
    script.calls.append(Asked(body, dict(request.headers)))
    behaviour = script.behaviour(body)
    script.at_once += 1
    script.most_at_once = max(script.most_at_once, script.at_once)
    try:
        await asyncio.sleep(3600 if behaviour == "timeout" else script.delay)
    finally:
        script.at_once -= 1
    if behaviour == "close":
        assert request.transport is not None
        request.transport.abort()
    return _answer(script, request, body, behaviour)


def _answer(script: Script, request: web.Request, body: Body, behaviour: str) -> web.Response:
    kind = body.get("response_format", {}).get("type")
    if kind == "json_schema" and behaviour in ("no-schema", "no-json"):
        return _error(400, "unsupported", "Invalid parameter: response_format json_schema is not supported.")
    if kind and behaviour == "no-json":
        return _error(400, "unsupported", "Invalid parameter: response_format is not supported.")
    key = key_of(request.headers)
    if behaviour in LEAKS:
        return _leak(body, behaviour, key)
    if behaviour in ERRORS:
        status, code, message = ERRORS[behaviour]
        retry = {"Retry-After": script.retry_after} if status in WITH_RETRY_AFTER else {}
        return _error(status, code, message.format(key=key), retry)
    return _completion(script, body, behaviour)


def _error(status: int, code: str, message: str, headers: Mapping[str, str] | None = None) -> web.Response:
    error = {"message": message, "type": "invalid_request_error" if status == 400 else code, "code": code}
    return web.json_response({"error": error}, status=status, headers=headers)


def _completion(script: Script, body: Body, behaviour: str) -> web.Response:
    completed = _completed(body, behaviour)
    if script.answers_as:
        completed["model"] = script.answers_as
    return web.json_response(completed | {"system_fingerprint": script.fingerprint})


def _completed(body: Body, behaviour: str) -> Body:
    message: Body = {"role": "assistant", "content": TEXTS.get(behaviour, _pass_text)(body)}
    if behaviour == "refusal":
        message |= {"content": None, "refusal": "I will not judge this."}
    choice = {"index": 0, "message": message, "finish_reason": FINISH_REASONS.get(behaviour, "stop")}
    return {
        "id": "chatcmpl-scripted",
        "object": "chat.completion",
        "created": 1,
        "model": "somebody-else" if behaviour == "wrong-model" else body["model"],
        "system_fingerprint": SYSTEM_FINGERPRINT,
        "choices": [choice],
        "usage": {
            "prompt_tokens": PROMPT_TOKENS,
            "completion_tokens": COMPLETION_TOKENS,
            "total_tokens": PROMPT_TOKENS + COMPLETION_TOKENS,
        },
    }


async def _set_spell(request: web.Request) -> web.Response:
    told = await request.json()
    request.app[_SCRIPT].spell = (str(told["behaviour"]), time.monotonic() + float(told["seconds"]))
    return web.Response()


async def _report(request: web.Request) -> web.Response:
    return web.json_response(request.app[_SCRIPT].report())


def _application(script: Script) -> web.Application:
    app = web.Application(client_max_size=64 * 1024 * 1024)
    app[_SCRIPT] = script
    app.router.add_post("/v1/chat/completions", _complete)
    app.router.add_get("/calls", _report)
    app.router.add_post("/script", _set_spell)
    return app


async def _listen(script: Script, port: int) -> tuple[web.AppRunner, int]:
    runner = web.AppRunner(_application(script), access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", port, backlog=1024).start()
    return runner, int(runner.addresses[0][1])


class ScriptedJudge:
    """The server in a thread of its own, for the length of a `with` block."""

    def __init__(self, plan: Plan | None = None, *, port: int = 0, **script: Any) -> None:
        self._script = Script(plan, **script)
        self._port = port

    @property
    def url(self) -> str:
        """The base URL to give to litellm."""
        return f"http://127.0.0.1:{self._port}/v1"

    @property
    def calls(self) -> list[Asked]:
        return self._script.calls

    @property
    def most_at_once(self) -> int:
        return self._script.most_at_once

    def answer_as(self, model: str = "", fingerprint: str = SYSTEM_FINGERPRINT) -> None:
        """From now on answers say that they come from this model of the provider, "": from the asked one."""
        self._script.answers_as, self._script.fingerprint = model, fingerprint

    def __enter__(self) -> Self:
        self._loop = LoopThread()
        self._runner, self._port = self._loop.submit(_listen(self._script, self._port)).result(10)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.submit(self._runner.cleanup()).result(10)
        self._loop.stop()


def _every(times: int, behaviour: str) -> Plan | None:
    """Every so-manieth call behaves like that, the others as their model's name says."""
    if not times:
        return None
    return lambda body, n: behaviour if n % times == 0 else _behaviour_of_model(body)


async def _serve(script: Script, port: int) -> None:
    _, port = await _listen(script, port)
    sys.stdout.write(f"listening on http://127.0.0.1:{port}/v1\n")
    sys.stdout.flush()
    await asyncio.Event().wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--delay", type=float, default=0.0, help="seconds before each answer")
    parser.add_argument("--every", type=int, default=0, help="every so-manieth call is --behaviour")
    parser.add_argument("--behaviour", default="garbage")
    parser.add_argument("--retry-after", default="1", help="what a 429 tells: seconds or a date")
    parser.add_argument("--verdicts", type=Path, help="JSON file: candidate text to behaviour")
    options = parser.parse_args()
    verdicts = json.loads(options.verdicts.read_text()) if options.verdicts else {}
    plan = _every(options.every, options.behaviour)
    script = Script(plan, verdicts, options.delay, options.retry_after)
    asyncio.run(_serve(script, options.port))


if __name__ == "__main__":
    main()
