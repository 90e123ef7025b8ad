"""A gate before each provider, in the judging loop: every request of this process to it passes here.

A question waits at its gate while the provider is down or said when to come again, while its limits are used
up, and while the process has as many calls in flight as it may. A gate keeps no database connection:
`judging.services.gatekeeping` fetches permits and tells the other workers, from a thread that may.
"""

import asyncio
import random
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from queue import SimpleQueue

from django.conf import settings

from judging.domain.outage import Breaker, Patience
from judging.domain.reasons import SkipReason
from judging.llm import Came, Reply, Unavailable, resendable
from judging.services.limits import Allowed

_FREE = Allowed()
_SURELY = 1.0  # seconds by which two clocks do not differ within so short a time


@dataclass(slots=True)
class Ticket:
    """What a flight knows of a question under way.

    `began`: when the flight did, by the loop's clock. `waiting`: nothing of it is being asked right now.
    """

    began: float
    waiting: bool = False


# Providers that said when to come again, with that time by the loop's clock: the keeper tells the others.
TOLD: SimpleQueue[tuple[str, float]] = SimpleQueue()
TICKET: ContextVar[Ticket | None] = ContextVar("ticket", default=None)


def patience_now(patience: Patience) -> Patience:
    """This much patience for the question under way: since its flight began, or now where it has none."""
    ticket = TICKET.get()
    return replace(patience, since=ticket.began if ticket else asyncio.get_running_loop().time())


@contextmanager
def _waiting() -> Iterator[None]:
    ticket = TICKET.get()
    if ticket is None:
        yield
        return
    ticket.waiting = True
    try:
        yield
    finally:
        ticket.waiting = False


@dataclass(slots=True, eq=False)
class _Waiter:
    """A request in line. `expected`: tokens."""

    expected: int
    patience: Patience
    passed: asyncio.Future[bool]


@dataclass(frozen=True, slots=True)
class Needs:
    """What a limited gate could use: the tokens expected of each request that lacks a permit, and so on."""

    provider: str
    expected: list[int]
    correction: int
    wanted: int
    in_flight: int


@dataclass(slots=True)
class Grants:
    """What was fetched for a gate. Times are the loop's."""

    permits: deque[tuple[float, int]] = field(default_factory=deque)  # until when it may be used, tokens
    calls: int = 0
    calls_until: float = 0.0


