"""The pump: claims rows of a run, keeps the calls in flight, saves what comes back, renews its leases."""

import contextlib
import secrets
from collections import Counter, defaultdict
from math import ceil
from time import monotonic

from django.conf import settings
from django.db import DatabaseError

from judging.domain.reasons import PauseReason
from judging.llm import Unavailable
from judging.models import Run
from judging.services import claims
from judging.services.asking import Answer, cut_off, refused_row, spared
from judging.services.budget import BudgetSpent
from judging.services.filling import save_answers
from judging.services.finishing import finish_run
from judging.services.flight import Flight
from judging.services.patience import patiently
from judging.services.plans import Plan
from judging.services.questions import Question, open_questions
from judging.services.runs import pause_run
from judging.services.stopping import is_stopping

_LANDING = 8.0  # seconds that a stopping worker waits for calls in flight
_SAVE_EVERY = 0.3  # seconds
_SAVE_AT = 50  # answers
_LOOK_AGAIN = 1.0  # seconds until the run's state, or for free rows, is looked at again
_REFUSALS_TO_PAUSE = 3  # failures of a juror without an answer between that say every call will fail


def running(run_id: int) -> Run | None:
    """The run with all that its plan needs, if it is running."""
    chosen = Run.objects.select_related("judge_version__judge", "criteria_version__criteria_set")
    return chosen.filter(pk=run_id, state=Run.State.RUNNING).first()


class Pump:
    """One process's work on one run: rows held, questions in line and in the air, answers to save."""

    def __init__(self, plan: Plan, process: str) -> None:
        self.plan = plan
        self.worker = f"{process}:{secrets.token_hex(4)}"
        self.flight = Flight(plan)
        self.open: Counter[int] = Counter()  # rows held, with the number of their questions not saved yet
        self.unsaved: list[Answer] = []
        self.refused: dict[int, list[int]] = defaultdict(list)  # by juror: verdicts since its last answer
        self.tries: Counter[int] = Counter()  # by verdict: failures that looked like those of every call
        self.answered: set[int] = set()  # jurors
        self.on = True  # the run is running and this process may go on with it
        self.alone = False  # the row held is a suspect
        now = monotonic()
        self.saved_at = self.renewed_at = self.looked_at = now
        self.claim_at = now

    def work(self, seconds: float) -> bool:
        """Work until nothing is free, somebody says stop or `seconds` are over; True when they are."""
        until = monotonic() + seconds
        try:
            while self.on and monotonic() < until:
                self.top_up()
                if not self.open:
                    break
                self.turn()
            self.wind_down()
        except BaseException as error:
            # The database may be what failed; then the leases run out instead.
            with contextlib.suppress(DatabaseError):
                self.give_back(attempted=isinstance(error, Exception))
            raise
        self.give_back(attempted=False)
        patiently(self.finish)
        return self.on and monotonic() >= until

    def turn(self) -> None:
        """One round: send, take in, save, hold on."""
        self.flight.send()
        for landed in self.flight.collect(0.05):
            self.take_in(landed)
        if len(self.unsaved) >= _SAVE_AT or monotonic() - self.saved_at >= _SAVE_EVERY:
            self.save()
        self.hold_on()

    def top_up(self) -> None:
        """Claim rows while fewer questions are in line than may be in flight: a save takes its time."""
        most: int = settings.VERA_CALLS_IN_FLIGHT
        wanted = ceil((2 * most - self.flight.waiting) / len(self.plan.jurors))
        if self.alone or self.flight.waiting > most or (self.open and monotonic() < self.claim_at):
            return
        try:
            rows = patiently(lambda: self.claim(wanted))
        except BudgetSpent as spent:
            self.pause(spent.reason, spent.detail)
            return
        if not rows:
            self.claim_at = monotonic() + _LOOK_AGAIN
        self.begin(rows)

    def claim(self, wanted: int) -> list[int]:
        rows = claims.claim(self.plan, self.worker, wanted)
        if not rows and not self.open:
            claims.park_lost(self.plan.run_id)
            rows = claims.claim_suspect(self.plan, self.worker)
            self.alone = bool(rows)
        return rows

    def begin(self, rows: list[int]) -> None:
        questions = patiently(lambda: open_questions(self.plan, rows)) if rows else []
        self.open.update(question.row.verdict_id for question in questions)
        asked = []
        for question in questions:
            if question.row.killed:
                self.unsaved.append(spared(self.plan, question))
            elif question.row.cut_off:
                self.unsaved.append(cut_off(self.plan, question))
            else:
                asked.append(question)
        self.flight.line_up(asked)

    def take_in(self, landed: Answer | tuple[Question, Unavailable]) -> None:
        if isinstance(landed, Answer):
            self.unsaved.append(landed)
            if landed.answered_model or landed.raw_reply:
                self.refused[landed.question.juror_id].clear()
                self.answered.add(landed.question.juror_id)
            return
        question, failure = landed
        refused = self.refused[question.juror_id]
        refused.append(question.verdict_id)
        self.tries[question.verdict_id] += 1
        # A juror that answers otherwise may yet be refused one row, say by a provider's firewall.
        distinct = set(refused) if question.juror_id in self.answered else refused
        if len(distinct) >= _REFUSALS_TO_PAUSE:
            self.pause(PauseReason(failure.code), failure.detail)
        elif self.tries[question.verdict_id] >= _REFUSALS_TO_PAUSE:
            self.unsaved.append(refused_row(self.plan, question, failure))
        else:
            self.flight.line_up([question])

    def save(self) -> None:
        self.saved_at = monotonic()
        if not self.unsaved:
            return
        patiently(lambda: save_answers(self.plan, self.unsaved))
        self.open.subtract(answer.question.row.verdict_id for answer in self.unsaved)
        self.open = +self.open
        self.alone = self.alone and bool(self.open)
        self.unsaved = []

    def hold_on(self) -> None:
        """Renew the lease in good time; notice that the run or the worker was told to stop."""
        now = monotonic()
        if now - self.renewed_at >= settings.VERA_CLAIM_LEASE / 4:
            self.renewed_at = now
            patiently(lambda: claims.renew(self.worker, list(self.open)))
        if now - self.looked_at >= _LOOK_AGAIN:
            self.looked_at = now
            self.on = self.on and patiently(lambda: running(self.plan.run_id)) is not None
        self.on = self.on and not is_stopping()

    def pause(self, reason: PauseReason, detail: str) -> None:
        patiently(lambda: pause_run(run_id=self.plan.run_id, reason=reason, detail=detail))
        self.on = False

    def wind_down(self) -> None:
        """Send nothing more, take in what is in the air; within a limit from when it was told to stop."""
        self.flight.ground()
        patience = _LANDING
        while self.flight.in_air and patience > 0:
            began = monotonic()
            for landed in self.flight.collect(0.05):
                if isinstance(landed, Answer):
                    self.unsaved.append(landed)
            if monotonic() - self.saved_at >= _SAVE_EVERY:
                self.save()
            self.hold_on()
            if not self.on:
                patience -= monotonic() - began
        self.save()

    def give_back(self, *, attempted: bool) -> None:
        self.flight.abandon()
        if self.open:
            claims.release(self.worker, list(self.open), attempted=attempted)

    def finish(self) -> None:
        if self.on:
            finish_run(run_id=self.plan.run_id)
