"""The calls in flight of one worker process: sent from its thread, answered in the loop's thread."""

import contextlib
import logging
from collections import deque
from concurrent.futures import Future
from functools import partial
from queue import Empty, SimpleQueue
from threading import RLock
from time import monotonic

from django.conf import settings

from judging.llm import Unavailable
from judging.loop import run_in_loop
from judging.services.asking import Answer, ask_juror, failed_inside
from judging.services.plans import Plan
from judging.services.questions import Question

log = logging.getLogger(__name__)

_FIRST_WINDOW = 4

type Landed = Answer | tuple[Question, Unavailable]


class Flight:
    """Keeps as many calls in flight as its window allows, and hands over what comes back.

    The window starts at a handful and opens by one with every answer, so that a wrong key is noticed after a
    handful of calls, and a provider is not met with everything at once. An answer makes room for the next
    question at once, in the loop's thread: the worker's own may be busy saving.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._waiting: deque[Question] = deque()
        self._air: dict[Question, Future[Answer]] = {}
        self._landed: SimpleQueue[tuple[Question, Future[Answer]]] = SimpleQueue()
        self.most: int = settings.VERA_CALLS_IN_FLIGHT  # this run's share of the process's calls in flight
        self._window = _FIRST_WINDOW
        self._lock = RLock()  # over the line and the air: nothing is sent once they were given up

    def __len__(self) -> int:
        return len(self._waiting) + len(self._air)

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    @property
    def in_air(self) -> int:
        return len(self._air)

    def line_up(self, questions: list[Question]) -> None:
        """Put questions at the end of the line."""
        self._waiting.extend(questions)

    def send(self) -> None:
        """Send from the line until the window is full."""
        with self._lock:
            while self._waiting and len(self._air) < min(self._window, self.most):
                self._send_next()

    def _send_next(self) -> None:
        question = self._waiting.popleft()
        sent = run_in_loop(ask_juror(self._plan, question))
        self._air[question] = sent
        sent.add_done_callback(partial(self._land, question))

    def collect(self, seconds: float) -> list[Landed]:
        """What has come back; waits up to `seconds` for the first."""
        landed: list[Landed] = []
        until = monotonic() + seconds
        with contextlib.suppress(Empty):
            while True:
                question, done = self._landed.get(timeout=0 if landed else max(0, until - monotonic()))
                with self._lock:
                    was_in_air = self._air.pop(question, None) is not None
                if was_in_air:
                    landed.append(self._read(question, done))
        return landed

    def ground(self) -> None:
        """Send nothing more; questions that were not sent are dropped, their rows go back."""
        with self._lock:
            self._waiting.clear()

    def abandon(self) -> None:
        """Give up what is in the air: these calls may be paid twice."""
        with self._lock:
            self._waiting.clear()
            given_up = list(self._air.values())
            self._air.clear()
        for sent in given_up:
            sent.cancel()

    def _land(self, question: Question, done: Future[Answer]) -> None:
        self._landed.put((question, done))
        if done.cancelled() or done.exception() is not None:
            return  # the worker's thread decides whether the next one would fail alike
        with self._lock:
            under_way = len(self._air) - self._landed.qsize()
            if self._waiting and question in self._air and under_way < self.most:
                self._send_next()

    def _read(self, question: Question, done: Future[Answer]) -> Landed:
        error = done.exception()
        if error is None:
            self._window = min(self._window + 1, settings.VERA_CALLS_IN_FLIGHT)
            return done.result()
        if isinstance(error, Unavailable):
            return question, error
        log.error("Asking about verdict %s failed.", question.verdict_id, exc_info=error)
        return failed_inside(self._plan, question)