class Gate:
    """One provider's. All of it happens in the loop's thread."""

    def __init__(self, provider: str, gates: "Gates") -> None:
        self.provider = provider
        self.breaker = Breaker()
        self.told_at = 0.0  # when this process was last told to wait
        self.grants = Grants()
        self.in_flight = 0
        self._gates = gates
        self._line: deque[_Waiter] = deque()
        self._correction = 0
        self._why: Unavailable | None = None  # the last failure; none where another worker was told to wait
        self._timer: asyncio.TimerHandle | None = None

    async def send(self, attempt: Callable[[], Awaitable[Came]], expected: int, patience: Patience) -> Came:
        """Make one request when its turn has come; no request at all where waiting is hopeless."""
        if not await self._pass(expected, patience):
            why = self._why or Unavailable(SkipReason.RATE_LIMITED)
            return Unavailable(why.code, why.detail, requests=0)
        try:
            outcome = await attempt()
            self._learn(outcome, expected)
        finally:
            self._leave()
        return outcome

    async def rest(self, seconds: float) -> None:
        """Wait before asking the same again, in such a way that it can be given up."""
        with _waiting():
            await asyncio.sleep(seconds)

    async def _pass(self, expected: int, patience: Patience) -> bool:
        now = self._now()
        self.breaker.forget_if_old(now, patience.down)
        if not self._line and self._may_pass(now):
            self._enter()
            return True
        waiter = _Waiter(expected, patience, asyncio.get_running_loop().create_future())
        self._line.append(waiter)
        self.advance()
        try:
            with _waiting():
                return await waiter.passed
        except asyncio.CancelledError:
            self._withdraw(waiter)
            raise

    def _withdraw(self, waiter: _Waiter) -> None:
        """A question was given up: it leaves the line, or the place that it was just given."""
        if waiter in self._line:
            self._line.remove(waiter)
        elif waiter.passed.done() and not waiter.passed.cancelled() and waiter.passed.result():
            self._leave()

    def _may_pass(self, now: float) -> bool:
        allowed = self._gates.allowed.get(self.provider, _FREE)
        return (
            self._gates.in_flight < settings.VERA_CALLS_IN_FLIGHT
            and self.breaker.has_room(now, self.in_flight)
            and (allowed.calls_in_flight is None or self._has_share(now))
            and (not allowed.is_paced or self._has_permit(now))
        )

    def _has_share(self, now: float) -> bool:
        return self.in_flight < self.grants.calls and now < self.grants.calls_until

    def _has_permit(self, now: float) -> bool:
        permits = self.grants.permits
        while permits and permits[0][0] <= now:
            permits.popleft()
        return bool(permits)

    def _enter(self) -> None:
        if self._gates.allowed.get(self.provider, _FREE).is_paced:
            self.grants.permits.popleft()
        self.in_flight += 1
        self._gates.in_flight += 1

    def _leave(self) -> None:
        was_full = self._gates.in_flight >= settings.VERA_CALLS_IN_FLIGHT
        self.in_flight -= 1
        self._gates.in_flight -= 1
        self.advance()
        if was_full:
            self._gates.advance()

    def _learn(self, outcome: Came, expected: int) -> None:
        now, chance = self._now(), random.random()  # noqa: S311
        if isinstance(outcome, Reply):
            self._correct(outcome, expected)
        if isinstance(outcome, Reply) or not resendable(outcome.code):
            self.breaker.answered(now)
            self._why = None
            return
        self._why = outcome
        if outcome.code != SkipReason.RATE_LIMITED:
            self.breaker.failed(now, chance)
        if outcome.retry_after or outcome.code == SkipReason.RATE_LIMITED:
            self.breaker.limited(now, outcome.retry_after, chance)
        if outcome.retry_after and self.provider:
            TOLD.put((self.provider, now + outcome.retry_after))
            self.told_at = self._now()

    def hear(self, closed_for: float, known_at: float, asked_at: float) -> None:
        """The database, asked at `asked_at`, says for how many seconds nobody may ask.

        It knows what this process was told before `known_at`: where it says less, somebody opened the way.
        """
        now = self._now()
        if now + closed_for + _SURELY < self.breaker.told_until and self.told_at < known_at:
            self.breaker.lift()
        if asked_at + closed_for > now:
            self.breaker.hear(now, asked_at + closed_for)

    def _correct(self, reply: Reply, expected: int) -> None:
        if reply.prompt_tokens is not None and reply.completion_tokens is not None:
            self._correction += reply.prompt_tokens + reply.completion_tokens - expected

    def advance(self) -> None:
        """Let pass who may, send away who waits in vain, look again when that may change by itself."""
        now = self._now()
        self._send_away(now)
        while self._line and self._may_pass(now):
            waiter = self._line.popleft()
            if not waiter.passed.done():
                self._enter()
                waiter.passed.set_result(True)
        self._look_again(now)

    def _send_away(self, now: float) -> None:
        if not self.breaker.may_be_hopeless(now):
            return
        for waiter in list(self._line):
            if self.breaker.is_hopeless(now, waiter.patience, self.in_flight):
                self._line.remove(waiter)
                if not waiter.passed.done():
                    waiter.passed.set_result(False)

    def _look_again(self, now: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if not self._line:
            return
        gives_up = [self.breaker.gives_up_at(waiter.patience) for waiter in self._line]
        times = [self.breaker.opens_at(), *(time for time in gives_up if time is not None)]
        later = [time for time in times if time > now]
        if later:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_at(min(later) + 0.001, self.advance)

    def needs(self) -> Needs:
        """What this gate could use now."""
        now = self._now()
        self._has_permit(now)
        allowed = self._gates.allowed.get(self.provider, _FREE)
        could_go = now >= self.breaker.opens_at()
        free = settings.VERA_CALLS_IN_FLIGHT - self._gates.in_flight
        if allowed.calls_in_flight is not None:
            free = min(free, self.grants.calls - self.in_flight)
        if self.breaker.at_once is not None:
            free = min(free, self.breaker.at_once - self.in_flight)
        lacking = list(self._line)[len(self.grants.permits) : max(0, free)] if could_go else []
        wanted = min(self.in_flight + len(self._line), settings.VERA_CALLS_IN_FLIGHT)
        return Needs(
            self.provider, [each.expected for each in lacking], self._correction, wanted, self.in_flight
        )

    def grant(self, expected: list[int], until: float, corrected: int) -> None:
        """Permits, each with its tokens, that may be used until then; and what was accounted for."""
        self._correction -= corrected
        self.grants.permits.extend((until, tokens) for tokens in expected)
        self.advance()

    def share(self, calls: int, until: float) -> None:
        """How many calls may be in flight until then."""
        self.grants.calls, self.grants.calls_until = calls, until
        self.advance()

    def _now(self) -> float:
        return asyncio.get_running_loop().time()


class Gates:
    """The gates of one loop, and what their keeper told them: `allowed`, by provider, is its to set."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.gates: dict[str, Gate] = {}
        self.in_flight = 0
        self.allowed: Mapping[str, Allowed] = {}

    def gate(self, provider: str) -> Gate:
        """The gate before a provider; one of its own for a question that has none."""
        if not provider:
            return Gate("", self)
        if provider not in self.gates:
            self.gates[provider] = Gate(provider, self)
        return self.gates[provider]

    def advance(self) -> None:
        for gate in self.gates.values():
            gate.advance()


_here: Gates | None = None


def gates_here() -> Gates:
    """The gates of the running loop."""
    global _here
    loop = asyncio.get_running_loop()
    if _here is None or _here.loop is not loop:
        _here = Gates(loop)
    return _here


def forget_gates() -> None:
    """Begin anew, as after a restart of the process."""
    global _here
    _here = None
