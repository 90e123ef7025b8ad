"""The certification resource over HTTP, beside a view that does the least of the same, and beside none."""

import json
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from typing import Any, NamedTuple

from tests.benchmarks.figures import ROUNDS, Figure, Target, in_turns
from tests.benchmarks.house import House
from tests.benchmarks.processes import cpu_seconds
from tests.benchmarks.programs import Program, program, turn
from tests.benchmarks.web import serving

CONNECTIONS = 32
PATHS = {
    "certification": "/api/v1/certifications/strict/replies",
    "comparable": "/bench/comparable/strict/replies",
    "empty": "/bench/empty",
}


class Served(NamedTuple):
    """One turn of a view: answers per second, p99 in ms, ms of CPU per answer of each with a part in it."""

    per_second: float
    p99: float
    cpu: float
    database_cpu: float
    client_cpu: float


def measure(house: House) -> list[Figure]:
    """Answers per second and p99 of the three views, of one server, over kept connections."""
    seconds = 0.5 if house.small else 5.0
    with ExitStack() as stack:
        env = stack.enter_context(house.installation())
        with program("certify_one", env=env) as certified:
            headers = {"Authorization": f"Bearer {certified.hear()}"}
        log = house.folder / "web.log"
        web = stack.enter_context(serving(env, log, "tests.benchmarks.serving_settings"))
        client = stack.enter_context(
            program("client", str(web.port), str(seconds), str(CONNECTIONS), env=env)
        )
        client.hear()
        asks: dict[str, Callable[[], Served]] = {
            name: partial(
                _served, (web.pid, house.postmaster()), client, json.dumps({"path": path, "headers": headers})
            )
            for name, path in PATHS.items()
        }
        in_turns(1, asks)
        return _figures(in_turns(ROUNDS, asks))


def _served(pids: tuple[int, int], client: Program, request: str) -> Served:
    before = [cpu_seconds(pid) for pid in pids]
    _, [heard] = turn(client, word=request)
    used = [cpu_seconds(pid) - then for pid, then in zip(pids, before, strict=True)]
    server, database, own = (1000 * seconds / heard["answers"] for seconds in (*used, heard["cpu"]))
    return Served(heard["per_second"], heard["p99"], server, database, own)


def _figures(taken: dict[str, tuple[Served, ...]]) -> list[Figure]:
    ours = taken["certification"]
    how = f"{CONNECTIONS} kept connections to granian with two workers of one thread each, on PostgreSQL"
    against: dict[str, Any] = {
        "comparable": "a view with the same middleware and token lookup, one SELECT and the columns as JSON",
        "empty": "an empty view with the same middleware",
    }
    rates = [
        Figure(
            name=f"Certification GET, over {'a comparable' if name == 'comparable' else 'an empty'} view",
            unit="/s",
            values=tuple(each.per_second for each in ours),
            baselines=tuple(each.per_second for each in taken[name]),
            meaning=f"`GET /api/v1/certifications/…` with a token, {how}.",
            against=text,
            targets=(Target("ratio", "at least", 0.7),) if name == "comparable" else (),
            where="the rows below say whether the web process or the database takes the time. The statement "
            "asks for the live versions, too, and PostgreSQL plans it anew for each answer; the ORM builds "
            "five objects from it, where the comparable view takes a row as it is.",
        )
        for name, text in against.items()
    ]
    return [
        *rates,
        Figure(
            name="Certification GET, p99",
            unit="ms",
            values=tuple(each.p99 for each in ours),
            baselines=tuple(each.p99 for each in taken["comparable"]),
            meaning="99 of 100 answers come within this time, with all connections busy all the time.",
            against="the comparable view",
        ),
        Figure(
            name="Certification GET, CPU of the server",
            unit="ms",
            values=tuple(each.cpu for each in ours),
            baselines=tuple(each.cpu for each in taken["comparable"]),
            meaning="User and system time of the web processes per answer.",
            against="the comparable view",
        ),
        Figure(
            name="Certification GET, CPU of PostgreSQL",
            unit="ms",
            values=tuple(each.database_cpu for each in ours),
            baselines=tuple(each.database_cpu for each in taken["comparable"]),
            meaning="User and system time of the database per answer: planning and running the statements.",
            against="the comparable view",
        ),
        Figure(
            name="CPU of the client per answer",
            unit="ms",
            values=tuple(each.client_cpu for each in ours),
            meaning="It shares the cores, and is the same for all views.",
        ),
    ]
