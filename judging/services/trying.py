"""Answering trials, in a worker: claimed once, every juror asked, all that was sent and said written down.

As with runs, the database is the queue: a message only wakes a worker up, and the workers' timer finds what
was not answered. A worker that dies leaves a lease that runs out; the trial is tried again, thrice at most.
"""

import logging
import secrets
from collections.abc import Callable
from concurrent.futures import Future, wait
from datetime import timedelta
from time import monotonic
from typing import Any

from django.conf import settings
from django.db.models import F, QuerySet
from django.utils import timezone

from judging.loop import run_in_loop
from judging.models import Trial
from judging.services.engine import worker_name
from judging.services.gatekeeping import prepare, tend, withdraw
from judging.services.patience import patiently
from judging.services.stopping import is_stopping
from judging.services.trial_answers import answers_of, questions_of

log = logging.getLogger(__name__)

_LOOK = 0.2  # seconds between two looks at what has come back
_LOST = "Three workers were lost while they asked. The workers' log says more; try again."
_BROKEN = "Vera itself failed on this trial; the worker's log says where."


def answer_waiting() -> None:
    """Answer every trial that nobody is answering, and end those that were lost. The workers' timer."""
    now = timezone.now()
    patiently(lambda: _end(Trial.objects.lost(now), state=Trial.State.FAILED, problem=_LOST))
    for trial_id in patiently(lambda: list(Trial.objects.claimable(now).values_list("pk", flat=True))):
        answer_trial(trial_id)


def answer_trial(trial_id: int) -> bool:
    """Ask the jurors and write down what they say; False where somebody else does, or did."""
    holder = f"{worker_name()}:{secrets.token_hex(4)}"
    if is_stopping() or not patiently(lambda: _claim(trial_id, holder)):
        return False
    # An answer that comes late counts while nobody else is asking, even where it was given up already.
    held = Trial.objects.filter(pk=trial_id, claimed_by=holder).exclude(state=Trial.State.ANSWERED)
    try:
        return _answer(held)
    except Exception:
        log.exception("Trial %s failed.", trial_id)
        return bool(patiently(lambda: _end(held, state=Trial.State.FAILED, problem=_BROKEN)))


def _claim(trial_id: int, holder: str) -> bool:
    """Compare and set: of many who are told of a trial, one gets it."""
    now = timezone.now()
    return bool(
        Trial.objects.claimable(now)
        .filter(pk=trial_id)
        .update(
            state=Trial.State.ASKING,
            claimed_by=holder,
            claimed_at=now,
            lease_until=now + _lease(),
            claims=F("claims") + 1,
        )
    )


def _lease() -> timedelta:
    return timedelta(seconds=settings.VERA_CLAIM_LEASE)


def _answer(held: QuerySet[Trial]) -> bool:
    named = held.select_related("judge_version__judge", "criteria_version__criteria_set", "candidate")
    trial = patiently(named.first)
    if trial is None:
        return False
    asked = patiently(lambda: questions_of(trial))
    prepare(juror for each in asked if each.plan for juror in each.plan.jurors.values())
    futures = [each.send(run_in_loop) for each in asked]
    if not _wait(futures, lambda: _renew(held)):
        patiently(lambda: held.update(state=Trial.State.WAITING, claimed_by="", claims=F("claims") - 1))
        return False
    answers = answers_of(trial, asked)
    return bool(patiently(lambda: _end(held, state=Trial.State.ANSWERED, answers=answers)))


def _wait(futures: list[Future[Any] | None], renew: Callable[[], object]) -> bool:
    """Wait for the answers; what has not come within thrice the limit of one call is given up.

    A slow judge may need it once for the question, once for the re-ask, and some of it for its turn.

    False where the worker was told to stop meanwhile: then nobody has answered.
    """
    pending = {future for future in futures if future is not None}
    until = monotonic() + 3 * settings.VERA_CALL_TIMEOUT
    renew_at = monotonic() + settings.VERA_CLAIM_LEASE / 4
    while pending and monotonic() < until and not is_stopping():
        tend()
        pending = wait(pending, timeout=_LOOK).not_done
        if monotonic() >= renew_at:
            renew()
            renew_at = monotonic() + settings.VERA_CLAIM_LEASE / 4
    stopped = bool(pending) and is_stopping()
    for future in pending:
        future.cancel()
    withdraw()
    return not stopped


def _renew(held: QuerySet[Trial]) -> None:
    patiently(lambda: held.update(lease_until=timezone.now() + _lease()))


def _end(trials: QuerySet[Trial], *, problem: str = "", **columns: Any) -> int:
    return trials.update(finished_at=timezone.now(), lease_until=None, problem=problem, **columns)
