"""The page that tells the example in the order in which a newcomer walks through it. Only in the demo."""

from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from demo.beside import RECORDED
from demo.example import DRAFT, LENIENT, PANEL
from demo.story import (
    Told,
    disagreements,
    first_answer,
    let_through,
    notes_once,
    nothing,
    story_set,
    typical,
    what_was_killed,
    what_was_said,
    what_was_spared,
)
from judging.services.disclosure import log_shown
from judging.views.figures import percent
from labeling.access import get_led_set
from labeling.models import CriteriaSet, CriteriaVersion
from labeling.views.golden import counts_of
from labeling.views.home import make_cards
from vera_site.http import Request


@login_required
@require_safe
def story(request: Request) -> HttpResponse:
    """Four stations; that the tune rows shown here were seen is noted, as everywhere."""
    found = story_set()
    if not settings.VERA_DEMO or found is None or found.live_version is None:
        raise Http404("There is no such page.")
    get_led_set(request.user, found.slug)
    context = _context(request, found, found.live_version)
    return render(request, "demo/story.html", context | {"section": "story"})


def _context(request: Request, criteria_set: CriteriaSet, version: CriteriaVersion) -> dict[str, Any]:
    said = what_was_said(PANEL, typical)
    differed = what_was_said(PANEL, disagreements)
    refused = what_was_said(LENIENT, let_through, beside=PANEL)
    said, differed, refused = notes_once(said, differed, refused)
    _log(request, said, differed, refused)
    return {
        "criteria_set": criteria_set,
        "counts": counts_of(version),
        "killed": what_was_killed(version),
        "spared": what_was_spared(version),
        "said": said,
        "differed": differed,
        "first": first_answer(PANEL),
        "refused": refused,
        "agreement": percent(refused.certificate.agreement) if refused else "",
        "panel": PANEL.partition("@")[0],
        "recorded": RECORDED,
        "draft": what_was_said(DRAFT, nothing),
        "card": make_cards(request.user, [criteria_set])[0],
    }


def _log(request: Request, *stations: Told | None) -> None:
    for told in filter(None, stations):
        shown = [row.verdict.candidate_id for row in told.rows]
        log_shown(reader=request.user, version=told.certificate.criteria_version, candidate_ids=shown)
