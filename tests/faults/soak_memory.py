"""A run of 100 000 verdicts: memory, connections and open files do not grow with its length.

About half an hour on two cores, so no part of `make test`: `make soak ONLY=memory`. SOAK_ROWS shortens it.
"""

import os
import time
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import NamedTuple

import psycopg
import pytest

from judging.models import CriterionScore, Run, Verdict
from tests.benchmarks.processes import children, memory
from tests.benchmarks.programs import program
from tests.benchmarks.seed_verdicts import execute, make_rows
from tests.factories import make_criteria_set
from tests.faults.conftest import MakeHouse
from tests.faults.servers import Group, Postgres, Redis, running, wait_for
from tests.judging.running import URL, juror, scoring

pytestmark = [pytest.mark.faults, pytest.mark.timeout(4 * 3600)]

ROWS = int(os.environ.get("SOAK_ROWS", "100000"))
MARKS = tuple(share * ROWS // 10 for share in range(1, 11))  # verdicts at which it is looked
MOST = 1.1  # times what was used after a tenth of the rows


class Used(NamedTuple):
    """What each worker process uses, the most of them: megabytes, open files, connections to the database."""

    pss: float
    rss: float
    files: int
    connections: int


def used_by(worker: Group, postgres: Postgres) -> Used:
    pids = children(worker.process.pid)
    each = [memory(pid) for pid in pids]
    files = [len(os.listdir(f"/proc/{pid}/fd")) for pid in pids]
    return Used(
        max(one["pss"] for one in each), max(one["rss"] for one in each), max(files), connections(postgres)
    )


def connections(postgres: Postgres) -> int:
    with psycopg.connect(postgres.url) as admin:
        counted = admin.execute("SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'")
        [number] = counted.fetchone() or (0,)
    return int(number)


def filled(run: Run) -> int:
    return Verdict.objects.filter(run=run).exclude(outcome="pending").count()


def test_memory_of_a_long_run(make_house: MakeHouse, tmp_path: Path) -> None:
    with ExitStack() as stack:
        postgres, redis = (
            stack.enter_context(running(Postgres())),
            stack.enter_context(running(Redis(tmp_path))),
        )
        judge = stack.enter_context(program("lean_judge"))
        settings = {URL: f"http://127.0.0.1:{judge.hear()}/v1", "VERA_CALLS_IN_FLIGHT": "32"}
        house = make_house(database_url=postgres.url, redis_url=redis.url, **settings, VERA_CLAIM_LEASE="60")
        criteria_set = make_criteria_set()
        make_rows(criteria_set, ROWS, golden=False)
        execute("ANALYZE")
        house.run = scoring(juror(), criteria_set)
        began = time.monotonic()
        worker = house.start_worker()

        seen = {}
        for mark in MARKS:
            wait_for(lambda mark=mark: filled(house.run) >= mark, 3600, f"{mark} verdicts")  # type: ignore[misc]
            seen[mark] = used_by(worker, postgres)
            print(f"\n{mark} verdicts after {time.monotonic() - began:.0f} s: {seen[mark]}", flush=True)  # noqa: T201
        house.wait_for_end(600)

        verdicts = Verdict.objects.filter(run=house.run)
        assert verdicts.count() == verdicts.filter(outcome="pass").count() == ROWS
        assert CriterionScore.objects.filter(verdict__run=house.run).count() == ROWS
        first, last = seen[MARKS[0]], seen[MARKS[-1]]
        assert last.pss <= MOST * first.pss
        assert last.rss <= MOST * first.rss
        later = [used for mark, used in seen.items() if mark != MARKS[0]]
        assert median(used.files for used in later) <= first.files + 10
        assert median(used.connections for used in later) <= first.connections + 2
