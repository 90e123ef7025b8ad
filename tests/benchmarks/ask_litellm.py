"""litellm alone: `python -m tests.benchmarks.ask_litellm URL REQUESTS IN_FLIGHT SHARE SHARES`.

Each turn asks what `ask_aiohttp` asks, by litellm's documented call and with its defaults, except that it
does not resend. Several such processes split the requests: SHARE of SHARES, from 0.
"""

import asyncio
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from judging.loop import run_in_loop
from tests.benchmarks.programs import own_cpu, take_turns


async def send_all(url: str, requests: list[dict[str, Any]], in_flight: int) -> int:
    """Send every request, so many at a time; returns how many answers held a choice."""
    waiting = iter(requests)
    return sum(await asyncio.gather(*(_lane(url, waiting) for _ in range(in_flight))))


async def _lane(url: str, waiting: Iterator[dict[str, Any]]) -> int:
    import litellm

    answered = 0
    for request in waiting:
        given = request | {"model": f"openai/{request['model']}"}
        answer = await litellm.acompletion(**given, base_url=url, api_key="sk-bench", max_retries=0)
        answered += bool(answer.choices)
    return answered


def main() -> None:
    import litellm

    litellm.suppress_debug_info = True
    url, path, in_flight, share, shares = sys.argv[1:]
    lines = Path(path).read_text().splitlines()
    requests = [json.loads(line) for line in lines[int(share) :: int(shares)]]

    # One loop for all turns, which goes on between them, as in a worker: litellm keeps its connections with
    # the loop, and writes its own log after the answers.
    def work(_: str) -> dict[str, float]:
        before = own_cpu()
        answered = run_in_loop(send_all(url, requests, int(in_flight))).result()
        return {"answered": answered, "cpu": own_cpu() - before}

    take_turns(work)


if __name__ == "__main__":
    main()
