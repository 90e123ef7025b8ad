"""The engine of one process: works on a run for a while, one run at a time.

All database work is in the caller's thread and no transaction is open while a call is in flight. A process
may be killed at any moment: what it held is claimed by others when its lease ends.
"""

import os
import socket
import threading

from judging.domain.reasons import PauseReason
from judging.models import Run
from judging.services.connections import NotConfigured
from judging.services.patience import patiently
from judging.services.plans import plan_of
from judging.services.pump import Pump, running
from judging.services.runs import pause_run

SLICE = 60.0  # seconds of work on one run before others get their turn

_one_per_process = threading.Lock()


def worker_name() -> str:
    """This process, as claims and signs of life name it."""
    return f"{socket.gethostname()[:40]}:{os.getpid()}"


def work_on(run_id: int, seconds: float = SLICE) -> bool:
    """Work on a run until it ends, nothing of it is free, or the time is up; True when time was up.

    Returns at once where this process is at work already: the timer comes by again.
    """
    if not _one_per_process.acquire(blocking=False):
        return False
    try:
        return _work(run_id, seconds)
    finally:
        _one_per_process.release()


def work_on_any(seconds: float = SLICE) -> None:
    """Give every running run slices of this process's time in turn: started, stale and unfinished ones.

    Goes round until no run wants another slice, so that a long run does not wait for the timer in between.
    """
    unfinished = True
    while unfinished:
        turns = [work_on(run_id, seconds) for run_id in patiently(_running_runs)]  # every run gets its turn
        unfinished = any(turns)


def _running_runs() -> list[int]:
    return list(Run.objects.filter(state=Run.State.RUNNING).values_list("pk", flat=True))


def _work(run_id: int, seconds: float) -> bool:
    run = patiently(lambda: running(run_id))
    if run is None:
        return False
    try:
        plan = patiently(lambda: plan_of(run))
    except NotConfigured as missing:
        pause_run(run_id=run_id, reason=PauseReason.NOT_CONFIGURED, detail=str(missing))
        return False
    return Pump(plan, worker_name()).work(seconds)
