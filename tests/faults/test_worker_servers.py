"""Brokers and databases that go away in mid-run: the run goes on."""

import resource
import time
from pathlib import Path

import pytest
from django.utils import timezone

from judging.services.workers import workers_seen
from tests.benchmarks.processes import children
from tests.faults.conftest import MakeHouse
from tests.faults.servers import Postgres, Redis, running

pytestmark = pytest.mark.faults


def test_a_run_goes_on_while_redis_is_stopped_emptied_and_started(
    make_house: MakeHouse, tmp_path: Path
) -> None:
    with running(Redis(tmp_path)) as redis:
        house = make_house(redis_url=redis.url)
        house.start_run(60)
        worker = house.start_worker()
        house.wait_for_calls(30)
        redis.stop()
        house.wait_for_calls(90)
        redis.start()

        house.wait_for_end()

        assert worker.process.poll() is None
        house.check_each_once(60)
        assert house.judge.repeated() == 0


def test_a_run_needs_no_message_at_all(make_house: MakeHouse, tmp_path: Path) -> None:
    with running(Redis(tmp_path)) as redis:
        house = make_house(redis_url=redis.url)
        redis.stop()
        house.start_worker()
        house.start_run(6)

        house.wait_for_end()

        house.check_each_once(6)
        assert workers_seen(timezone.now()) == 2
        redis.start()


def test_a_run_goes_on_after_its_database_was_restarted(make_house: MakeHouse) -> None:
    with running(Postgres()) as postgres:
        house = make_house(database_url=postgres.url, redis_url="")
        house.start_run(60)
        house.start_worker()
        house.wait_for_calls(40)
        postgres.stop()
        postgres.start()

        house.wait_for_end()

        house.check_each_once(60)
        assert house.judge.repeated() == 0


def test_a_run_goes_on_when_all_that_the_embedded_broker_holds_is_lost(make_house: MakeHouse) -> None:
    house = make_house(redis_url="")
    house.start_run(60)
    house.send(4)
    worker = house.start_worker()
    house.wait_for_calls(30)
    for path in (house.folder / "broker").rglob("*"):
        if path.is_file():
            path.unlink()
    house.wait_for_calls(100)

    house.wait_for_end()

    house.check_each_once(60)
    assert house.judge.repeated() == 0
    house.send()
    assert worker.process.poll() is None


def test_a_message_delivered_many_times_and_to_two_workers_judges_once(make_house: MakeHouse) -> None:
    house = make_house()
    house.start_run(40)
    house.send(6)
    for _ in range(2):
        house.start_worker()
    house.wait_for_calls(20)
    house.send(6)

    house.wait_for_end()

    house.check_each_once(40)
    assert house.judge.repeated() == 0
    assert workers_seen(timezone.now()) == 4


def test_a_run_waits_while_the_disk_is_full_and_goes_on_when_there_is_room(make_house: MakeHouse) -> None:
    """No file of the workers may grow any more, as on a full disk: SQLite says that it is full."""
    house = make_house(database_url="", redis_url="")
    house.start_run(60)
    worker = house.start_worker()
    house.wait_for_calls(40)
    pids = [worker.process.pid, *children(worker.process.pid)]
    for pid in pids:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
    time.sleep(3)
    stuck = house.judge.calls()
    time.sleep(2)
    assert house.judge.calls() == stuck < 180
    for pid in pids:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))

    house.wait_for_end()

    house.check_each_once(60)
    assert house.judge.repeated() == 0
    assert [worker.process.pid, *children(worker.process.pid)] == pids
