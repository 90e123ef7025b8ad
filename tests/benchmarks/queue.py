"""The next row to label, with 1 000 and with 100 000 rows in the queue, on both databases."""

from contextlib import ExitStack
from functools import partial

from tests.benchmarks.figures import ROUNDS, Figure, Target, in_turns
from tests.benchmarks.house import BACKENDS, Backend, House
from tests.benchmarks.programs import Program, program, turn

ACTS = {"next": "Next row", "page": "Labeling page"}
_MEANINGS = {
    "next": "The queue's service alone: the next free row of a labeler, locked and leased; median.",
    "page": "The whole GET of the labeling page, inside one process, with the row in it; median.",
}


def measure(house: House) -> list[Figure]:
    """Milliseconds to the next row in a long queue, beside a short one and beside one SELECT."""
    return [figure for backend in BACKENDS for figure in _on(backend, house)]


def _on(backend: Backend, house: House) -> list[Figure]:
    few, many, times = (50, 200, 5) if house.small else (1000, 100_000, 60)
    with ExitStack() as stack:
        short, long = (_queue(stack, house, backend, rows) for rows in (few, many))
        asks = {
            (name, act): partial(_median, queue, act, times)
            for act in (*ACTS, "select")
            for name, queue in (("short", short), ("long", long))
        }
        taken = in_turns(ROUNDS, asks)
    growths = [
        Figure(
            name=f"{name}, {backend}",
            unit="ms",
            values=taken["long", act],
            baselines=taken["short", act],
            meaning=f"{_MEANINGS[act]} With {many} rows in the queue.",
            against=f"the same with {few} rows",
            targets=(Target("ratio", "at most", 1.5),),
        )
        for act, name in ACTS.items()
    ]
    return [*growths, _over_select(backend, taken["long", "next"], taken["long", "select"], many)]


def _over_select(backend: Backend, ours: tuple[float, ...], select: tuple[float, ...], many: int) -> Figure:
    return Figure(
        name=f"Next row over one SELECT, {backend}",
        unit="ms",
        values=ours,
        baselines=select,
        meaning=f"The same as above, with {many} rows.",
        against="reading one row of the queue by its primary key",
    )


def _queue(stack: ExitStack, house: House, backend: Backend, rows: int) -> Program:
    env = stack.enter_context(house.installation(backend))
    queue = stack.enter_context(program("next_rows", str(rows), env=env))
    queue.hear()
    return queue


def _median(queue: Program, act: str, times: int) -> float:
    _, [milliseconds] = turn(queue, word=f"{act} {times}")
    return float(milliseconds)
