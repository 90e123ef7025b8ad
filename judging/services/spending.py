"""What a run has spent, counted on the run as its verdicts are filled: budgets cost the same at any size."""

from collections.abc import Collection
from decimal import Decimal

from django.db.models import F

from judging.models import Run
from judging.services.answers import Answer

_STORED = Decimal("0.00000001")  # dollars: as finely as a verdict's cost is kept


def count_spent(run_id: int, answers: Collection[Answer]) -> None:
    """Add what these answers cost, in the transaction that fills their verdicts.

    Never taken back: what is asked again was paid all the same, and `SkippedAttempt` keeps it. Calls that
    were counted before their question had an answer are not counted twice.
    """
    asked = [answer for answer in answers if answer.reused_from is None]
    priced = [answer.cost for answer in asked if answer.cost is not None]
    calls = sum(answer.calls - answer.question.sent.counted for answer in asked)
    unpriced = sum(answer.cost is None and has_reply(answer) for answer in asked)
    if not (calls or priced or unpriced):
        return
    Run.objects.filter(pk=run_id).update(
        calls_made=F("calls_made") + calls,
        cost_made=F("cost_made") + sum((cost.quantize(_STORED) for cost in priced), Decimal(0)),
        priced_replies=F("priced_replies") + len(priced),
        unpriced_replies=F("unpriced_replies") + unpriced,
    )


def has_reply(answer: Answer) -> bool:
    """Whether something came back that has a price, known or not."""
    return bool(answer.answered_model) or answer.prompt_tokens is not None
