"""The same rows judged by DeepEval, inspect_ai and promptfoo, where installed: see peers/README.md."""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from tests.benchmarks.figures import Figure
from tests.benchmarks.house import House
from tests.benchmarks.processes import children, cpu_seconds
from tests.benchmarks.programs import program, turn
from tests.benchmarks.texts import prose
from tests.faults.servers import Group, wait_for

DELAY, IN_FLIGHT, PROCESSES, JURORS = 0.2, 32, 2, 3
_SCRIPTS = Path(__file__).parent / "peers"


class Peer(NamedTuple):
    """Another program: what starts it, relative to its folder unless it is a command, and its script."""

    name: str
    folder: str
    starts: str
    script: str
    proof: str  # what is there once it is installed


PEERS = (
    Peer("DeepEval", "deepeval", "bin/python", "deepeval.py", "bin/deepeval"),
    Peer("inspect_ai", "inspect_ai", "bin/python", "inspect_ai.py", "bin/inspect"),
    Peer("promptfoo", "promptfoo", "node", "promptfoo.mjs", "node_modules/.bin/promptfoo"),
)


class Used(NamedTuple):
    """Milliseconds per verdict, from start to end and of CPU."""

    wall: float
    cpu: float


def installed() -> list[tuple[Peer, Path]]:
    """Those that are in the folder that PEERS names; a word about the others."""
    place = os.environ.get("PEERS", "").strip()
    folders = [(peer, Path(place).expanduser().resolve() / peer.folder) for peer in PEERS] if place else []
    found = [(peer, folder) for peer, folder in folders if (folder / peer.proof).exists()]
    absent = {peer.name for peer in PEERS} - {peer.name for peer, _ in found}
    if absent:
        sys.stdout.write(
            f"Left out, not installed where PEERS says: {', '.join(sorted(absent))}. "
            "See tests/benchmarks/peers/README.md.\n"
        )
    return found


def write_rows(path: Path, number: int) -> Path:
    """So many rows of a kilobyte, as a run of ours has them."""
    request = "Answer the customer's question, politely."
    with path.open("w", encoding="utf-8") as file:
        for row in range(number):
            file.write(json.dumps({"request": request, "output": prose(1000, row)}) + "\n")
    return path


def run_once(peer: Peer, folder: Path, url: str, rows: Path) -> tuple[float, float, int]:
    """Seconds from start to end, of CPU, and verdicts. Raises RuntimeError where it says none."""
    command = peer.starts if "/" not in peer.starts else str(folder / peer.starts)
    with tempfile.TemporaryDirectory(prefix="vera-peer-") as results, tempfile.TemporaryFile("w+") as said:
        arguments = [
            command,
            str(_SCRIPTS / peer.script),
            url,
            str(rows),
            str(PROCESSES * IN_FLIGHT),
            results,
        ]
        began = time.perf_counter()
        process = subprocess.Popen(arguments, cwd=folder, stdout=said, stderr=subprocess.STDOUT)
        try:
            _, status, used = os.wait4(process.pid, 0)
        except BaseException:
            process.kill()
            process.wait()
            raise
        wall = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        words = said.read().strip().splitlines()
    if not words or not words[-1].startswith("{"):
        raise RuntimeError(f"{peer.name} ended with {process.returncode}:\n" + "\n".join(words[-20:]))
    return wall, used.ru_utime + used.ru_stime, int(json.loads(words[-1])["verdicts"])


def by_peer(peer: Peer, folder: Path, url: str, files: Sequence[Path], sizes: Sequence[int]) -> Used:
    """What a verdict takes once the program runs: many rows less few. Raises RuntimeError."""
    few, many = (run_once(peer, folder, url, path) for path in files)
    for (*_, verdicts), size in zip((few, many), sizes, strict=True):
        if verdicts != JURORS * size:
            raise RuntimeError(f"{peer.name} gave {verdicts} verdicts that pass, of {JURORS * size}.")
    more = many[2] - few[2]
    return Used(1000 * (many[0] - few[0]) / more, 1000 * (many[1] - few[1]) / more)


def by_vera(stack: ExitStack, house: House, url: str, rows: int) -> Used:
    """What a stored verdict takes in a run over as many rows, by workers that are there."""
    env = stack.enter_context(house.installation()) | {
        "VERA_JUROR_BENCH_URL": url,
        "VERA_JUROR_BENCH_KEY": "sk-bench",
        "VERA_WORKER_PROCESSES": str(PROCESSES),
        "VERA_CALLS_IN_FLIGHT": str(IN_FLIGHT),
    }
    requests = str(house.folder / "peers-requests.jsonl")
    runs = stack.enter_context(program("ask_vera", str(rows), requests, env=env))
    runs.hear()
    command = (sys.executable, "-m", "celery", "-A", "vera_site", "worker")
    worker = Group(*command, env=env, log=house.folder / "worker-peers.log")
    stack.callback(worker.kill)
    wait_for(lambda: len(children(worker.process.pid)) == PROCESSES, 60, "the worker processes")
    turn(runs, word="warm up")
    before = cpu_seconds(worker.process.pid)
    _, [answer] = turn(runs)
    cpu = cpu_seconds(worker.process.pid) - before
    return Used(1000 * answer["wall"] / (JURORS * rows), 1000 * cpu / (JURORS * rows))


def measure(house: House) -> list[Figure]:
    """Time and CPU per verdict of each that is installed, beside ours."""
    found = installed()
    if not found:
        return []
    sizes = (10, 30) if house.small else (100, 1000)
    files = [write_rows(house.folder / f"peers-{size}.jsonl", size) for size in sizes]
    with ExitStack() as stack:
        judge = stack.enter_context(program("lean_judge", "--delay", str(DELAY)))
        url = f"http://127.0.0.1:{judge.hear()}/v1"
        taken = {peer.name: by_peer(peer, folder, url, files, sizes) for peer, folder in found}
        ours = by_vera(stack, house, url, sizes[1])
    return [figure for name, theirs in taken.items() for figure in _figures(name, theirs, ours)]


def _figures(name: str, theirs: Used, ours: Used) -> list[Figure]:
    ideal = 1000 * DELAY / (PROCESSES * IN_FLIGHT)
    what = (
        f"Rows of a kilobyte, {JURORS} calls of {DELAY * 1000:.0f} ms each, {PROCESSES * IN_FLIGHT} in "
        f"flight, stored as each program does; one round. The calls alone take {ideal:.2f} ms a verdict."
    )
    return [
        Figure(
            name=f"{name}, time per verdict, over Vera",
            unit="ms",
            values=(theirs.wall,),
            baselines=(ours.wall,),
            meaning=what,
            against="a run of Vera's over the same rows",
        ),
        Figure(
            name=f"{name}, CPU per verdict, over Vera",
            unit="ms",
            values=(theirs.cpu,),
            baselines=(ours.cpu,),
            meaning="User and system time of all its processes, starting not counted.",
            against="that of Vera's worker processes",
        ),
    ]
