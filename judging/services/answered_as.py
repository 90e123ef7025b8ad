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

    Without a query where there are none: what a run's answers are called, its plan remembers.
    """
    seen = {_name(answer) for answer in answers if _tells(plan, answer)} - plan.noted
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


def _tells(plan: Plan, answer: Answer) -> bool:
    """Whether the answer says who answers now. One taken over from before does not.

    Of a juror that is pinned to a model, others get no verdict in: nobody need be told of them.
    """
    if answer.reused_from is not None or not (answer.answered_model or answer.provider_fingerprint):
        return False
    pinned = plan.jurors[answer.question.juror_id].params.get("expect_model")
    return not (pinned and answer.reason == SkipReason.WRONG_MODEL)
