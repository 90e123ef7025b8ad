"""Jurors whose settings may be wrong: what would skip every row of a run is noticed before it does."""

from collections import defaultdict
from collections.abc import Sequence

from django.db import transaction

from judging.domain.reasons import PER_JUROR, PauseReason
from judging.domain.verdicts import Outcome
from judging.models import Verdict
from judging.services.answered_as import note_unsaved
from judging.services.answers import Answer
from judging.services.plans import Plan
from judging.services.runs import pause_run, resumed_after

_ENOUGH = 20  # skips for the one reason, and nothing else, that say every row will be skipped


class Doubts:
    """Holds back a juror's skips for a reason that its settings may bring upon every row, until it is known.

    A skip stays for good, so the rows had better go back unanswered where the run pauses. A juror that ever
    said anything else is trusted from then on.
    """

    def __init__(self) -> None:
        self._held: dict[int, list[Answer]] = defaultdict(list)
        self._trusted: set[int] = set()
        self._dropped = False

    def hear(self, answer: Answer) -> list[Answer]:
        """The answers that may be saved now that this one came; [] where it is held back."""
        juror = answer.question.juror_id
        if juror in self._trusted:
            return [answer]
        held = self._held[juror]
        if answer.reason in PER_JUROR and all(each.reason == answer.reason for each in held):
            held.append(answer)
            return []
        return [*self.trust(juror), answer]

    def ripe(self, idle: bool) -> dict[int, list[Answer]]:
        """By juror, what is held and must be decided upon; all of it where nothing else is to be done."""
        if self._dropped:
            return {}
        return {juror: held for juror, held in self._held.items() if held and (idle or len(held) >= _ENOUGH)}

    def let_go(self, juror: int) -> list[Answer]:
        """What was held of a juror, to be saved; what it says next is held again."""
        return self._held.pop(juror, [])

    def trust(self, juror: int) -> list[Answer]:
        """The same, and nothing of it is held any more."""
        self._trusted.add(juror)
        return self.let_go(juror)

    def drop(self) -> list[Answer]:
        """Hold nothing any more, now and from now on; what was held, whose rows go back."""
        dropped = [answer for held in self._held.values() for answer in held]
        self._held.clear()
        self._dropped = True
        return dropped


@transaction.atomic
def pause_over(plan: Plan, doubted: Answer, dropped: Sequence[Answer]) -> None:
    """Pause the run for what is doubted, and note who gave the answers dropped for it: no row tells it."""
    pause_run(run_id=plan.run_id, reason=PauseReason(doubted.reason), detail=doubted.detail)
    note_unsaved(plan, dropped)


def skips_every_row(plan: Plan, juror: int, held: list[Answer]) -> bool:
    """Whether all workers together heard nothing but this of the juror, and often enough to pause for it.

    Not where somebody resumed the run after just that: then the rows are to be skipped.
    """
    said = Verdict.objects.filter(
        run=plan.run_id, judge_version=juror, kind=Verdict.Kind.JUROR, reused_from=None
    )
    skipped = said.filter(outcome=Outcome.SKIPPED, reason=held[0].reason).count()
    return (
        len(held) + skipped >= _ENOUGH
        and not said.filter(outcome__in=(Outcome.PASS, Outcome.FAIL)).exists()
        and not resumed_after(plan.run_id, PauseReason(held[0].reason))
    )
