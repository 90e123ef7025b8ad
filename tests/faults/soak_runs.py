"""The same faults at full size: 1 000 rows × 3 jurors that answer after 200 ms, on both backends.

Minutes, so not part of `make test`: `make soak` prints what it measured, `make soak ONLY=outage` runs a part.
The run of 100 000 verdicts is in `soak_memory`.
"""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from judging.models import Verdict
from judging.services.progress import progress
from tests.benchmarks.processes import children
from tests.faults.conftest import MakeHouse
from tests.faults.house import House
from tests.faults.servers import Postgres, Redis, running
from tests.faults.test_provider_limits import limit, most_within

pytestmark = [pytest.mark.faults, pytest.mark.timeout(1200)]

ROWS, DELAY, IN_FLIGHT, PROCESSES = 1000, 0.2, 32, 2
UNSAVED = 50 + IN_FLIGHT  # per process: saved at 50 answers or 0.3 seconds
IDEAL = 3 * ROWS * DELAY / (IN_FLIGHT * PROCESSES)
SETTINGS = {"VERA_CALLS_IN_FLIGHT": str(IN_FLIGHT), "VERA_CLAIM_LEASE": "10"}


class Soak:
    """A house with a run of full size, on its own servers where the backend has some."""

    def __init__(
        self, house: House, redis: Redis | None, postgres: Postgres | None, rows: int | None = None
    ) -> None:
        self.house, self.redis, self.postgres = house, redis, postgres
        house.start_run(ROWS if rows is None else rows)
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

        def make(*options: str, rows: int | None = None) -> Soak:
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
            return Soak(house, redis, postgres, rows)

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
    corrections = sum(run.house.run.verdicts.values_list("corrections", flat=True))
    assert figures.calls == 3 * ROWS + corrections
    # Every garbage is sent back once; garbage again is skipped.
    assert corrections + figures.juror_skips.get("not_json", 0) == figures.calls // 10
    assert set(figures.juror_skips) <= {"not_json"}
    assert figures.done == ROWS


def test_every_process_killed_in_turn(soak: Any) -> None:
    run = soak()
    worker = run.house.start_worker()
    run.house.wait_for_calls(300, 300)
    for number, child in enumerate(children(worker.process.pid), start=1):
        os.kill(child, signal.SIGKILL)
        run.house.wait_for_calls(300 + 500 * number, 300)
    os.kill(worker.process.pid, signal.SIGKILL)
    run.house.start_worker()

    run.end("each child killed, then their parent")

    run.house.check_each_once(ROWS)
    assert run.house.judge.repeated() <= 2 * PROCESSES * (IN_FLIGHT + UNSAVED)


def test_outage_of_a_minute(soak: Any) -> None:
    """Nothing is skipped; who probes a provider that is down asks seldom."""
    run = soak()
    run.house.start_worker()
    run.house.wait_for_calls(600, 300)
    began = time.time()
    run.house.judge.behave("503", 60)

    run.end("a provider that fails for a minute")

    during = [at for at in run.house.judge.arrivals() if began + 5 <= at < began + 60]
    print(f"{len(during)} calls from the fifth second of the outage to its end")  # noqa: T201
    run.house.check_each_once(ROWS)
    assert len(during) <= 30
    assert run.house.judge.repeated() <= 2 * PROCESSES * IN_FLIGHT + len(during)


def test_sixty_a_minute_for_minutes(soak: Any) -> None:
    """By four processes of two workers; with Redis emptied and the database restarted on the way."""
    run = soak(rows=60)
    limit(run.house.run, requests_per_minute=60)
    for _ in range(2):
        run.house.start_worker()
    run.house.wait_for_calls(80, 300)
    for server in filter(None, (run.redis, run.postgres)):
        server.stop()
        server.start()

    run.end("60 requests a minute")

    arrivals = run.house.judge.arrivals()
    most = most_within(arrivals, 60)
    print(f"{len(arrivals)} calls in {max(arrivals) - min(arrivals):.0f} s, at most {most} in 60 s")  # noqa: T201
    run.house.check_each_once(60)
    assert most <= 63
    assert max(arrivals) - min(arrivals) >= 150
    assert run.house.judge.repeated() == 0
