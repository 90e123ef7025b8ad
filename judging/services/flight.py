"""A run's calls in flight in one worker process: sent from its thread, answered in the loop's thread."""

import contextlib
import logging
from collections import Counter, deque
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from queue import Empty, SimpleQueue
from threading import RLock
from time import monotonic

from django.conf import settings

from judging.domain.reasons import PER_JUROR
from judging.llm import Unavailable
from judging.loop import run_in_loop
from judging.services.answers import Answer, failed_inside
from judging.services.asking import ask_juror
from judging.services.gatekeeping import prepare
from judging.services.gates import TICKET, Ticket
from judging.services.plans import Plan
from judging.services.questions import Question

log = logging.getLogger(__name__)

_FIRST_WINDOW = 4

type Landed = Answer | tuple[Question, Unavailable]


@dataclass(slots=True)
class _Line:
    """The questions to one provider that are not under way yet, and how many may be."""

    waiting: deque[Question] = field(default_factory=deque)
    window: int = _FIRST_WINDOW


@dataclass(frozen=True, slots=True)
class _Flying:
    """A question under way, in which line it was, and what its gate says of it."""

    provider: str
    ticket: Ticket
    sent: Future[Answer]


class Flight:
    """Keeps as many calls in flight as its window allows, and hands over what comes back.

    The window starts at a handful and opens by one with every answer, so that a wrong key is noticed after a
    handful of calls (and so is what a juror would be refused for each time), and a provider is not met with
    everything at once. An answer makes room for the next question at once, in the loop's thread: the worker's
    own may be busy saving. Each provider has a line and a window of its own, and a question that waits at its
    gate is not counted among the calls in flight: a provider that is slow, limited or down does not hold up
    the others. Each flight begins with fresh patience: what failed before it, say while nobody asked, may be
    well again.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._lines = {juror.provider: _Line() for juror in plan.asked}
        self._air: dict[Question, _Flying] = {}
        self._landed: SimpleQueue[tuple[Question, Future[Answer]]] = SimpleQueue()
        self.most: int = settings.VERA_CALLS_IN_FLIGHT  # this run's share of the process's calls in flight
        self._began = monotonic()
        self._grounded = False
        self._lock = RLock()  # over the lines and the air: nothing is sent once they were given up
        prepare(plan.asked)

    def __len__(self) -> int:
        return self.waiting + len(self._air)

    @property
    def waiting(self) -> int:
        return sum(len(line.waiting) for line in self._lines.values())

    @property
    def in_air(self) -> int:
        return len(self._air)

    def line_up(self, questions: list[Question]) -> None:
        """Put questions at the end of their lines."""
        with self._lock:
            for question in questions:
                self._lines[self._provider(question)].waiting.append(question)

    def send(self) -> None:
        """Send from the lines until the windows are full."""
        with self._lock:
            while (provider := self._next_line()) is not None:
                self._send_next(provider)

    def _provider(self, question: Question) -> str:
        return self._plan.jurors[question.juror_id].provider

    def _next_line(self) -> str | None:
        """Of the lines that have a question and room for it, the one with the fewest under way."""
        flying = [each for each in self._air.values() if not each.sent.done()]
        if sum(not each.ticket.waiting for each in flying) >= self.most:
            return None
        under_way = Counter(each.provider for each in flying)
        free = [
            provider
            for provider, line in self._lines.items()
            if line.waiting and under_way[provider] < min(line.window, self.most)
        ]
        return min(free, key=lambda provider: under_way[provider], default=None)

    def _send_next(self, provider: str) -> None:
        question, ticket = self._lines[provider].waiting.popleft(), Ticket(self._began)
        sent = run_in_loop(self._ask(question, ticket))
        self._air[question] = _Flying(provider, ticket, sent)
        sent.add_done_callback(partial(self._land, question))

    async def _ask(self, question: Question, ticket: Ticket) -> Answer:
        TICKET.set(ticket)
        return await ask_juror(self._plan, question)

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
        if self._grounded and self._air:
            run_in_loop(self._turn_back())
        return landed

    def ground(self) -> None:
        """Send nothing more; questions that are not being asked are dropped, their rows go back."""
        with self._lock:
            self._clear_lines()
            self._grounded = True
        if self._air:
            run_in_loop(self._turn_back())

    async def _turn_back(self) -> None:
        """Give up what waits at a gate. In the loop's thread, where none can pass meanwhile."""
        with self._lock:
            waiting = [question for question, each in self._air.items() if each.ticket.waiting]
            given_up = [self._air.pop(question) for question in waiting]
        for each in given_up:
            each.sent.cancel()

    def abandon(self) -> None:
        """Give up what is in the air: these calls may be paid twice."""
        with self._lock:
            self._clear_lines()
            given_up = list(self._air.values())
            self._air.clear()
        for each in given_up:
            each.sent.cancel()

    def _clear_lines(self) -> None:
        for line in self._lines.values():
            line.waiting.clear()

    def _land(self, question: Question, done: Future[Answer]) -> None:
        self._landed.put((question, done))
        if done.cancelled() or done.exception() is not None:
            return  # the worker's thread decides whether the next one would fail alike
        with self._lock:
            if question in self._air and (provider := self._next_line()) is not None:
                self._send_next(provider)

    def _read(self, question: Question, done: Future[Answer]) -> Landed:
        error = done.exception()
        if error is None:
            answer = done.result()
            if answer.reason not in PER_JUROR:
                line = self._lines[self._provider(question)]
                line.window = min(line.window + 1, settings.VERA_CALLS_IN_FLIGHT)
            return answer
        if isinstance(error, Unavailable):
            return question, error
        log.error("Asking about verdict %s failed.", question.verdict_id, exc_info=error)
        return failed_inside(self._plan, question)
