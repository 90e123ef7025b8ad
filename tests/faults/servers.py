"""Servers and workers of a test's own, that it may stop, empty and kill."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for(condition: Callable[[], Any], seconds: float = 120.0, what: str = "it") -> None:
    """Wait until the condition holds; fail the test when it does not in time."""
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, f"waited {seconds:.0f} s in vain for {what}"
        time.sleep(0.05)


def answers_at(port: int) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


def binary(name: str) -> str:
    """The path of a server's program; skips the test where it is not installed."""
    places = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    found = shutil.which(name) or shutil.which(name, path=os.pathsep.join(map(str, places)))
    if found is None:
        pytest.skip(f"{name} is not installed; it is started by this test")
    return found


class Group:
    """A program with all its children: one process group that dies as one."""

    def __init__(self, *command: str, env: Mapping[str, str] | None = None, log: Path) -> None:
        self.log = log
        self._output = log.open("a")
        self.process = subprocess.Popen(
            command, cwd=ROOT, env=env, stdout=self._output, stderr=self._output, start_new_session=True
        )

    def terminate(self, *, group: bool = False, seconds: float = 15.0) -> float:
        """SIGTERM to the program alone or to its whole group; how long it took to end."""
        began = time.monotonic()
        (os.killpg if group else os.kill)(self.process.pid, signal.SIGTERM)
        self.process.wait(seconds)
        return time.monotonic() - began

    def kill(self) -> None:
        """SIGKILL to every process of the group."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(10)
        self._output.close()


class Redis:
    """A Redis server that keeps nothing on disk."""

    def __init__(self, folder: Path) -> None:
        self._folder, self.port = folder, free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self.start()

    def start(self) -> None:
        command = [binary("redis-server"), "--port", str(self.port), "--save", "", "--dir", str(self._folder)]
        self._group = Group(*command, log=self._folder / "redis.log")
        wait_for(lambda: answers_at(self.port), 10, "Redis")

    def stop(self) -> None:
        """Stop it; what it held is lost."""
        self._group.kill()

    def close(self) -> None:
        self.stop()


class Postgres:
    """A PostgreSQL cluster in a folder of its own."""

    def __init__(self) -> None:
        # PostgreSQL refuses to run as root, and its own user cannot reach into pytest's folders.
        self._data, self.port = Path(tempfile.mkdtemp(prefix="vera-pg-")), free_port()
        self._user = "postgres" if os.getuid() == 0 else None
        if self._user:
            shutil.chown(self._data, self._user)
        self._run("initdb", "-D", str(self._data), "-A", "trust", "-U", "vera", "--no-sync")
        self.start()
        self.url = f"postgres://vera@127.0.0.1:{self.port}/postgres"

    def start(self) -> None:
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c fsync=off"
        self._pg_ctl("start", "-o", options)

    def stop(self) -> None:
        """Stop it at once: open connections are cut."""
        self._pg_ctl("stop", "-m", "immediate")

    def close(self) -> None:
        self.stop()
        shutil.rmtree(self._data)

    def _pg_ctl(self, *arguments: str) -> None:
        log = str(self._data / "server.log")
        self._run("pg_ctl", "-D", str(self._data), "-l", log, "-w", *arguments)

    def _run(self, name: str, *arguments: str) -> None:
        subprocess.run([binary(name), *arguments], user=self._user, check=True, stdout=subprocess.DEVNULL)


class Judge:
    """A scripted judge in a process of its own, which outlives the workers."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.port = free_port()
        command = [sys.executable, "-m", "tests.scripted_judge", "--port", str(self.port), *options]
        self._group = Group(*command, log=folder / "judge.log")
        wait_for(lambda: answers_at(self.port), 30, "the scripted judge")
        self.url = f"http://127.0.0.1:{self.port}/v1"

    def calls(self) -> int:
        """How many calls have arrived."""
        return int(self._report()["count"])

    def most_at_once(self) -> int:
        """How many calls were being answered at one time, at the most."""
        return int(self._report()["most_at_once"])

    def arrivals(self, model: str = "") -> list[float]:
        """When each call came, in seconds since 1970; of one model's name alone where it is given."""
        return [at for at, asked in self._report()["arrivals"] if model in ("", asked)]

    def behave(self, behaviour: str, seconds: float) -> None:
        """Let every call from now on behave like that, for so many seconds."""
        told = json.dumps({"behaviour": behaviour, "seconds": seconds}).encode()
        asked = urllib.request.Request(f"http://127.0.0.1:{self.port}/script", told)
        with urllib.request.urlopen(asked):
            pass

    def repeated(self) -> int:
        """How many calls asked what had been asked before."""
        return sum(times - 1 for times in self._report()["by_question"].values())

    def close(self) -> None:
        self._group.kill()

    def _report(self) -> dict[str, Any]:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/calls") as answer:
            report: dict[str, Any] = json.load(answer)
        return report


@contextmanager
def running[T: (Redis, Postgres, Judge)](server: T) -> Iterator[T]:
    """The server for the length of a block."""
    try:
        yield server
    finally:
        server.close()
