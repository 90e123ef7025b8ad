"""A run's budget in calls and in dollars, kept by all its workers together."""

from dataclasses import dataclass
from decimal import Decimal

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now

from judging.domain.backoff import MAX_RESENDS
from judging.domain.reasons import PauseReason
from judging.models import Run, Verdict
from judging.services.plans import Plan

_UNTIL_PRICED = 4  # calls that a budget in money allows before the first answer tells what one costs


class BudgetSpent(Exception):
    """No further row fits into the budget: the run must pause with this reason."""

    def __init__(self, reason: PauseReason, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail


@dataclass(frozen=True, slots=True)
class _Spent:
    """So far: calls and dollars, replies with their price known and not, and questions under way."""

    calls: int
    cost: Decimal
    priced: int
    unpriced: int
    under_way: int


def affordable(plan: Plan, rows: int) -> int:
    """How many of `rows` more the budget allows to claim now. Inside the transaction that claims.

    Questions under way anywhere are counted with all the calls that they may take, resends and a reply sent
    back included, so that no two workers spend one call twice. Near the end, where not even one row could
    have them all, a single row gets what is left, see `calls_each`. Raises `BudgetSpent` when nothing is
    under way and not one row is affordable.
    """
    if (plan.max_calls is None and plan.max_cost is None) or not plan.asked:
        return rows
    spent = _spent(plan)
    allowed = min(rows, _rows_left(plan, spent), _calls_worth(plan, spent) // _questions(plan))
    if (
        allowed <= 0
        and not spent.under_way
        and Verdict.objects.own().pending().filter(run=plan.run_id).exists()
    ):
        raise BudgetSpent(PauseReason.BUDGET_SPENT, _so_far(spent))
    return max(allowed, 0)


@transaction.atomic
def calls_each(plan: Plan) -> int | None:
    """How many calls each question of the rows just claimed may take; None without a budget in calls."""
    if plan.max_calls is None:
        return None
    spent, most = _spent(plan), _most_calls(plan)
    left = plan.max_calls - spent.calls
    # Where less than that is left, the row just claimed is the only one under way.
    return most if left >= most * spent.under_way else left // max(1, spent.under_way)


@transaction.atomic
def count_calls(run_id: int, calls: int) -> None:
    """Count calls that brought no answer to a question which stays open: they were made all the same."""
    if calls:
        Run.objects.filter(pk=run_id).update(calls_made=F("calls_made") + calls)


def _most_calls(plan: Plan) -> int:
    """How many calls a question takes at most: the first, its resends, and its reply sent back."""
    return 1 + MAX_RESENDS + any(juror.corrects for juror in plan.asked)


def _questions(plan: Plan) -> int:
    """How many jurors a row is asked of."""
    return max(1, len(plan.asked))


def _so_far(spent: _Spent) -> str:
    dollars = f", {spent.cost:.4f} dollars" if spent.priced else ""
    return f"{spent.calls} calls{dollars} so far."


def _spent(plan: Plan) -> _Spent:
    """The run's own counts, locked: the workers of one run take turns here. Nothing is summed up."""
    run = Run.objects.select_for_update(no_key=True).get(pk=plan.run_id)
    return _Spent(
        run.calls_made, run.cost_made, run.priced_replies, run.unpriced_replies, _under_way(plan.run_id)
    )


def _under_way(run_id: int) -> int:
    """Questions of the rows that some worker holds, asked or about to be; it looks at no other rows."""
    held = Verdict.objects.own().pending().filter(run=run_id, lease_until__gt=Now())
    kinds = dict(held.values_list("pk", "kind"))
    alone = sum(kind == Verdict.Kind.JUROR for kind in kinds.values())
    return alone + Verdict.objects.pending().filter(panel_verdict__in=list(kinds)).count()


def _rows_left(plan: Plan, spent: _Spent) -> int:
    if plan.max_calls is None:
        return 1_000_000
    most = _most_calls(plan)
    left = plan.max_calls - spent.calls - spent.under_way * most
    rows = left // (most * _questions(plan))
    return 1 if rows <= 0 and not spent.under_way and left >= _questions(plan) else rows


def _calls_worth(plan: Plan, spent: _Spent) -> int:
    """How many more calls the dollars left pay for at the present average price."""
    if plan.max_cost is None:
        return 1_000_000
    if spent.unpriced:
        raise BudgetSpent(PauseReason.PRICE_UNKNOWN, "A reply came whose price nobody knows.")
    if not spent.priced:
        return max(_UNTIL_PRICED, _questions(plan)) - spent.under_way
    left = plan.max_cost - spent.cost
    average = spent.cost / spent.priced
    return (int(left / average) if average else 1_000_000) - spent.under_way
