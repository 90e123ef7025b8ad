"""Brokers and databases that go away in mid-run: the run goes on."""

from pathlib import Path

import pytest
from django.utils import timezone

from judging.services.workers import workers_seen
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
