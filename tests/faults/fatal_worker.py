"""A worker that dies at a named point: `python -m tests.faults.fatal_worker POINT [task]`.

after_claim, before_save, after_save: all its processes are killed there, once; with `task` only the process
whose task came there, and until then nothing but tasks works; once litellm is loaded a process leaves a file
`warm-…` to say so. poison: the process that is about to ask about
a candidate with that word in it is killed, every time. ahead, behind: its clock is an hour off.
"""

import os
import signal
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import django

django.setup()

from django.utils import timezone  # noqa: E402

from judging import worker  # noqa: E402
from judging.services import claims, flight, pump  # noqa: E402
from vera_site.celery import app  # noqa: E402

MARK = Path(os.environ["VERA_VAR"]) / "died"
BY_TASK = sys.argv[2:] == ["task"]


def die_once() -> None:
    """Kill the whole worker, or the task's process, unless that was done in this installation before."""
    try:
        MARK.touch(exist_ok=False)
    except FileExistsError:
        return
    if BY_TASK:
        os.kill(os.getpid(), signal.SIGKILL)
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


def waiting_for_death(act: Any) -> Any:
    def waits(*arguments: Any) -> Any:
        return act(*arguments) if MARK.exists() else None

    return waits


def telling_when_warm(warm_up: Any) -> Any:
    async def tells() -> None:
        await warm_up()
        MARK.with_name(f"warm-{os.getpid()}").touch()

    return tells


def off_by(hours: int) -> Callable[[Any], Any]:
    def wrap(now: Any) -> Any:
        return lambda: now() + timedelta(hours=hours)

    return wrap


POINTS: dict[str, tuple[Any, str, Callable[[Any], Any]]] = {
    "after_claim": (claims, "claim", dying_after),
    "before_save": (pump, "save_answers", dying_before),
    "after_save": (pump, "save_answers", dying_after),
    "poison": (flight, "ask_juror", dying_of_poison),
    "ahead": (timezone, "now", off_by(1)),
    "behind": (timezone, "now", off_by(-1)),
}

if __name__ == "__main__":
    replace(*POINTS[sys.argv[1]])
    if BY_TASK:
        replace(worker, "work_on_any", waiting_for_death)
        replace(worker, "warm_up", telling_when_warm)
    worker.EVERY = 1.0
    app.worker_main(["worker"])
