"""Programs that take turns: each waits for a line on its input, works, and answers with a line of JSON."""

import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from tests.faults.servers import ROOT


class Program:
    """A Python module of this package in a process of its own; it ends when its input is closed."""

    def __init__(self, module: str, *arguments: str, env: Mapping[str, str] | None = None) -> None:
        command = [sys.executable, "-m", f"tests.benchmarks.{module}", *arguments]
        self._process = subprocess.Popen(
            command, cwd=ROOT, env=env, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.name, self.pid = module, self._process.pid

    def tell(self, word: str = "go") -> None:
        """Let it begin its turn."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{word}\n")
        self._process.stdin.flush()

    def hear(self) -> Any:
        """What it answers. Raises ChildProcessError where it ended instead."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise ChildProcessError(f"{self.name} ended with {self._process.wait()} instead of answering.")
        return json.loads(line)

    def close(self) -> None:
        self._process.kill()  # it holds nothing that would have to be put away
        self._process.communicate()


@contextmanager
def program(module: str, *arguments: str, env: Mapping[str, str] | None = None) -> Iterator[Program]:
    """The program for the length of a block."""
    running = Program(module, *arguments, env=env)
    try:
        yield running
    finally:
        running.close()


def turn(*programs: Program, word: str = "go") -> tuple[float, list[Any]]:
    """One turn of all of them at once: seconds until the last has answered, and their answers."""
    began = time.perf_counter()
    for each in programs:
        each.tell(word)
    answers = [each.hear() for each in programs]
    return time.perf_counter() - began, answers


def take_turns(work: Callable[[str], Any]) -> None:
    """In the program: say that it is ready, then answer each line with what `work` makes of it."""
    answer("ready")
    for line in sys.stdin:
        answer(work(line.strip()))


def answer(result: Any) -> None:
    """In the program: one line to who started it."""
    sys.stdout.write(json.dumps(result) + "\n")
    sys.stdout.flush()


def own_cpu() -> float:
    """Seconds of user and system time that this process has used."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime
