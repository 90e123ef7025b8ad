"""Keeping this process's gates, from a worker's thread: what they may grant, and what others should know.

Who has questions at the gates calls `prepare` before and `tend` every now and then. Where a provider has no
limit that is one short query a second; where it has, permits are taken in batches.
"""

import logging
import os
import socket
import threading
import time
from collections.abc import Coroutine, Iterable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from queue import Empty
from time import monotonic
from typing import Any

from judging.domain.pacing import PERMIT_LIFE
from judging.loop import run_in_loop
from judging.services import formats, limits
from judging.services.gates import TOLD, Needs, forget_gates, gates_here
from judging.services.limits import Allowed
from judging.services.patience import patiently
from judging.services.plans import Juror

log = logging.getLogger(__name__)

_LOOK = 1.0  # seconds between two looks at the limits
_SOONEST = 0.1  # seconds between two batches of permits
_PARTING = 0.05  # seconds for questions that were given up to leave the line
_PATIENCE = 0.05  # seconds for the loop to answer; it may be busy, say with loading the library


@dataclass(slots=True)
class _Rounds:
    """When what is due again, by `monotonic`."""

    pid: int = field(default_factory=os.getpid)
    look_at: float = 0.0
    take_at: dict[str, float] = field(default_factory=dict)
    hold_at: dict[str, float] = field(default_factory=dict)
    asked: Future[list[tuple[Needs, Allowed]]] | None = None
    held: set[str] = field(default_factory=set)  # providers where a part of the calls is kept for us
    providers: set[str] = field(default_factory=set)
    limited: bool = False


_rounds = _Rounds()
_at_work = threading.Lock()


def prepare(jurors: Iterable[Juror]) -> None:
    """Learn what may be asked of these jurors, and in which format, before anything is sent to them."""
    asked = list(jurors)
    patiently(partial(formats.recall, asked))
    rounds = _my_rounds()
    with _at_work:
        rounds.providers |= {juror.provider for juror in asked}
        _look(rounds)


def tend() -> None:
    """One round: look at the limits, tell what was learned, fetch what is needed. Returns at once mostly."""
    rounds = _my_rounds()
    if not _at_work.acquire(blocking=False):
        return
    try:
        if monotonic() >= rounds.look_at:
            _look(rounds)
        elif not TOLD.empty():
            _tell()
        if rounds.limited:
            _fetch(rounds)
    finally:
        _at_work.release()


def withdraw() -> None:
    """Nothing more is asked for now: parts of limits that nobody here uses are given back at once."""
    rounds = _my_rounds()
    with _at_work:
        _tell()
        if rounds.held:
            time.sleep(_PARTING)
            rounds.asked = None
            rounds.hold_at.clear()
            _fetch(rounds)


def forget_all() -> None:
    """Begin anew, as after a restart of the process."""
    global _rounds
    _rounds = _Rounds()
    forget_gates()


def _my_rounds() -> _Rounds:
    """A forked child starts its own."""
    global _rounds
    if _rounds.pid != os.getpid():
        _rounds = _Rounds()
    return _rounds


def _look(rounds: _Rounds) -> None:
    rounds.look_at = monotonic() + _LOOK
    told = monotonic()
    _tell()
    began = monotonic()
    found = patiently(lambda: limits.allowed(rounds.providers)) if rounds.providers else {}
    rounds.limited = bool(rounds.held) or any(allowed.is_limited for allowed in found.values())
    _act(_set_allowed(found, frozenset(rounds.providers), told, began))


async def _set_allowed(found: dict[str, Allowed], asked: frozenset[str], told: float, began: float) -> None:
    """`told`: when this process began to write down what it knew; `began`: to read what all know."""
    here = gates_here()
    here.allowed = found
    for name in asked & (here.gates.keys() | found.keys()):
        closed_for = found[name].closed_for if name in found else 0.0
        here.gate(name).hear(closed_for, told, began)
    here.advance()


def _tell() -> None:
    """Tell the other workers which provider said when to come again, and what formats were refused."""
    told: dict[str, float] = {}
    with suppress(Empty):
        while True:
            provider, until = TOLD.get_nowait()
            told[provider] = max(until, told.get(provider, 0.0))
    for provider, until in told.items():
        if (seconds := until - monotonic()) > 0:
            patiently(partial(limits.close, provider=provider, seconds=seconds))
    formats.note_learned()


def _fetch(rounds: _Rounds) -> None:
    for needs, allowed in _asked_for(rounds):
        if allowed.calls_in_flight is not None or needs.provider in rounds.held:
            _hold(rounds, needs)
        if allowed.is_paced and needs.expected:
            _take(rounds, needs)


def _asked_for(rounds: _Rounds) -> list[tuple[Needs, Allowed]]:
    """What the gates need; nothing where the loop is too busy to say, which is asked for the next time."""
    asked = rounds.asked or run_in_loop(_needs())
    try:
        found = asked.result(_PATIENCE)
    except TimeoutError:
        rounds.asked = asked
        return []
    rounds.asked = None
    return found


async def _needs() -> list[tuple[Needs, Allowed]]:
    here = gates_here()
    limited = {name: each for name, each in here.allowed.items() if each.is_limited}
    return [(here.gate(name).needs(), each) for name, each in limited.items()]


def _hold(rounds: _Rounds, needs: Needs) -> None:
    """Keep a part of the calls that may be in flight: as much as this process can use."""
    name, began = needs.provider, monotonic()
    idle = not needs.wanted and not needs.in_flight
    if began < rounds.hold_at.get(name, 0.0) or (idle and name not in rounds.held):
        return
    part = patiently(
        partial(
            limits.hold,
            provider=name,
            worker=_this_process(),
            wanted=needs.wanted,
            in_flight=needs.in_flight,
        )
    )
    calls = part.allowed if part else 0
    lease = limits.share_lease().total_seconds()
    rounds.hold_at[name] = began + min(lease / 4, _LOOK if calls >= needs.wanted else _LOOK / 4)
    (rounds.held.discard if idle or part is None else rounds.held.add)(name)
    _act(_share(name, calls, lease, began))


async def _share(provider: str, calls: int, lease: float, began: float) -> None:
    here = gates_here()
    here.gate(provider).share(calls, here.loop.time() + lease - (monotonic() - began))


def _take(rounds: _Rounds, needs: Needs) -> None:
    """Take permits for the questions that lack one."""
    name, began = needs.provider, monotonic()
    if began < rounds.take_at.get(name, 0.0):
        return
    taken = patiently(
        partial(limits.take, provider=name, expected=needs.expected, correction=needs.correction)
    )
    rounds.take_at[name] = began + min(_LOOK, max(_SOONEST, taken.wait))
    granted = needs.expected[: taken.granted]
    _act(_grant(name, granted, began, needs.correction))


async def _grant(provider: str, granted: list[int], began: float, corrected: int) -> None:
    here = gates_here()
    until = here.loop.time() + PERMIT_LIFE - (monotonic() - began)
    here.gate(provider).grant(granted, until, corrected)


def _act(work: Coroutine[Any, Any, None]) -> None:
    """Let the loop do it as soon as it can, before anything that it is told later."""
    run_in_loop(work).add_done_callback(_tell_failed)


def _tell_failed(done: Future[None]) -> None:
    if not done.cancelled() and (error := done.exception()) is not None:
        log.error("A provider's gate failed.", exc_info=error)


def _this_process() -> str:
    return f"{socket.gethostname()[:40]}:{os.getpid()}"
