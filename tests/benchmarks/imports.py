"""A file of 100 000 labelled rows, brought in by `manage.py import_golden`."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

from tests.benchmarks.figures import ROUNDS, Figure, Target, in_turns
from tests.benchmarks.house import BACKENDS, Backend, House
from tests.benchmarks.texts import prose
from tests.faults.servers import ROOT

LOAD = ("-m", "tests.benchmarks.load_texts")
IMPORT = ("manage.py", "import_golden", "--criteria-set", "bench", "--create", "--json")
_OUTPUT = 400  # characters


class Used(NamedTuple):
    """What a program took: rows per second from start to end, megabytes at its most, seconds of its CPU."""

    rate: float
    megabytes: float
    cpu: float


def write_rows(path: Path, number: int) -> None:
    """So many rows of some 500 characters, four of five labelled PASS, in the founding form."""
    with path.open("w", encoding="utf-8") as file:
        for row in range(number):
            fields = {
                "request": f"Answer letter {row}.",
                "candidate": prose(_OUTPUT, row),
                "criteria": "Is it polite, and does it answer the question?",
                "human": "FAIL" if row % 5 == 0 else "PASS",
            }
            file.write(json.dumps(fields) + "\n")


def used_by(rows: int, env: Mapping[str, str], *command: str) -> Used:
    """Run a Python program to its end. Raises CalledProcessError where it fails."""
    began = time.perf_counter()
    process = subprocess.Popen([sys.executable, *command], cwd=ROOT, env=env, stdout=subprocess.DEVNULL)
    try:
        _, status, used = os.wait4(process.pid, 0)
    except BaseException:
        process.kill()
        process.wait()
        raise
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    rate = rows / (time.perf_counter() - began)
    return Used(rate, used.ru_maxrss / 1024, used.ru_utime + used.ru_stime)


def measure(house: House) -> list[Figure]:
    """Rows per second and memory, on both databases, beside a plain load of the same texts."""
    rows = 1000 if house.small else 100_000
    path = house.folder / "golden.jsonl"
    write_rows(path, rows)
    programs = {
        (backend, command): partial(_one, house, backend, rows, *command, str(path))
        for backend in BACKENDS
        for command in (LOAD, IMPORT)
    }
    taken = in_turns(ROUNDS, programs)
    return [
        figure
        for backend in BACKENDS
        for figure in _figures(backend, rows, taken[backend, IMPORT], taken[backend, LOAD])
    ]


def _one(house: House, backend: Backend, rows: int, *command: str) -> Used:
    with house.installation(backend) as env:
        return used_by(rows, env, *command)


def _figures(backend: Backend, rows: int, ours: tuple[Used, ...], plain: tuple[Used, ...]) -> list[Figure]:
    way = "COPY" if backend == "PostgreSQL" else "executemany"
    return [
        Figure(
            name=f"Import, {backend}",
            unit="rows/s",
            values=tuple(used.rate for used in ours),
            baselines=tuple(used.rate for used in plain),
            meaning=f"`manage.py import_golden` of a file of {rows} labelled rows of 500 characters into "
            "an empty installation, from the program's start to its end: every row checked, hashed, compared "
            "with what is there, stored with its arrival and its label.",
            against=f"a program that reads the same file and puts the texts into one plain table by {way}",
            targets=(Target("value", "at least", 5000),),
        ),
        Figure(
            name=f"Import, {backend}, peak memory",
            unit="MB",
            values=tuple(used.megabytes for used in ours),
            meaning="The most that the importing process had in memory (RSS).",
            targets=(Target("value", "at most", 300),),
        ),
        Figure(
            name=f"Import, {backend}, CPU of the program",
            unit="s",
            values=tuple(used.cpu for used in ours),
            baselines=tuple(used.cpu for used in plain),
            meaning="User and system time for all rows; PostgreSQL's own is not in it.",
            against="the plain load",
        ),
    ]
