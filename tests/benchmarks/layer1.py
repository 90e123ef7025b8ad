"""Layer 1: outputs per second, and what it costs as outputs grow."""

import time
from collections.abc import Callable
from functools import partial

from judging.domain.precheck import Case, run_precheck
from tests.benchmarks.figures import ROUNDS, Figure, Target, in_turns
from tests.benchmarks.house import House
from tests.benchmarks.texts import KINDS

_CRITERIA = "polite: The reply is polite.\ncorrect: It answers the question with what the grounding says."
_REQUEST = "Where is my order? Answer the customer in two or three sentences."


def seconds_for(texts: list[str]) -> float:
    """Seconds of CPU to check them all, one after the other."""
    began = time.process_time()
    for text in texts:
        run_precheck(Case(text, criteria=_CRITERIA, request=_REQUEST))
    return time.process_time() - began


def measure(house: House) -> list[Figure]:
    """Outputs per second at 1 kB; 10 MB in one piece against the same in pieces of 10 kB."""
    number, size, pieces = (20, 10_000, 100) if house.small else (3000, 10_000, 1000)
    return [*_rates(number), *_growths(size, pieces)]


def _rates(number: int) -> list[Figure]:
    texts = {kind: [make(1000, seed) for seed in range(number)] for kind, make in KINDS.items()}
    taken = in_turns(ROUNDS, {kind: partial(seconds_for, some) for kind, some in texts.items()})
    return [
        Figure(
            name=f"Layer 1 on 1 kB of {kind}",
            unit="outputs/s",
            values=tuple(number / seconds for seconds in taken[kind]),
            meaning="All checks on outputs of a kilobyte, each another one, on one core.",
        )
        for kind in texts
    ]


def _growths(size: int, pieces: int) -> list[Figure]:
    figures = [_growth(kind, make, size, pieces) for kind, make in KINDS.items()]
    return sorted(figures, key=lambda figure: -(figure.ratio or 0))


def _growth(kind: str, make: Callable[[int, int], str], size: int, pieces: int) -> Figure:
    whole, parts = [make(size * pieces, 0)], [make(size, seed) for seed in range(pieces)]
    taken = in_turns(ROUNDS, {"parts": partial(seconds_for, parts), "whole": partial(seconds_for, whole)})
    return Figure(
        name=f"Layer 1 on {size * pieces / 1e6:g} MB of {kind}",
        unit="s",
        values=taken["whole"],
        baselines=taken["parts"],
        meaning="All checks on one output of this size, seconds of CPU. The kind that grows worst is first.",
        against=f"{pieces} outputs of {size / 1000:g} kB of the same kind, together",
        targets=(Target("ratio", "at most", 1.3),),
    )
