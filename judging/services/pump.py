"""The pump: claims rows of a run, keeps the calls in flight, saves what comes back, renews its leases."""

import secrets
from collections import Counter, defaultdict
from functools import partial
from itertools import groupby
from math import ceil, inf
from time import monotonic

from django.conf import settings

from judging.domain.early_stop import ask_next
from judging.domain.reasons import PauseReason, SkipReason
from judging.llm import Unavailable
from judging.models import Run
from judging.services import claims
from judging.services.answers import Answer, refused_row
from judging.services.budget import BudgetSpent, calls_each, count_calls
from judging.services.doubts import Doubts, pause_over, skips_every_row
from judging.services.filling import save_answers
from judging.services.finishing import finish_run
from judging.services.flight import Flight
from judging.services.gatekeeping import tend, withdraw
from judging.services.patience import patiently
from judging.services.plans import Plan
from judging.services.questions import Question, open_questions
from judging.services.runs import pause_run
from judging.services.stopping import is_stopping
from judging.services.turns import Next, Turns
from judging.services.unasked import decided, known_answer

_LANDING = 8.0  # seconds that a stopping worker waits for calls in flight
_SAVE_EVERY = 0.3  # seconds
_SAVE_AT = 50  # answers
_UNASKED_AT_ONCE = 500  # rows, where every verdict was brought in from a file
_LOOK_AGAIN = 1.0  # seconds until the run's state, or for free rows, is looked at again
_REFUSALS_TO_PAUSE = 3  # failures of a juror without an answer between that say every call will fail


def running(run_id: int) -> Run | None:
    """The run with all that its plan needs, if it is running."""
    chosen = Run.objects.select_related("judge_version__judge", "criteria_version__criteria_set")
    return chosen.filter(pk=run_id, state=Run.State.RUNNING).first()


