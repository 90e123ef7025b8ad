"""A run with stored verdicts, beside the same questions asked by aiohttp and by litellm alone."""

import sys
from collections.abc import Callable
from contextlib import ExitStack
from typing import NamedTuple

from tests.benchmarks.figures import ROUNDS, Figure, Target, in_turns
from tests.benchmarks.house import House
from tests.benchmarks.processes import children, cpu_seconds, memory
from tests.benchmarks.programs import Program, program, turn
from tests.faults.servers import Group, wait_for

DELAY, IN_FLIGHT, PROCESSES, JURORS = 0.2, 32, 2, 3


class Round(NamedTuple):
    """One asker's turn: seconds from start to end, of its own CPU, of the judge's and of the database's."""

    wall: float
    cpu: float
    judge_cpu: float
    database_cpu: float


class Askers:
    """All three, ready to take turns: started, libraries loaded, connections open."""

    def __init__(self, stack: ExitStack, house: House, rows: int) -> None:
        self.judge = stack.enter_context(program("lean_judge", "--delay", str(DELAY)))
        url = f"http://127.0.0.1:{self.judge.hear()}/v1"
        env = stack.enter_context(house.installation()) | {
            "VERA_JUROR_BENCH_URL": url,
            "VERA_JUROR_BENCH_KEY": "sk-bench",
            "VERA_WORKER_PROCESSES": str(PROCESSES),
            "VERA_CALLS_IN_FLIGHT": str(IN_FLIGHT),
        }
        self.postmaster = house.postmaster()
        requests = str(house.folder / "requests.jsonl")
        self.runs = stack.enter_context(program("ask_vera", str(rows), requests, env=env))
        self.runs.hear()
        self.worker = Group(
            *(sys.executable, "-m", "celery", "-A", "vera_site", "worker"),
            env=env,
            log=house.folder / "worker.log",
        )
        stack.callback(self.worker.kill)
        self.raw = self._ready(stack, env, "ask_aiohttp", url, requests, str(PROCESSES * IN_FLIGHT))
        self.litellm = [
            self._ready(stack, env, "ask_litellm", url, requests, str(IN_FLIGHT), str(share), str(PROCESSES))
            for share in range(PROCESSES)
        ]
        wait_for(lambda: len(self.workers()) == PROCESSES, 60, "the worker processes")

    def _ready(self, stack: ExitStack, env: dict[str, str], module: str, *arguments: str) -> Program:
        asker = stack.enter_context(program(module, *arguments, env=env))
        asker.hear()
        return asker

    def workers(self) -> list[int]:
        """The processes that ask; their parent only waits for them."""
        return children(self.worker.process.pid)

    def by_aiohttp(self) -> Round:
        return self._round(lambda: self._programs(self.raw))

    def by_litellm(self) -> Round:
        return self._round(lambda: self._programs(*self.litellm))

    def by_vera(self, word: str = "go") -> Round:
        return self._round(lambda: self._run(word))

    def _programs(self, *programs: Program) -> tuple[float, float]:
        wall, answers = turn(*programs)
        return wall, sum(answer["cpu"] for answer in answers)

    def _run(self, word: str) -> tuple[float, float]:
        before = cpu_seconds(self.worker.process.pid)
        _, [answer] = turn(self.runs, word=word)
        return answer["wall"], cpu_seconds(self.worker.process.pid) - before

    def _round(self, ask: Callable[[], tuple[float, float]]) -> Round:
        others = (self.judge.pid, self.postmaster)
        before = [cpu_seconds(pid) for pid in others]
        wall, cpu = ask()
        return Round(wall, cpu, *(cpu_seconds(pid) - then for pid, then in zip(others, before, strict=True)))


