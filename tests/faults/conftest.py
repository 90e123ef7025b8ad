"""Installations that the tests of faults may break."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.faults.house import House, database, postgres_database, settings_of
from tests.faults.servers import Judge, Redis, running

type MakeHouse = Callable[..., House]


@pytest.fixture
def make_house(tmp_path: Path, django_db_blocker: Any) -> Iterator[MakeHouse]:
    """Make an installation on the backends that this test session runs on, or on those given."""
    with ExitStack() as stack:

        def make(
            *judge: str, database_url: str | None = None, redis_url: str | None = None, **env: str
        ) -> House:
            if database_url is None:
                server = os.environ.get("DATABASE_URL", "")
                database_url = stack.enter_context(postgres_database(server)) if server else ""
            if redis_url is None:
                # One of its own: workers of tests at the same time would take each other's messages.
                wanted = os.environ.get("REDIS_URL", "")
                redis_url = stack.enter_context(running(Redis(tmp_path))).url if wanted else ""
            scripted = stack.enter_context(running(Judge(tmp_path, *(judge or ("--delay", "0.1")))))
            stack.enter_context(database(settings_of(database_url, tmp_path), django_db_blocker))
            house = House(tmp_path, scripted, database_url, redis_url, **env)
            stack.enter_context(_killed(house))
            return house

        yield make


@contextmanager
def _killed(house: House) -> Iterator[None]:
    try:
        yield
    finally:
        for worker in house.workers:
            worker.kill()
