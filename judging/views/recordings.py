"""Judges whose verdicts come from a file: the form that brings one in."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from judging.access import check_lead
from judging.forms.recordings import RecordingForm
from judging.models import JudgeVersion
from judging.services.recordings import RecordingReport
from labeling.access import led_sets
from labeling.models import CriteriaSet
from vera_site.http import Request

_SHOWN_REFUSED = 200


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def judge_add_recorded(request: Request) -> HttpResponse:
    """Choose a file and what to take of it; where rows of it are refused, they are listed instead."""
    check_lead(request.user)
    if request.method == "POST":
        form = RecordingForm(request.POST, request.FILES, user=request.user)
    else:
        form = RecordingForm(user=request.user, initial=_start(request))
    report = form.load(request.user) if form.is_valid() else None
    if report is not None and report.kept:
        return _kept(request, report)
    context: dict[str, Any] = {"section": "judges", "form": form, "report": report}
    context |= {"refused": report.refused[:_SHOWN_REFUSED] if report else ()}
    wrong = form.is_bound and (report is None or not report.acceptable)
    return render(request, "judging/judge_recorded.html", context, status=422 if wrong else 200)


def _start(request: Request) -> dict[str, Any]:
    """What the address names: a set, or a recorded judge to load a corrected file for."""
    sets = led_sets(request.user)
    start: dict[str, Any] = {}
    if slug := request.GET.get("set"):
        start["criteria_set"] = CriteriaSet.objects.filter(pk__in=sets, slug=slug).first()
    named = JudgeVersion.objects.filter(judge__slug=request.GET.get("judge", ""), kind="recorded")
    if newest := named.select_related("judge", "recording").order_by("-number").first():
        assert newest.recording is not None
        start |= {"judge": newest.judge.slug, "name": newest.recording.source, "family": newest.family}
        start["criteria_set"] = newest.recording.criteria_set_id
    return start


def _kept(request: Request, report: RecordingReport) -> HttpResponse:
    messages.success(request, f"{report.headline} Calibrate before you trust.")
    for note in report.notes:
        messages.info(request, note)
    if len(report.judges) == 1:
        return redirect("judge", report.judges[0].slug)
    return redirect("judges")
