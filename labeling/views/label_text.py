"""The rest of a text that is too long for the page it is on, fetched stretch by stretch."""

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET
from django.views.decorators.vary import vary_on_headers

from labeling.access import get_set
from labeling.domain.visible import visible
from labeling.views.label import logged_in
from vera_site.http import Request, part

TEXTS = ("request", "output", "grounding", "criteria_text")
CHUNK = 100_000  # characters of a long text that are fetched at once


@require_GET
@logged_in
@vary_on_headers("HX-Request")
def text(request: Request, slug: str, candidate_id: int, field: str) -> HttpResponse:
    """The next stretch of a text that is too long for one page."""
    criteria_set = get_set(request.user, slug)
    candidate = get_object_or_404(criteria_set.candidates, pk=candidate_id)
    place = request.GET.get("from", "0")
    if field not in TEXTS or not (place.isascii() and place.isdigit()):
        raise Http404
    whole, start = getattr(candidate, field), int(place[:12])
    context = {
        "criteria_set": criteria_set,
        "section": "sets",
        "candidate": candidate,
        "field": field.replace("_", " "),
        "from": start + 1,
        "blocks": [{"kind": "text", "pieces": visible(whole[start : start + CHUNK])}],
        "start": start + CHUNK,
        "unsent": max(len(whole) - start - CHUNK, 0),
        "rest_url": request.path,
    }
    return render(request, part(request, "labeling/label_text_page.html", "more"), context)
