"""A worker that dies at a named point: `python -m tests.faults.fatal_worker POINT`.

after_claim, before_save, after_save: all its processes are killed there, once. poison: the process that is
about to ask about a candidate with that word in it is killed, every time.
"""

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import django

django.setup()

from judging import worker  # noqa: E402
from judging.services import claims, flight, pump  # noqa: E402
from vera_site.celery import app  # noqa: E402


def die_once() -> None:
    """Kill the whole worker, unless that was done in this installation before."""
    mark = Path(os.environ["VERA_VAR"]) / "died"
    try:
        mark.touch(exist_ok=False)
    except FileExistsError:
        return
    os.killpg(0, signal.SIGKILL)


def replace(module: Any, name: str, wrapper: Callable[[Any], Any]) -> None:
    """Put a wrapped function in a function's place, before the worker forks."""
    setattr(module, name, wrapper(getattr(module, name)))


def dying_after(act: Any) -> Any:
    def dies(*arguments: Any) -> Any:
        result = act(*arguments)
        if result:
            die_once()
        return result

    return dies


def dying_before(act: Any) -> Any:
    def dies(*arguments: Any) -> Any:
        die_once()
        return act(*arguments)

    return dies


def dying_of_poison(ask: Any) -> Any:
    async def dies(plan: Any, question: Any) -> Any:
        if "poison" in question.row.output:
            os.kill(os.getpid(), signal.SIGKILL)
        return await ask(plan, question)

    return dies


POINTS: dict[str, tuple[Any, str, Callable[[Any], Any]]] = {
    "after_claim": (claims, "claim", dying_after),
    "before_save": (pump, "save_answers", dying_before),
    "after_save": (pump, "save_answers", dying_after),
    "poison": (flight, "ask_juror", dying_of_poison),
}

if __name__ == "__main__":
    replace(*POINTS[sys.argv[1]])
    worker.EVERY = 1.0
    app.worker_main(["worker"])
