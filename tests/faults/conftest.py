"""Installations that the tests of faults may break."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.faults.house import House, Template, database, settings_of
from tests.faults.servers import Judge, Redis, running

type MakeHouse = Callable[..., House]


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory, django_db_blocker: Any) -> Iterator[Template]:
    """What the installations of this process are copied from."""
    with closing(
        Template(tmp_path_factory.mktemp("template"), os.environ.get("DATABASE_URL", ""), django_db_blocker)
    ) as made:
        yield made


@pytest.fixture
def make_house(tmp_path: Path, template: Template, django_db_blocker: Any) -> Iterator[MakeHouse]:
    """Make an installation on the backends that this test session runs on, or on those given."""
    with ExitStack() as stack:

        def make(
            *judge: str, database_url: str | None = None, redis_url: str | None = None, **env: str
        ) -> House:
            migrated = not database_url
            if database_url is None and template.server_url:
                database_url = stack.enter_context(template.on_server())
            chosen = settings_of(database_url, tmp_path) if database_url else template.file(tmp_path)
            if redis_url is None:
                # One of its own: workers of tests at the same time would take each other's messages.
                wanted = os.environ.get("REDIS_URL", "")
                redis_url = stack.enter_context(running(Redis(tmp_path))).url if wanted else ""
            scripted = stack.enter_context(running(Judge(tmp_path, *(judge or ("--delay", "0.1")))))
            stack.enter_context(database(chosen, django_db_blocker, migrated=migrated))
            house = House(tmp_path, scripted, database_url or "", redis_url, **env)
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