def measure(house: House) -> list[Figure]:
    """Wall time, CPU and memory of a run of rows × 3 jurors."""
    rows = 100 if house.small else 1000
    with ExitStack() as stack:
        askers = Askers(stack, house, rows)
        askers.by_vera("warm up")
        askers.by_litellm()
        idle = [memory(pid) for pid in askers.workers()]
        rounds = in_turns(
            ROUNDS, {"aiohttp": askers.by_aiohttp, "litellm": askers.by_litellm, "Vera": askers.by_vera}
        )
        used = [memory(pid) for pid in askers.workers()]
    return [*_walls(rounds, rows * JURORS), *_cpus(rounds, rows * JURORS), *_memories(idle, used)]


def _walls(rounds: dict[str, tuple[Round, ...]], calls: int) -> list[Figure]:
    walls = {name: tuple(each.wall for each in taken) for name, taken in rounds.items()}
    ideal = calls * DELAY / (IN_FLIGHT * PROCESSES)
    what = (
        f"{calls} calls of {DELAY * 1000:.0f} ms, {PROCESSES * IN_FLIGHT} in flight, by two worker processes "
        "with PostgreSQL and Redis; from before the run's rows are written until every verdict, score and "
        f"panel verdict is stored and the run is finished. The calls alone take {ideal:.1f} s."
    )
    return [
        Figure(
            name="Run, wall time, over aiohttp",
            unit="s",
            values=walls["Vera"],
            baselines=walls["aiohttp"],
            meaning=what,
            against="aiohttp alone in one process, the same requests, 64 in flight, answers read and dropped",
            targets=(Target("ratio", "at most", 1.33),),
            where="the row below shows how far litellm alone is from aiohttp on the same cores. A profile "
            "finds most of the CPU in litellm: its look-ups of prices, its own logging, its answer objects.",
        ),
        Figure(
            name="litellm alone, wall time, over aiohttp",
            unit="s",
            values=walls["litellm"],
            baselines=walls["aiohttp"],
            meaning="What the library costs by itself, which a run through it cannot undercut.",
            against="as above",
        ),
        Figure(
            name="Run, wall time, over litellm",
            unit="s",
            values=walls["Vera"],
            baselines=walls["litellm"],
            meaning="The same run.",
            against="litellm alone in two processes, the same messages, 32 in flight each, answers dropped",
            targets=(Target("ratio", "at most", 1.2),),
        ),
    ]


def _cpus(rounds: dict[str, tuple[Round, ...]], calls: int) -> list[Figure]:
    cpus = {name: tuple(1000 * each.cpu / calls for each in taken) for name, taken in rounds.items()}
    judged = tuple(1000 * each.judge_cpu / calls for taken in rounds.values() for each in taken)
    return [
        Figure(
            name="CPU per stored verdict",
            unit="ms",
            values=cpus["Vera"],
            baselines=cpus["litellm"],
            meaning="User and system time of the worker processes per juror's verdict; with every third one "
            "a panel's verdict is stored too.",
            against="litellm alone, per call",
        ),
        Figure(
            name="CPU of PostgreSQL per stored verdict",
            unit="ms",
            values=tuple(1000 * each.database_cpu / calls for each in rounds["Vera"]),
            meaning="The database's part of the same runs.",
        ),
        Figure(
            name="CPU of aiohttp per call",
            unit="ms",
            values=cpus["aiohttp"],
            meaning="What the fastest asker uses.",
        ),
        Figure(
            name="CPU of the scripted server per call",
            unit="ms",
            values=judged,
            meaning="It runs on the same cores, and is the same for all three.",
        ),
    ]


def _memories(idle: list[dict[str, float]], used: list[dict[str, float]]) -> list[Figure]:
    return [
        Figure(
            name=f"Memory per worker process, {name}, {when}",
            unit="MB",
            values=tuple(each[kind] for each in measured),
            meaning=meaning,
        )
        for when, measured in (("before the runs", idle), ("after the runs", used))
        for kind, name, meaning in (
            ("pss", "PSS", "Its own pages, and its share of those that processes have in common."),
            ("rss", "RSS", "All pages that it has in memory, litellm loaded."),
        )
    ]
