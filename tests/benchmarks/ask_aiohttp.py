"""aiohttp alone, the fastest asker: `python -m tests.benchmarks.ask_aiohttp URL REQUESTS IN_FLIGHT`.

Each turn sends all requests, reads every answer as JSON and keeps nothing.
"""

import asyncio
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aiohttp

from tests.benchmarks.programs import own_cpu, take_turns

HEADERS = {"Authorization": "Bearer sk-bench"}


async def send_all(url: str, requests: list[dict[str, Any]], in_flight: int) -> int:
    """Send every request, so many at a time; returns how many answers held a choice."""
    connector = aiohttp.TCPConnector(limit=in_flight)
    async with aiohttp.ClientSession(headers=HEADERS, connector=connector) as session:
        waiting = iter(requests)
        lanes = (_lane(session, f"{url}/chat/completions", waiting) for _ in range(in_flight))
        return sum(await asyncio.gather(*lanes))


async def _lane(session: aiohttp.ClientSession, url: str, waiting: Iterator[dict[str, Any]]) -> int:
    answered = 0
    for request in waiting:
        async with session.post(url, json=request) as answer:
            answered += bool((await answer.json())["choices"])
    return answered


def main() -> None:
    url, path, in_flight = sys.argv[1:]
    requests = [json.loads(line) for line in Path(path).read_text().splitlines()]

    def work(_: str) -> dict[str, float]:
        before = own_cpu()
        answered = asyncio.run(send_all(url, requests, int(in_flight)))
        return {"answered": answered, "cpu": own_cpu() - before}

    take_turns(work)


if __name__ == "__main__":
    main()
