"""Who reads certifications, and who has proved that it stops."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from judging.access import check_lead
from judging.models import Drill, Judge
from judging.services.consumers import readers_on, silent_tokens, tally, with_drills
from labeling.access import led_sets
from labeling.views.scope import page_of
from vera_site.http import Request

_PER_PAGE = 25


@require_safe
@login_required
def consumers(request: Request) -> HttpResponse:
    """Every consumer of the criteria sets that the reader leads, and those that could be one."""
    check_lead(request.user)
    now, sets = timezone.now(), led_sets(request.user)
    readers = readers_on(sets, now)
    page = page_of(readers, request, _PER_PAGE)
    shown = with_drills(page)
    context = {
        "section": "dashboard",
        "page": page,
        "shown": shown,
        "tally": tally(readers),
        "silent": silent_tokens(sets, now),
        "answers": Drill.Answer.choices,
        "judge": shown[0].reader.judge if shown else Judge.objects.exclude(live_version=None).first(),
        "criteria": shown[0].reader.criteria_set if shown else sets.first(),
    }
    return render(request, "judging/consumers.html", context)
