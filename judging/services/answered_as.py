"""Noting by which names a juror's provider answers, with the answers that carry them."""

from collections.abc import Sequence
from functools import partial

from django.db import transaction
from django.utils import timezone

from judging.domain.reasons import SkipReason
from judging.models import AnsweredAs
from judging.services.answers import Answer
from judging.services.plans import Plan


def note_names(plan: Plan, answers: Sequence[Answer]) -> None:
    """Note the names that this run had not seen yet. Called in the transaction that saves the answers.

    Of a juror that is pinned to a model, others get no verdict in: nobody need be told of one now and then.
    """
    _note(plan, [answer for answer in answers if not _is_kept_out(plan, answer)])


def note_unsaved(plan: Plan, answers: Sequence[Answer]) -> None:
    """The same of answers that are not saved, because the run is paused over them: its juror gave no other.

    Then the pinned model does not answer at all, so what its certificate says of it helps nobody.
    """
    _note(plan, answers)


def _note(plan: Plan, answers: Sequence[Answer]) -> None:
    """Without a query where there is nothing new: what a run's answers are called, its plan remembers."""
    seen = {_name(answer) for answer in answers if _tells(answer)} - plan.noted
    if not seen:
        return
    now = timezone.now()
    AnsweredAs.objects.bulk_create(
        [
            AnsweredAs(
                run_id=plan.run_id,
                judge_version_id=juror,
                model=model,
                provider_fingerprint=fingerprint,
                seen_at=now,
            )
            for juror, model, fingerprint in sorted(seen)
        ],
        ignore_conflicts=True,  # another worker on the same run has noted it
    )
    transaction.on_commit(partial(plan.noted.update, seen))


def _name(answer: Answer) -> tuple[int, str, str]:
    return answer.question.juror_id, answer.answered_model, answer.provider_fingerprint


def _tells(answer: Answer) -> bool:
    """Whether the answer says who answers now. One taken over from before does not."""
    return answer.reused_from is None and bool(answer.answered_model or answer.provider_fingerprint)


def _is_kept_out(plan: Plan, answer: Answer) -> bool:
    pinned = plan.jurors[answer.question.juror_id].params.get("expect_model")
    return bool(pinned) and answer.reason == SkipReason.WRONG_MODEL
