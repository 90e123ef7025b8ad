"""The guide: six steps from criteria to a certificate, with what is there and the one thing to do next."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from judging.access import check_lead
from judging.services.journey import steps_of
from judging.services.journey_facts import facts_of
from judging.views.replays import next_replay
from labeling.access import get_led_set, led_sets
from labeling.models import CriteriaSet
from labeling.services.counts import counts_of
from labeling.views.home import make_cards
from labeling.views.scope import head, page_of
from vera_site.http import Request

_SETS_PER_PAGE = 20


@require_safe
@login_required
def guide(request: Request) -> HttpResponse:
    """Where to begin: the only set's guide, a choice of sets, or the steps of an empty installation."""
    check_lead(request.user)
    page = page_of(
        led_sets(request.user).filter(archived_at=None).select_related("live_version"),
        request,
        _SETS_PER_PAGE,
    )
    found = list(page.object_list)
    if len(found) == 1 and not page.has_other_pages():
        return redirect("set_guide", found[0].slug)
    context = {"section": "guide", "page": page, "cards": make_cards(request.user, found)}
    context["steps"] = [] if found else steps_of(None)
    return render(request, "judging/guide.html", context)


@require_safe
@login_required
def set_guide(request: Request, slug: str) -> HttpResponse:
    """The six steps of one criteria set."""
    criteria_set = get_led_set(request.user, slug)
    counts = counts_of(request.user, CriteriaSet.objects.filter(pk=criteria_set.pk))
    [facts] = facts_of([criteria_set], counts, timezone.now())
    steps = steps_of(facts)
    certified = [standing for standing in facts.standings if standing.certified]
    context = head(request.user, criteria_set, "guide") | {"section": "guide", "steps": steps}
    context |= {"done": sum(step.state == "done" for step in steps), "certified": certified[:1]}
    context["replay"] = next_replay(certified[0]) if certified else None
    return render(request, "judging/set_guide.html", context)
