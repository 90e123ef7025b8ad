"""Runs over 1 000, 10 000 and 100 000 rows by one and by two worker processes: does a row cost the same?

The scripted server answers at once, so that nothing but the work itself takes time.
"""

import sys
from contextlib import ExitStack
from statistics import median
from typing import NamedTuple

from tests.benchmarks.figures import ROUNDS, Figure, Target
from tests.benchmarks.house import House
from tests.benchmarks.processes import children, cpu_seconds, memory
from tests.benchmarks.programs import Program, program, turn
from tests.faults.servers import Group, wait_for

IN_FLIGHT = 32
WORKERS = (1, 2)
_WARM_UP = 200  # rows


class Taken(NamedTuple):
    """What a run took of each of its rows: seconds, seconds of the workers' CPU, and their memory."""

    time: float
    cpu: float
    pss: float


class Workers:
    """So many worker processes with a program that starts runs, and as many litellm askers."""

    def __init__(self, stack: ExitStack, house: House, processes: int, sizes: list[int]) -> None:
        judge = stack.enter_context(program("lean_judge"))
        url = f"http://127.0.0.1:{judge.hear()}/v1"
        env = stack.enter_context(house.installation()) | {
            "VERA_JUROR_BENCH_URL": url,
            "VERA_JUROR_BENCH_KEY": "sk-bench",
            "VERA_WORKER_PROCESSES": str(processes),
            "VERA_CALLS_IN_FLIGHT": str(IN_FLIGHT),
        }
        requests = str(house.folder / f"requests-{processes}.jsonl")
        self.calls = sizes[1]
        words = [str(number) for number in (self.calls, *sizes)]
        self.runs = stack.enter_context(program("ask_scale", requests, *words, env=env))
        self.runs.hear()
        command = (sys.executable, "-m", "celery", "-A", "vera_site", "worker")
        self.worker = Group(*command, env=env, log=house.folder / f"worker-{processes}.log")
        stack.callback(self.worker.kill)
        wait_for(lambda: len(self.pids()) == processes, 60, "the worker processes")
        self.litellm = [
            self._asker(stack, env, url, requests, str(share), str(processes)) for share in range(processes)
        ]

    def _asker(
        self, stack: ExitStack, env: dict[str, str], url: str, requests: str, share: str, shares: str
    ) -> Program:
        asker = stack.enter_context(
            program("ask_litellm", url, requests, str(IN_FLIGHT), share, shares, env=env)
        )
        asker.hear()
        return asker

    def pids(self) -> list[int]:
        return children(self.worker.process.pid)

    def run(self, rows: int) -> Taken:
        before = cpu_seconds(self.worker.process.pid)
        _, [answer] = turn(self.runs, word=str(rows))
        cpu = cpu_seconds(self.worker.process.pid) - before
        used = median(memory(pid)["pss"] for pid in self.pids())
        return Taken(answer["wall"] / rows, cpu / rows, used)

    def by_litellm(self) -> float:
        """Seconds of litellm's CPU per call."""
        _, answers = turn(*self.litellm)
        return sum(float(answer["cpu"]) for answer in answers) / self.calls


def measure(house: House) -> list[Figure]:
    """Time, CPU and memory per row for each size and number of worker processes."""
    sizes = [40, 100] if house.small else [1000, 10_000, *([100_000] if house.full else [])]
    taken, litellm = {}, {}
    for processes in WORKERS:
        with ExitStack() as stack:
            workers = Workers(stack, house, processes, [_warm_up(house), *sizes])
            workers.run(_warm_up(house))
            workers.by_litellm()
            small = [(workers.run(sizes[0]), workers.by_litellm()) for _ in range(ROUNDS)]
            taken[processes] = {sizes[0]: [run for run, _ in small]}
            litellm[processes] = [cpu for _, cpu in small]
            for size in sizes[1:]:
                taken[processes][size] = [workers.run(size)]
    return [figure for processes in WORKERS for figure in _figures(processes, taken, litellm[processes])]


def _warm_up(house: House) -> int:
    return 20 if house.small else _WARM_UP


def _figures(processes: int, taken: dict[int, dict[int, list[Taken]]], litellm: list[float]) -> list[Figure]:
    few, *more = taken[processes]
    mine = taken[processes]
    return [
        *(figure for size in more for figure in _growth(processes, few, size, mine)),
        _cpu(processes, few, mine, litellm),
        *([_both(few, taken)] if processes > 1 else []),
    ]


def _growth(processes: int, few: int, size: int, taken: dict[int, list[Taken]]) -> list[Figure]:
    """That a row of a long run costs what one of a short run costs, and that the memory does not grow."""
    by = f"{processes} worker process" + ("es" if processes > 1 else "")
    what = f"with {size} rows" if size < 10_000 else f"with {size:,} rows".replace(",", " ")
    first, last = taken[few], taken[size]
    return [
        Figure(
            name=f"Time per row, {by}, {what}",
            unit="ms",
            values=tuple(1000 * each.time for each in last),
            baselines=(1000 * median(each.time for each in first),),
            meaning="A run of one juror whose answers come at once, from before its rows are written "
            "until it is finished, divided by its rows.",
            against=f"the median of {len(first)} runs with {few} rows",
            targets=(Target("ratio", "at most", 1.1),),
        ),
        Figure(
            name=f"Memory per worker process, PSS, {by}, {what}",
            unit="MB",
            values=tuple(each.pss for each in last),
            baselines=(first[-1].pss,),
            meaning="After the run.",
            against=f"after the runs with {few} rows",
            targets=(Target("ratio", "at most", 1.1),),
        ),
    ]


def _cpu(processes: int, few: int, taken: dict[int, list[Taken]], litellm: list[float]) -> Figure:
    by = f"{processes} worker process" + ("es" if processes > 1 else "")
    return Figure(
        name=f"CPU per stored verdict, {by}",
        unit="ms",
        values=tuple(1000 * each.cpu for each in taken[few]),
        baselines=tuple(1000 * cpu for cpu in litellm),
        meaning="User and system time of the worker processes for each row of a run of one juror, claims, "
        "reading of the reply and storing included.",
        against="litellm alone, per call, in as many processes, the same messages, answers dropped",
        targets=(Target("ratio", "at most", 1.3),),
    )


def _both(few: int, taken: dict[int, dict[int, list[Taken]]]) -> Figure:
    one, two = (median(each.time for each in taken[processes][few]) for processes in WORKERS)
    return Figure(
        name="Time per row, 2 worker processes over 1",
        unit="ms",
        values=(1000 * two,),
        baselines=(1000 * one,),
        meaning="The same work; the database and the scripted server share the cores with the workers.",
        against="one worker process",
    )
