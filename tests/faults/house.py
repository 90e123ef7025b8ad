"""An installation of a test's own: database, broker, scripted judge, and real workers to kill."""

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Any

import environ
import psycopg
from celery import Celery
from django.core.management import call_command
from django.db import connections
from django.db.utils import DatabaseError

from judging.models import CriterionScore, Run, Verdict
from labeling.models import CriteriaSet
from tests.faults.servers import Group, Judge, free_port, wait_for
from tests.judging.running import KEY, URL, panel, rows, scoring
from vera_site.settings import filesystem_broker, sqlite

DONE = ("finished", "cancelled")


class House:
    """Runs over `number` rows of three jurors, in a database that this process and the workers share."""

    def __init__(
        self, folder: Path, judge: Judge, database_url: str, redis_url: str, **settings: str
    ) -> None:
        self.folder, self.judge, self.redis_url = folder, judge, redis_url
        self.env = os.environ | {
            "VERA_VAR": str(folder),
            "DATABASE_URL": database_url,
            "REDIS_URL": redis_url,
            URL: judge.url,
            KEY: "sk-test",
            "VERA_WORKER_PROCESSES": "2",
            "VERA_CALLS_IN_FLIGHT": "4",
            "VERA_CLAIM_LEASE": "3",
            **settings,
        }
        self.workers: list[Group] = []
        self.run: Run

    def start_run(self, number: int, criteria_set: CriteriaSet | None = None) -> Run:
        judge = panel("pass", "pass-too", "fail")
        self.run = scoring(judge, criteria_set or rows(number))
        return self.run

    def start_worker(self, *fault: str) -> Group:
        """A real worker; with `fault`, one that dies at that point (see `fatal_worker`)."""
        level = self.env.get("VERA_LOG_LEVEL", "WARNING")
        usual = ["celery", "-A", "vera_site", "worker", "--loglevel", level]
        program = ["tests.faults.fatal_worker", *fault] if fault else usual
        worker = Group(sys.executable, "-m", *program, env=self.env, log=self.folder / "worker.log")
        self.workers.append(worker)
        return worker

    def send(self, times: int = 1, task: str = "judging.tasks.judge_run", about: int = 0) -> None:
        """Send the message that wakes workers up for the run, or another, so many times, over the broker."""
        broker = self.redis_url or "filesystem://localhost/"
        with Celery("sender", broker=broker, set_as_current=False) as sender:
            if not self.redis_url:
                sender.conf.broker_transport_options = filesystem_broker(self.folder / "broker")
            for _ in range(times):
                sender.send_task(task, [about or self.run.pk], ignore_result=True)

    def wait_until_warm(self, number: int) -> None:
        """Wait until so many processes of a fatal worker have litellm loaded."""
        wait_for(lambda: len(list(self.folder.glob("warm-*"))) >= number, 90, "litellm to be loaded")

    def wait_for_calls(self, number: int, seconds: float = 120.0) -> None:
        wait_for(lambda: self.judge.calls() >= number, seconds, f"{number} calls")

    def wait_for_state(self, state: str, seconds: float = 120.0) -> None:
        wait_for(lambda: self.state() == state, seconds, f"the run to be {state}")

    def wait_for_end(self, seconds: float = 120.0) -> None:
        wait_for(lambda: self.state() in DONE, seconds, "the run to end")

    def state(self) -> str:
        """The run's state; "unknown" while the database is away."""
        try:
            return Run.objects.values_list("state", flat=True).get(pk=self.run.pk)
        except DatabaseError:
            connections["default"].close()
            return "unknown"

    def stalled(self) -> float:
        """Seconds from the death of a fatal worker to the last verdict."""
        last = Verdict.objects.filter(run=self.run).latest("filled_at").filled_at
        assert last is not None
        return last.timestamp() - (self.folder / "died").stat().st_mtime

    def check_each_once(self, number: int, skipped: int = 0) -> None:
        """Every row has its three jurors' verdicts and its panel's, each scored once."""
        verdicts = Verdict.objects.filter(run=self.run)
        assert verdicts.filter(kind="panel").count() == number
        assert verdicts.filter(kind="juror").count() == 3 * number
        assert not verdicts.filter(outcome="pending").exists()
        assert verdicts.filter(outcome="skipped").count() == 4 * skipped
        assert CriterionScore.objects.filter(verdict__run=self.run).count() == 4 * (number - skipped)


@contextmanager
def database(name: dict[str, Any], blocker: Any, *, migrated: bool = False) -> Iterator[None]:
    """Let this process use another database in place of its default one; migrate it unless that is done."""
    configured = connections.settings["default"]
    before = dict(configured)
    with blocker.unblock():
        connections["default"].close()
        del connections["default"]
        configured |= name
        try:
            if not migrated:
                call_command("migrate", verbosity=0)
            yield
        finally:
            connections["default"].close()
            del connections["default"]
            configured.clear()
            configured |= before


class Template:
    """A database that was migrated once, for all installations of this process: they begin as its copies."""

    def __init__(self, folder: Path, server_url: str, blocker: Any) -> None:
        self._folder, self.server_url, self._blocker = folder, server_url, blocker
        self._stack, self._made = ExitStack(), dict[str, dict[str, Any]]()

    def file(self, folder: Path) -> dict[str, Any]:
        """The settings of a copy in SQLite, in that folder."""
        copy = settings_of("", folder)
        shutil.copy(self._settings("")["NAME"], copy["NAME"])
        return copy

    def on_server(self) -> AbstractContextManager[str]:
        """A copy on the server, for the length of a block; its address."""
        return postgres_database(self.server_url, copy_of=self._settings(self.server_url)["NAME"])

    def close(self) -> None:
        self._stack.close()

    def _settings(self, server_url: str) -> dict[str, Any]:
        if server_url not in self._made:
            url = server_url and self._stack.enter_context(postgres_database(server_url))
            fresh = settings_of(url, self._folder)
            with database(fresh, self._blocker):
                self._made[server_url] = fresh
        return self._made[server_url]


@contextmanager
def postgres_database(server_url: str, copy_of: str = "template1") -> Iterator[str]:
    """A database of the test's own on a running server; its address."""
    name = f"vera_fault_{os.getpid()}_{free_port()}"
    with psycopg.connect(server_url, autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name} TEMPLATE {copy_of}")
    try:
        yield f"{server_url.rpartition('/')[0]}/{name}"
    finally:
        with psycopg.connect(server_url, autocommit=True) as admin:
            admin.execute(f"DROP DATABASE {name} WITH (FORCE)")


def settings_of(database_url: str, folder: Path) -> dict[str, Any]:
    """What Django's settings say of that database, in the worker and here."""
    if database_url:
        parsed: dict[str, Any] = environ.Env.db_url_config(database_url)
        return {"OPTIONS": {}} | parsed
    return sqlite(folder) | {"NAME": str(folder / "vera.sqlite3")}