class Pump:
    """One process's work on one run: rows held, questions in line and in the air, answers to save.

    Whoever has one calls `step` until it says that nothing is left, then `close`. No step waits longer than
    it is told to, but for the database, so that one thread can drive several.
    """

    def __init__(self, plan: Plan, process: str) -> None:
        self.plan = plan
        self.worker = f"{process}:{secrets.token_hex(4)}"
        self.flight = Flight(plan)
        self.turns = Turns(plan)
        self.open: Counter[int] = Counter()  # rows held, with the number of their questions not saved yet
        self.asked: set[Question] = set()  # of the rows held, without a saved answer
        self.touched: list[int] = []  # rows being begun or saved: what fails then may be their fault
        self.unsaved: list[Answer] = []
        self.doubts = Doubts()
        self.refused: dict[int, list[int]] = defaultdict(list)  # by juror: verdicts since its last answer
        self.tries: Counter[int] = Counter()  # by verdict: failures that looked like those of every call
        self.answered: set[int] = set()  # jurors
        self.on = True  # the run is running and this process may go on with it
        self.alone = False  # the row held is a suspect
        self.starved = False  # a question has used up its calls: nothing is claimed until the others landed
        self.grounded = False  # nothing more is claimed or sent
        now = monotonic()
        self.saved_at = self.renewed_at = self.looked_at = now
        self.claim_at = now
        self.leave_at = inf  # what is in the air is not waited for any longer

    def step(self, wait: float) -> bool:
        """One round: claim, send, take in (for `wait` seconds at most), save, hold on.

        False once nothing is free and nothing is in the air.
        """
        if not self.grounded:
            self.top_up()
            self.settle(idle=not len(self.flight))
            if not (self.on and self.open):
                self.ground()
        self.flight.send()
        tend()
        for landed in self.flight.collect(0 if self.grounded and not self.flight.in_air else wait):
            self.take_in(landed)
        if (
            len(self.unsaved) >= _SAVE_AT
            or monotonic() - self.saved_at >= _SAVE_EVERY
            or not len(self.flight)
        ):
            self.save()
        self.hold_on()
        return not self.grounded or (self.flight.in_air > 0 and monotonic() < self.leave_at)

    def ground(self) -> None:
        """Send nothing more; what is in the air is taken in, within a limit once the worker must stop."""
        self.grounded = True
        self.flight.ground()

    def close(self) -> None:
        """Save, give back what is not answered, and finish the run where nothing of it is left."""
        for juror in self.doubts.ripe(idle=True):
            self.unsaved += self.doubts.let_go(juror)
        self.save()
        self.give_back(attempted=False)
        withdraw()
        if self.on:
            patiently(lambda: finish_run(run_id=self.plan.run_id))

    def give_back(self, *, attempted: bool) -> None:
        """Let others have the rows held. `attempted`: this process failed, over those it was at, if any."""
        self.flight.abandon()
        self.count_unanswered()
        charged = set(self.touched) if attempted else set()
        for rows, counts in ((charged, True), ({*self.open, *self.touched} - charged, False)):
            if rows:
                claims.release(self.worker, list(rows), attempted=counts)

    def count_unanswered(self) -> None:
        """Count the calls made for questions that go back without an answer."""
        made = sum(question.sent.calls - question.sent.counted for question in self.asked)
        if made:
            count_calls(self.plan.run_id, made)
        for question in self.asked:
            question.sent.counted = question.sent.calls

    def start_over(self) -> None:
        """Give back the rows whose questions have used up their calls; whoever claims them has new ones."""
        self.save()
        patiently(lambda: self.give_back(attempted=False))
        self.asked.clear()
        self.open.clear()
        self.alone = self.starved = False

    def top_up(self) -> None:
        """Claim rows while fewer questions are in line than may be in flight: a save takes its time."""
        wanted = ceil((2 * self.flight.most - self.flight.waiting) / self.asked_first)
        if not self.plan.asked:
            wanted = _UNASKED_AT_ONCE
        crowded = self.flight.waiting > self.flight.most
        if self.starved and not len(self.flight) and not self.doubts.ripe(idle=True):
            self.start_over()
        if self.starved or self.alone or crowded or (self.open and monotonic() < self.claim_at):
            return
        try:
            rows = patiently(lambda: self.claim(wanted))
        except BudgetSpent as spent:
            self.pause(spent.reason, spent.detail)
            return
        if not rows:
            self.claim_at = monotonic() + _LOOK_AGAIN
        self.begin(rows)

    @property
    def asked_first(self) -> int:
        """How many questions a row brings into the line when it is claimed."""
        jurors = max(1, len(self.plan.asked))
        return min(jurors, ask_next(len(self.plan.jurors), [])) if self.plan.stops_early else jurors

    def claim(self, wanted: int) -> list[int]:
        rows = claims.claim(self.plan, self.worker, wanted)
        if not rows and not self.open:
            claims.park_lost(self.plan.run_id)
            rows = claims.claim_suspect(self.plan, self.worker)
            self.alone = bool(rows)
        return rows

    def begin(self, rows: list[int]) -> None:
        """Answer what is known already, and line up whom to ask first about each row."""
        if not rows:
            return
        self.touched = rows
        questions = patiently(lambda: open_questions(self.plan, rows))
        most = patiently(lambda: calls_each(self.plan))
        for question in questions:
            question.sent.most = most
        self.open.update(question.row.verdict_id for question in questions)
        for _, of_row in groupby(questions, key=lambda question: question.row.verdict_id):
            self.begin_row(list(of_row))
        self.touched = []

    def begin_row(self, questions: list[Question]) -> None:
        known = {question: known_answer(self.plan, question) for question in questions}
        at_once = [answer for answer in known.values() if answer]
        self.unsaved += at_once
        said = [*questions[0].row.said, *(answer.outcome for answer in at_once)]
        self.go_on(self.turns.begin([question for question in questions if not known[question]], said))

    def go_on(self, following: Next) -> None:
        asked, unneeded = following
        self.unsaved += [decided(self.plan, question) for question in unneeded]
        if not self.grounded:
            self.asked.update(asked)
            self.flight.line_up(asked)

    def settle(self, *, idle: bool) -> None:
        """Decide on skips that were held back: either the run pauses, or they are saved after all."""
        for juror, held in self.doubts.ripe(idle).items():
            if patiently(partial(skips_every_row, self.plan, juror, held)):
                self.ground()  # before the pause is written down: meanwhile more would be sent
                dropped = self.doubts.drop()
                patiently(partial(pause_over, self.plan, held[0], dropped))
                self.on = False
                return
            self.unsaved += self.doubts.let_go(juror) if idle else self.doubts.trust(juror)

    def keep(self, answer: Answer) -> None:
        self.unsaved += self.doubts.hear(answer)
        self.go_on(self.turns.heard(answer.question.row.verdict_id, answer.outcome))

    def take_in(self, landed: Answer | tuple[Question, Unavailable]) -> None:
        if isinstance(landed, Answer):
            self.keep(landed)
            if landed.answered_model or landed.raw_reply:
                self.refused[landed.question.juror_id].clear()
                self.answered.add(landed.question.juror_id)
            return
        if self.grounded:
            return  # its row goes back, and who asks again will see
        question, failure = landed
        if failure.code == SkipReason.BUDGET_SPENT:
            self.starved = True
            return
        refused = self.refused[question.juror_id]
        refused.append(question.verdict_id)
        self.tries[question.verdict_id] += 1
        # A juror that answers otherwise may yet be refused one row, say by a provider's firewall.
        distinct = set(refused) if question.juror_id in self.answered else refused
        if len(distinct) >= _REFUSALS_TO_PAUSE or question.sent.is_spent:
            self.pause(PauseReason(failure.code), failure.detail)
        elif self.tries[question.verdict_id] >= _REFUSALS_TO_PAUSE:
            self.keep(refused_row(self.plan, question, failure))
        else:
            question.sent.resends += 1
            self.flight.line_up([question])

    def save(self) -> None:
        self.saved_at = monotonic()
        if not self.unsaved:
            return
        self.touched = [answer.question.row.verdict_id for answer in self.unsaved]
        patiently(lambda: save_answers(self.plan, self.unsaved))
        self.touched = []
        self.asked.difference_update(answer.question for answer in self.unsaved)
        self.open.subtract(answer.question.row.verdict_id for answer in self.unsaved)
        self.open = +self.open
        self.alone = self.alone and bool(self.open)
        self.unsaved = []
        if self.plan.max_calls is not None:
            self.claim_at = self.saved_at  # what these answers did not use may be claimed now

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
        if not self.on:
            self.leave_at = min(self.leave_at, now + _LANDING)
            self.ground()

    def pause(self, reason: PauseReason, detail: str) -> None:
        self.ground()
        patiently(lambda: pause_run(run_id=self.plan.run_id, reason=reason, detail=detail))
        self.on = False
