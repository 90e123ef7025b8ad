"""The engine of one process: works on all running runs side by side, in the thread of whoever calls it.

All database work is in that one thread and no transaction is open while a call is in flight. A process may be
killed at any moment: what it held is claimed by others when its lease ends.
"""

import contextlib
import logging
import os
import socket
import threading
from collections.abc import Callable
from concurrent.futures import wait
from time import monotonic

from django.conf import settings
from django.db import DatabaseError, InterfaceError, OperationalError

from judging.domain.prompt import UnknownTemplate
from judging.domain.reasons import PauseReason
from judging.llm import load
from judging.loop import run_in_loop
from judging.models import Run
from judging.services.connections import NotConfigured
from judging.services.patience import patiently
from judging.services.plans import plan_of
from judging.services.pump import Pump, running
from judging.services.runs import pause_run
from judging.services.stopping import is_stopping

log = logging.getLogger(__name__)

_LOOK_EVERY = 1.0  # seconds until a run that was started or resumed meanwhile is seen
_AGAIN_AFTER = 5.0  # seconds until a run of which nothing was free, or that failed here, is looked at again
_ROUND = 0.05  # seconds that one round over all runs waits for answers at most

_one_per_process = threading.Lock()


def worker_name() -> str:
    """This process, as claims and signs of life name it."""
    return f"{socket.gethostname()[:40]}:{os.getpid()}"


def work_on(run_id: int) -> None:
    """Work on one run alone until it ends or nothing of it is free."""
    _work(lambda: [run_id])


def work_on_any() -> None:
    """Work on every running run, those that are started meanwhile too, until nothing is free of any."""
    _work(_running_runs)


def _work(find: Callable[[], list[int]]) -> None:
    """Returns at once where this process is at work already: it sees a new run by itself."""
    if not _one_per_process.acquire(blocking=False):
        return
    try:
        Shift(find).work()
    finally:
        _one_per_process.release()


def _running_runs() -> list[int]:
    return list(Run.objects.filter(state=Run.State.RUNNING).order_by("pk").values_list("pk", flat=True))


def _can_ask() -> bool:
    """Wait until this process has loaded what it asks with; False where it is told to stop meanwhile.

    Seconds, once: rows that it claimed before would wait for it while others could have had them.
    """
    loading = run_in_loop(load())
    while not loading.done():
        if is_stopping():
            return False
        wait([loading], timeout=_ROUND)
    return True


class Shift:
    """Several runs side by side: each has a pump of its own and an equal share of the calls in flight.

    However large a run or its panel is, it has no more calls in flight than its neighbour; and one whose
    calls wait for their provider waits alone. `find` names the runs to work on. Another kind of work than
    runs would be begun beside them in `_look`, as something that is driven like a pump.
    """

    def __init__(self, find: Callable[[], list[int]]) -> None:
        self._find = find
        self._pumps: dict[int, Pump] = {}
        self._not_before: dict[int, float] = {}
        self._look_at = 0.0

    def work(self) -> None:
        """Until nothing is left to do, or the worker is told to stop."""
        try:
            self._look()
            while self._pumps:
                self._round()
                if not self._pumps or monotonic() >= self._look_at:
                    self._look()
        except BaseException:
            for pump in self._pumps.values():
                # The database may be what failed; then the leases run out instead.
                with contextlib.suppress(DatabaseError):
                    pump.give_back(attempted=False)
            raise

    def _look(self) -> None:
        """Begin what is new. Of more runs than calls in flight, the later ones wait for a place."""
        if is_stopping():
            return
        found = patiently(self._find)
        self._look_at = monotonic() + _LOOK_EVERY
        self._not_before = {run: self._not_before[run] for run in found if run in self._not_before}
        due = [run for run in found if monotonic() >= self._not_before.get(run, 0.0)]
        new = [run for run in due if run not in self._pumps]
        for run in new[: settings.VERA_CALLS_IN_FLIGHT - len(self._pumps)]:
            self._begin(run)

    def _begin(self, run_id: int) -> None:
        self._not_before[run_id] = monotonic() + _AGAIN_AFTER
        run = patiently(lambda: running(run_id))
        if run is None:
            return
        try:
            plan = patiently(lambda: plan_of(run))
            if plan.asked and not _can_ask():
                return
            self._pumps[run_id] = Pump(plan, worker_name())
        except NotConfigured as missing:
            self._pause(run_id, PauseReason.NOT_CONFIGURED, str(missing))
        except UnknownTemplate as unknown:
            self._pause(run_id, PauseReason.UNKNOWN_TEMPLATE, str(unknown))

    def _pause(self, run_id: int, reason: PauseReason, detail: str) -> None:
        patiently(lambda: pause_run(run_id=run_id, reason=reason, detail=detail))

    def _round(self) -> None:
        """One step of every pump."""
        share = max(1, settings.VERA_CALLS_IN_FLIGHT // len(self._pumps))
        seconds = _ROUND / len(self._pumps)
        for run_id, pump in list(self._pumps.items()):
            pump.flight.most = share
            if not self._step(run_id, pump, seconds):
                del self._pumps[run_id]
                self._not_before[run_id] = monotonic() + _AGAIN_AFTER

    def _step(self, run_id: int, pump: Pump, seconds: float) -> bool:
        """False when the pump has ended; one that fails ends alone."""
        try:
            if pump.step(seconds):
                return True
            pump.close()
        except Exception as error:
            if not (isinstance(error, DatabaseError) and is_stopping()):
                log.exception("Run %s failed in this process, which tries it again.", run_id)
            with contextlib.suppress(DatabaseError):
                pump.give_back(attempted=not isinstance(error, OperationalError | InterfaceError))
        return False
