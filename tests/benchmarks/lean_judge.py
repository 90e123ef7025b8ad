"""A judge that costs next to nothing: `python -m tests.benchmarks.lean_judge --delay 0.2`, port on stdout.

It says the same on every question after `delay` seconds, over connections that are kept. It reads of a
request only its length and the model's name, so that a core is left for what is measured.
"""

import argparse
import asyncio
import json
import re
import sys
from functools import cache

_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
_MODEL = re.compile(rb'(?<!\\)"model" *: *"([^"]*)"')
# What other programs ask to be answered, by how the model's name begins.
OTHERS = {
    "geval-": json.dumps({"score": 10, "reason": "As scripted."}),
    "grade-": "It is as scripted.\n\nGRADE: C",
    "rubric-": json.dumps({"pass": True, "score": 1, "reason": "As scripted."}),
}
VERDICT = {"criteria": [{"name": "meets_criteria", "score": 1, "reason": "As scripted."}], "feedback": ""}


@cache
def answer_of(model: bytes) -> bytes:
    """The whole HTTP answer in that model's name."""
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant"}}
    said = (text for start, text in OTHERS.items() if model.decode().startswith(start))
    choice["message"] |= {"content": next(said, json.dumps(VERDICT))}  # type: ignore[operator]
    body = json.dumps(
        {
            "id": "chatcmpl-lean",
            "object": "chat.completion",
            "created": 1,
            "model": model.decode(),
            "system_fingerprint": "fp_lean",
            "choices": [choice],
            "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
        }
    ).encode()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


class LeanJudge(asyncio.Protocol):
    """One connection; questions come one after the other on it."""

    def __init__(self, delay: float) -> None:
        self._delay = delay
        self._received = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, found, body = self._received.partition(b"\r\n\r\n")
        length = _LENGTH.search(head)
        if not found or (length and len(body) < int(length[1])):
            return
        self._received = b""
        model = _MODEL.search(body)
        answer = answer_of(model[1] if model else b"")
        asyncio.get_running_loop().call_later(self._delay, self._transport.write, answer)


async def serve(delay: float) -> None:
    server = await asyncio.get_running_loop().create_server(lambda: LeanJudge(delay), "127.0.0.1", 0)
    sys.stdout.write(f"{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    await server.serve_forever()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--delay", type=float, default=0.0, help="seconds before each answer")
    asyncio.run(serve(parser.parse_args().delay))


if __name__ == "__main__":
    main()
