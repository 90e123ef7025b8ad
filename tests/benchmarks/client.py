"""A client that costs little: `python -m tests.benchmarks.client PORT SECONDS CONNECTIONS`.

Each turn is one GET, given as a JSON object of `path` and `headers`, sent again on each connection as soon as
its answer is there. Plain sockets, so that the client takes the less of the cores that it shares.
"""

import json
import selectors
import socket
import sys
import time
from dataclasses import dataclass, field
from typing import Any

from tests.benchmarks.figures import percentile
from tests.benchmarks.programs import own_cpu, take_turns

_LENGTH = b"\r\ncontent-length: "


class BadAnswer(RuntimeError):
    """The server answered with something else than 200, or hung up."""


@dataclass
class Lane:
    """One kept connection with its request under way."""

    socket: socket.socket
    began: float = 0.0
    received: bytes = field(default=b"")

    def send(self, request: bytes) -> None:
        self.received, self.began = b"", time.perf_counter()
        self.socket.sendall(request)

    def is_answered(self) -> bool:
        """Take in what has come; True when the answer is whole. Raises BadAnswer."""
        more = self.socket.recv(1_000_000)
        self.received += more
        if not more or not self.received.startswith(b"HTTP/1.1 200"):
            raise BadAnswer(self.received[:500].decode(errors="replace") or "The connection was closed.")
        head, found, body = self.received.partition(b"\r\n\r\n")
        place = head.lower().find(_LENGTH)
        return bool(found) and len(body) >= int(head[place + len(_LENGTH) :].split(b"\r\n", 1)[0])


def request_of(path: str, headers: dict[str, str]) -> bytes:
    lines = [
        f"GET {path} HTTP/1.1",
        "Host: 127.0.0.1",
        *(f"{name}: {value}" for name, value in headers.items()),
    ]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def ask_for(seconds: float, lanes: list[Lane], request: bytes) -> list[float]:
    """The seconds that each answer took, of all that came within so many seconds."""
    chosen = selectors.DefaultSelector()
    taken: list[float] = []
    until = time.perf_counter() + seconds
    for lane in lanes:
        chosen.register(lane.socket, selectors.EVENT_READ, lane)
        lane.send(request)
    open_lanes = len(lanes)
    while open_lanes:
        for key, _ in chosen.select():
            lane = key.data
            if lane.is_answered():
                now = time.perf_counter()
                taken.append(now - lane.began)
                if now < until:
                    lane.send(request)
                else:
                    open_lanes -= 1
    return taken


def main() -> None:
    port, seconds, connections = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
    lanes = [Lane(socket.create_connection(("127.0.0.1", port))) for _ in range(connections)]

    def work(word: str) -> dict[str, Any]:
        before, began = own_cpu(), time.perf_counter()
        taken = ask_for(seconds, lanes, request_of(**json.loads(word)))
        return {
            "per_second": len(taken) / (time.perf_counter() - began),
            "answers": len(taken),
            "p95": 1000 * percentile(taken, 95),
            "p99": 1000 * percentile(taken, 99),
            "cpu": own_cpu() - before,
        }

    take_turns(work)


if __name__ == "__main__":
    main()
