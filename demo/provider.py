"""An OpenAI-compatible endpoint on loopback whose jurors are scripted: no model is asked anything.

Each juror knows the right answer to every example row and has blind spots: kinds of mistakes that it does not
see, and kinds of sound answers that it faults. Run as `python -m demo.provider --port 8100`.
"""

import argparse
import asyncio
import json
import re
import sys
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from demo.rows import Row, all_rows

FENCED = re.compile(r"=== BEGIN CANDIDATE (\w+) ===\n(.*?)\n=== END CANDIDATE \1 ===", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Juror:
    """`misses`: kinds of faults it passes; `imagines`: sound answers it fails; `trips`: unusable replies."""

    misses: frozenset[str] = frozenset()
    imagines: frozenset[str] = frozenset()
    trips: frozenset[str] = frozenset()


JURORS = {
    "careful": Juror(
        misses=frozenset({"wrong_owner"}), imagines=frozenset({"worked_out"}), trips=frozenset({"cut_off"})
    ),
    "literal": Juror(imagines=frozenset({"paraphrase", "worked_out"}), trips=frozenset({"cut_off", "prose"})),
    "quick": Juror(
        misses=frozenset({"wrong_owner", "wrong_date", "invented_detail", "no_quote", "half_answer"})
    ),
    "agreeable": Juror(
        misses=frozenset(
            {
                "wrong_owner",
                "wrong_number",
                "wrong_date",
                "invented_detail",
                "no_quote",
                "wrong_policy",
                "half_answer",
            }
        ),
        imagines=frozenset({"worked_out"}),
        trips=frozenset({"prose"}),
    ),
}


def reply_text(juror: Juror, row: Row, scales: dict[str, tuple[int, int]]) -> str:
    """What a juror answers about a known row, as the text of a chat completion."""
    if row.kind in juror.trips and row.kind == "prose":
        return "I would say this one is fine overall, although I am not entirely sure about the details."
    failed = set(row.fails)
    if row.kind in juror.misses:
        failed = set()
    if row.kind in juror.imagines:
        failed = {next(iter(scales))}
    entries = [_entry(name, name in failed, row, scale) for name, scale in scales.items()]
    feedback = f"Mend this first: {', '.join(sorted(failed))}." if failed else ""
    return json.dumps({"criteria": entries, "feedback": feedback}, ensure_ascii=False)


def _entry(name: str, failed: bool, row: Row, scale: tuple[int, int]) -> dict[str, Any]:
    low, high = scale
    reason = row.why if failed and name in row.fails else "Not in the source like this." if failed else "Met."
    return {"name": name, "score": low if failed else high, "reason": reason}


def scales_of(body: dict[str, Any]) -> dict[str, tuple[int, int]]:
    """The criteria and their scales, read from the JSON schema that the request carries."""
    items = body["response_format"]["json_schema"]["schema"]["properties"]["criteria"]["items"]
    entries = items.get("anyOf", [items])
    properties = [entry["properties"] for entry in entries]
    return {p["name"]["enum"][0]: (min(p["score"]["enum"]), max(p["score"]["enum"])) for p in properties}


def completion(body: dict[str, Any], rows: dict[str, Row]) -> dict[str, Any]:
    """A chat completion for one request; a text that is no example row is answered in prose, not scored."""
    name = str(body["model"])
    question = body["messages"][1]["content"]  # also where it asks once more: the last says what was wrong
    fenced = FENCED.search(question)
    row = rows.get(fenced.group(2)) if fenced else None
    finish = "stop"
    if row is None:
        text = "This juror is scripted: it knows the example rows of the demo and nothing else."
    else:
        text = reply_text(JURORS[name], row, scales_of(body))
        if row.kind == "cut_off" and row.kind in JURORS[name].trips:
            text, finish = text[: len(text) // 2], "length"
    prompt_tokens = sum(len(message["content"]) for message in body["messages"]) // 4
    return {
        "id": "chatcmpl-demo",
        "object": "chat.completion",
        "created": 0,
        "model": name,
        "system_fingerprint": "scripted",
        "choices": [{"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text}}],
        "usage": {
            "prompt_tokens": prompt_tokens,
            "completion_tokens": len(text) // 4,
            "total_tokens": prompt_tokens + len(text) // 4,
        },
    }


def make_app() -> web.Application:
    """The endpoint: `POST /v1/chat/completions`, and `GET /healthz` for whoever waits for it."""
    rows = {row.candidate: row for row in all_rows()}

    async def chat(request: web.Request) -> web.Response:
        body = await request.json()
        if body.get("model") not in JURORS:
            error = {"message": f"The model `{body.get('model')}` does not exist", "code": "model_not_found"}
            return web.json_response({"error": error}, status=404)
        await asyncio.sleep(0.03)  # a provider is never instant; the progress bar should be seen to move
        return web.json_response(completion(body, rows))

    async def alive(request: web.Request) -> web.Response:
        return web.Response(text="ok")

    app = web.Application(client_max_size=64 * 1024 * 1024)
    app.router.add_post("/v1/chat/completions", chat)
    app.router.add_get("/healthz", alive)
    return app


def main(arguments: list[str]) -> None:
    """Serve until ended."""
    parser = argparse.ArgumentParser(prog="python -m demo.provider", description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    port = parser.parse_args(arguments).port
    web.run_app(make_app(), host="127.0.0.1", port=port, print=lambda *_: None, access_log=None)


if __name__ == "__main__":
    main(sys.argv[1:])
