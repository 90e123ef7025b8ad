"""The single rows of a run: what was skipped and why, and verdicts once the reader has opened them."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.http import require_http_methods, require_safe

from judging.access import get_run
from judging.domain.reasons import SKIP_SENTENCES, SkipReason
from judging.forms.runs import SkipFilter, VerdictFilter
from judging.services.run_rows import (
    closed_of,
    open_verdicts,
    opened_of,
    skip_counts,
    skipped_of,
    without_verdict,
)
from labeling.views.scope import page_of
from vera_site.http import Request

_PER_PAGE = 20


@require_safe
@login_required
def run_skips(request: Request, pk: int) -> HttpResponse:
    """The calls that brought no verdict, with the raw replies. Nothing of a verdict is here."""
    run = get_run(request.user, pk)
    found, form = skipped_of(run), SkipFilter(request.GET, counts=skip_counts(run))
    if form.is_valid() and form.cleaned_data["reason"]:
        found = found.filter(reason=form.cleaned_data["reason"])
    page = page_of(found, request, _PER_PAGE)
    shown = [(verdict, SKIP_SENTENCES[SkipReason(verdict.reason)]) for verdict in page]
    context = {"section": "runs", "run": run, "form": form, "page": page, "shown": shown}
    return render(request, "judging/run_skips.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def run_verdicts(request: Request, pk: int) -> HttpResponse:
    """The verdicts on rows that the reader has opened; opening more is a deliberate act, and logged."""
    run, form = get_run(request.user, pk), VerdictFilter(request.GET)
    outcome = form.cleaned_data["outcome"] if form.is_valid() else ""
    if request.method == "POST":
        open_verdicts(run=run, reader=request.user, outcome=outcome, most=_PER_PAGE)
        return HttpResponseRedirect(request.get_full_path())
    opened, closed = opened_of(run, request.user), closed_of(run, request.user)
    if outcome:
        opened, closed = opened.filter(outcome=outcome), closed.filter(outcome=outcome)
    page = page_of(opened.with_answers().order_by("pk"), request, _PER_PAGE)
    left = closed.count()
    context: dict[str, Any] = {"section": "runs", "run": run, "form": form, "page": page}
    context |= {"closed": left, "most": min(left, _PER_PAGE)}
    context["without"] = 0 if outcome else without_verdict(run)
    return render(request, "judging/run_verdicts.html", context)
