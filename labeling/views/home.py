"""The first page: the criteria sets somebody is a member of, and what there is to do in each."""

from collections import Counter
from dataclasses import dataclass

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.db.models import Count, OuterRef, QuerySet
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from labeling.access import get_set, led_sets, visible_sets
from labeling.models import Candidate, CriteriaSet, Slot
from labeling.views.scope import page_of
from vera_site.http import Request

SETS_PER_PAGE = 20


@dataclass(frozen=True, slots=True)
class Card:
    """One criteria set as its member sees it. `to_label`: rows that wait for this person."""

    criteria_set: CriteriaSet
    leads: bool
    to_label: int
    rows: int
    settled: int
    conflicts: int


@require_safe
@login_required
def home(request: Request) -> HttpResponse:
    page = page_of(visible_sets(request.user).select_related("live_version"), request, SETS_PER_PAGE)
    cards = make_cards(request.user, list(page.object_list))
    return render(request, "labeling/home.html", {"section": "sets", "page": page, "cards": cards})


@require_safe
@login_required
def criteria_set(request: Request, slug: str) -> HttpResponse:
    """The address of a set itself leads to its golden set."""
    return redirect("golden", get_set(request.user, slug).slug)


def make_cards(user: User, criteria_sets: list[CriteriaSet]) -> list[Card]:
    """The cards of these sets, in a number of queries that does not grow with theirs."""
    chosen = CriteriaSet.objects.filter(pk__in=[each.pk for each in criteria_sets])
    led = set(led_sets(user).filter(pk__in=chosen).values_list("pk", flat=True))
    waiting = rows_to_label(user, chosen)
    truths = truth_counts(chosen)
    return [
        Card(
            criteria_set=each,
            leads=each.pk in led,
            to_label=waiting.get(each.pk, 0),
            rows=sum(truths[each.pk].values()),
            settled=truths[each.pk]["pass"] + truths[each.pk]["fail"],
            conflicts=truths[each.pk]["unresolved"],
        )
        for each in criteria_sets
    ]


def rows_to_label(user: User, criteria_sets: "QuerySet[CriteriaSet]") -> dict[int, int]:
    """Rows under each set's live version that `user` could label now, by the set's id."""
    open_ones = Slot.objects.filter(
        state=Slot.State.OPEN, version__in=criteria_sets.values("live_version")
    ).new_to(user)
    now = timezone.now()
    free = open_ones.free(now) | open_ones.filter(labeler=user)
    counts = free.order_by().values("version__criteria_set").annotate(n=Count("candidate", distinct=True))
    return dict(counts.values_list("version__criteria_set", "n"))


def truth_counts(criteria_sets: "QuerySet[CriteriaSet]") -> dict[int, Counter[str | None]]:
    """Rows of each set by their truth under its live version: pass, fail, unresolved or None."""
    counts: dict[int, Counter[str | None]] = {
        pk: Counter() for pk in criteria_sets.values_list("pk", flat=True)
    }
    rows = (
        Candidate.objects.filter(criteria_set__in=criteria_sets)
        .with_truth(OuterRef("criteria_set__live_version"))
        .order_by()
        .values_list("criteria_set", "truth")
        .annotate(n=Count("pk"))
    )
    for criteria_set, truth, n in rows:
        counts[criteria_set][truth] += n
    return counts
