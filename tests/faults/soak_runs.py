"""The same faults at full size: 1 000 rows × 3 jurors that answer after 200 ms, on both backends.

Minutes, so not part of `make test`: `pytest tests/faults/soak_runs.py -s` prints what it measured.
"""

import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from judging.models import Verdict
from judging.services.progress import progress
from tests.faults.conftest import MakeHouse
from tests.faults.house import House
from tests.faults.servers import Postgres, Redis, running

pytestmark = [pytest.mark.faults, pytest.mark.timeout(1200)]

ROWS, DELAY, IN_FLIGHT, PROCESSES = 1000, 0.2, 32, 2
UNSAVED = 50 + IN_FLIGHT  # per process: saved at 50 answers or 0.3 seconds
IDEAL = 3 * ROWS * DELAY / (IN_FLIGHT * PROCESSES)
SETTINGS = {"VERA_CALLS_IN_FLIGHT": str(IN_FLIGHT), "VERA_CLAIM_LEASE": "10"}


class Soak:
    """A house with a run of full size, on its own servers where the backend has some."""

    def __init__(self, house: House, redis: Redis | None, postgres: Postgres | None) -> None:
        self.house, self.redis, self.postgres = house, redis, postgres
        house.start_run(ROWS)
        self.began = time.monotonic()

    def end(self, what: str) -> None:
        """Wait for the end, say what it took and check every verdict."""
        self.house.wait_for_end(900)
        wall = time.monotonic() - self.began
        first = Verdict.objects.filter(run=self.house.run).earliest("filled_at").filled_at
        last = Verdict.objects.filter(run=self.house.run).latest("filled_at").filled_at
        assert first is not None
        assert last is not None
        calls, repeated = self.house.judge.calls(), self.house.judge.repeated()
        judged = (last - first).total_seconds() + DELAY
        print(  # noqa: T201
            f"\n{what}: {wall:.1f} s from the first worker's start, {judged:.1f} s from the first answer "
            f"to the last (ideal {IDEAL:.1f} s), {calls} calls, {repeated} repeated"
        )


@pytest.fixture(params=["embedded", "servers"])
def soak(request: pytest.FixtureRequest, make_house: MakeHouse, tmp_path: Path) -> Iterator[Any]:
    """Make a soak on either backend; options are those of the scripted judge."""
    with ExitStack() as stack:

        def make(*options: str) -> Soak:
            redis = postgres = None
            if request.param == "servers":
                redis = stack.enter_context(running(Redis(tmp_path)))
                postgres = stack.enter_context(running(Postgres()))
            house = make_house(
                "--delay",
                str(DELAY),
                *options,
                database_url=postgres.url if postgres else "",
                redis_url=redis.url if redis else "",
                **SETTINGS,
            )
            return Soak(house, redis, postgres)

        yield make


def test_undisturbed(soak: Any) -> None:
    run = soak()
    run.house.start_worker()

    run.end("undisturbed")

    run.house.check_each_once(ROWS)
    assert run.house.judge.repeated() == 0


def test_all_processes_killed_twice(soak: Any) -> None:
    run = soak()
    for calls in (800, 1800):
        worker = run.house.start_worker()
        run.house.wait_for_calls(calls, 300)
        worker.kill()
    run.house.start_worker()

    run.end("killed twice")

    run.house.check_each_once(ROWS)
    assert run.house.judge.repeated() <= 2 * PROCESSES * (IN_FLIGHT + UNSAVED)


def test_servers_restarted(soak: Any) -> None:
    run = soak()
    run.house.start_worker()
    run.house.wait_for_calls(800, 300)
    for server in filter(None, (run.redis, run.postgres)):
        server.stop()
        server.start()

    run.end("broker emptied and database restarted")

    run.house.check_each_once(ROWS)
    assert run.house.judge.repeated() == 0


def test_garbage_for_every_tenth_call(soak: Any) -> None:
    run = soak("--every", "10")
    run.house.start_worker()

    run.end("garbage for every tenth call")

    figures = progress(run.house.run)
    assert figures.juror_skips == {"not_json": 300}
    assert figures.calls == 3000
    assert figures.done == ROWS
