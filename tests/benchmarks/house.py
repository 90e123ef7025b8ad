"""Where benchmarks run: PostgreSQL and Redis of their own, and fresh databases by copying an empty one."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Literal

import psycopg

from tests.benchmarks.processes import parent
from tests.faults.servers import ROOT, Postgres, Redis, running

type Backend = Literal["PostgreSQL", "SQLite"]

BACKENDS: tuple[Backend, ...] = ("PostgreSQL", "SQLite")
_EMPTY = "vera_bench_empty"
_QUIET = {
    "DJANGO_SETTINGS_MODULE": "vera_site.settings",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "VERA_LOG_LEVEL": "ERROR",
}
_numbers = count(1)


class DurablePostgres(Postgres):
    """As somebody would install it: with fsync, which the tests of faults go without."""

    def start(self) -> None:
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=''"
        self._pg_ctl("start", "-o", options)


@dataclass(frozen=True)
class House:
    """The servers' addresses; `small` asks for a trial of the benchmarks themselves, not for figures.

    `full`: also what takes half an hour.
    """

    folder: Path
    postgres_url: str
    redis_url: str
    small: bool = False
    full: bool = False

    @contextmanager
    def installation(self, backend: Backend = "PostgreSQL") -> Iterator[dict[str, str]]:
        """The environment of an installation with an empty, migrated database, dropped at the end."""
        name = f"vera_bench_{os.getpid()}_{next(_numbers)}"
        var = self.folder / name
        var.mkdir()
        try:
            if backend == "SQLite":
                shutil.copy(self.folder / _EMPTY / "vera.sqlite3", var)
                yield self.env(var, "")
            else:
                with self._copied(name) as url:
                    yield self.env(var, url)
        finally:
            shutil.rmtree(var)

    def env(self, var: Path, database_url: str) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("VERA_")}
        redis = self.redis_url if database_url else ""
        return kept | _QUIET | {"VERA_VAR": str(var), "DATABASE_URL": database_url, "REDIS_URL": redis}

    def postmaster(self) -> int:
        """The process that all of PostgreSQL's descend from."""
        with psycopg.connect(self.postgres_url) as connection:
            return parent(connection.info.backend_pid)

    def last_words(self, seconds: float) -> str:
        """The end of each log that was written to in the last so many seconds."""
        logs = [path for path in self.folder.glob("*.log") if time.time() - path.stat().st_mtime <= seconds]
        return "\n".join(f"--- {log.name}\n{log.read_text(errors='replace')[-3000:]}" for log in logs)

    def prepare(self) -> None:
        """Make the empty databases that every installation starts as a copy of."""
        with psycopg.connect(self.postgres_url, autocommit=True) as admin:
            admin.execute(f"CREATE DATABASE {_EMPTY}")
        (self.folder / _EMPTY).mkdir()
        for url in (self._database(_EMPTY), ""):
            manage("migrate", "--verbosity", "0", env=self.env(self.folder / _EMPTY, url))

    def _database(self, name: str) -> str:
        return f"{self.postgres_url.rpartition('/')[0]}/{name}"

    @contextmanager
    def _copied(self, name: str) -> Iterator[str]:
        with psycopg.connect(self.postgres_url, autocommit=True) as admin:
            admin.execute(f"CREATE DATABASE {name} TEMPLATE {_EMPTY}")
        try:
            yield self._database(name)
        finally:
            with psycopg.connect(self.postgres_url, autocommit=True) as admin:
                admin.execute(f"DROP DATABASE {name} WITH (FORCE)")


@contextmanager
def open_house(small: bool, full: bool = False) -> Iterator[House]:
    """A house for the length of a block: its servers end with it, and nothing of it stays."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="vera-bench-")))
        postgres = stack.enter_context(running(DurablePostgres()))
        redis = stack.enter_context(running(Redis(folder)))
        house = House(folder, postgres.url, redis.url, small, full)
        house.prepare()
        yield house


def manage(*arguments: str, env: Mapping[str, str]) -> str:
    """What a management command prints, run in a process of its own."""
    command = [sys.executable, "manage.py", *arguments]
    done = subprocess.run(command, cwd=ROOT, env=env, check=True, text=True, stdout=subprocess.PIPE)
    return done.stdout
