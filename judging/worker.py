"""What each worker process does by itself: gives signs of life, and looks for work every few seconds.

So no correctness depends on a message, on the broker, or on its redelivery: the database is the queue, and a
run whose message was lost goes on all the same. Importing this module only registers for Celery's signals.
"""

import logging
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import Any

from billiard.process import current_process
from celery import signals
from django.db import DatabaseError, close_old_connections, connection
from django.utils import timezone

from judging.llm import warm_up
from judging.loop import run_in_loop, stop_loop
from judging.services import stopping
from judging.services.engine import work_on_any, worker_name
from judging.services.trying import answer_waiting
from judging.services.workers import mark_seen
from labeling.services.truth import tell_overdue

log = logging.getLogger(__name__)

EVERY = 5.0  # seconds
_END = 9.5  # seconds for the threads to give back their work when the process ends

_threads: list[threading.Thread] = []
_more_timers: list[tuple[str, Callable[[], None], float]] = []


def add_timer(name: str, act: Callable[[], None], every: float = EVERY) -> None:
    """Let every worker process do this too, every so many seconds: what sends messages, which live above."""
    _more_timers.append((name, act, every))


@signals.worker_process_init.connect
def begin(**_: Any) -> None:
    """In each child process, after the fork: start the threads.

    When to stop is the parent's to say, which waits for its children. A SIGTERM that reaches them too, as
    when it is sent to the whole group, would end them with their calls in flight.
    """
    if current_process().name != "MainProcess":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    _threads[:] = [
        threading.Thread(target=_repeat, args=(act, every), name=f"judging-{name}", daemon=True)
        for name, act, every in (
            ("alive", partial(mark_seen, name=worker_name()), EVERY),
            ("timer", work_on_any, EVERY),
            ("truth", _tell_overdue, EVERY),
            ("trials", answer_waiting, EVERY),
            *_more_timers,
        )
    ]
    for thread in _threads:
        thread.start()
    run_in_loop(warm_up()).add_done_callback(_tell_cold)


def _tell_cold(warmed: Future[None]) -> None:
    """A failed warm-up costs the first run its seconds; what is wrong, its first question will tell."""
    if not warmed.cancelled() and (error := warmed.exception()) is not None:
        log.warning("litellm could not be loaded beforehand: %s", error)


@signals.worker_shutting_down.connect
def announce(**_: Any) -> None:
    """In the parent, on SIGTERM: every child reads it in the shared byte."""
    stopping.announce()


@signals.worker_process_shutdown.connect
@signals.worker_shutdown.connect
def end(**_: Any) -> None:
    """In a process that ends: let its threads hand back what they hold."""
    stopping.announce()
    until = time.monotonic() + _END
    for thread in _threads:
        thread.join(max(0.0, until - time.monotonic()))
    stop_loop()


def _tell_overdue() -> None:
    """A label whose consequences a page could not draw any more, because it was killed, gets them here."""
    tell_overdue(now=timezone.now())


def _repeat(act: Callable[[], None], every: float) -> None:
    try:
        while not stopping.is_stopping():
            _once(act)
            _wait(every)
    finally:
        connection.close()


def _once(act: Callable[[], None]) -> None:
    try:
        close_old_connections()
        act()
    except DatabaseError as error:
        log.warning("The database cannot be used now (%s); trying again.", str(error).strip()[:200])
        connection.close()
    except Exception:
        log.exception("A worker's timer failed; it tries again.")


def _wait(seconds: float) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until and not stopping.is_stopping():
        time.sleep(0.2)
