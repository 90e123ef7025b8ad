"""The first page: the criteria sets somebody is a member of, and the one thing to do next in each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from labeling.access import get_set, led_sets, visible_sets
from labeling.models import CriteriaSet
from labeling.services.counts import counts_of
from labeling.services.next_steps import NextStep, next_steps
from labeling.views.scope import page_of
from vera_site.http import Request

SETS_PER_PAGE = 20
MOST_ARCHIVED = 200


@dataclass(frozen=True, slots=True)
class Card:
    """One criteria set as its member sees it. `to_label`: rows that wait for them; `today`: those decided.

    `next`: what a lead does next; None for labelers, and where nothing is left to do.
    """

    criteria_set: CriteriaSet
    leads: bool
    to_label: int
    today: int
    rows: int
    settled: int
    conflicts: int
    next: NextStep | None

    @property
    def goal_left(self) -> int:
        """Rows until today's goal; 0 where it is reached or there is none."""
        return max(self.criteria_set.daily_goal - self.today, 0)


@require_safe
@login_required
def home(request: Request) -> HttpResponse:
    sets = visible_sets(request.user)
    in_use = sets.filter(archived_at=None).select_related("live_version")
    page = page_of(in_use, request, SETS_PER_PAGE)
    cards = make_cards(request.user, list(page.object_list))
    context: dict[str, Any] = {"section": "sets", "page": page, "cards": cards}
    context["archived"] = sets.exclude(archived_at=None).order_by("-archived_at")[:MOST_ARCHIVED]
    context["restorable"] = set(led_sets(request.user).exclude(archived_at=None).values_list("pk", flat=True))
    context["leads"] = request.user.is_superuser or any(card.leads for card in cards)
    return render(request, "labeling/home.html", context)


@require_safe
@login_required
def criteria_set(request: Request, slug: str) -> HttpResponse:
    """The address of a set itself leads to its golden set."""
    return redirect("golden", get_set(request.user, slug).slug)


def make_cards(user: User, criteria_sets: Sequence[CriteriaSet]) -> list[Card]:
    """The cards of these sets, in a number of queries that does not grow with theirs."""
    chosen = CriteriaSet.objects.filter(pk__in=[each.pk for each in criteria_sets])
    led = set(led_sets(user).filter(pk__in=chosen).values_list("pk", flat=True))
    counts = counts_of(user, chosen)
    advice: Mapping[int, NextStep] = next_steps([each for each in criteria_sets if each.pk in led], counts)
    return [
        Card(
            criteria_set=each,
            leads=each.pk in led,
            to_label=counts[each.pk].to_label,
            today=counts[each.pk].today,
            rows=counts[each.pk].rows,
            settled=counts[each.pk].settled,
            conflicts=counts[each.pk].conflicts,
            next=advice.get(each.pk),
        )
        for each in criteria_sets
    ]
