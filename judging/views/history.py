"""The life of a certificate: every event and its cause, and what to do while it is suspended."""

from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.db.models import Count, Max, QuerySet
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from judging.domain.certificate_states import MEANINGS, state_of
from judging.domain.reasons import Reason
from judging.domain.replay_findings import PASSES_TO_LIFT, SUMMARIES, ReplayFinding, passed_in_a_row
from judging.forms.lifting import LiftForm
from judging.models import Certificate, Run
from judging.services.certificates import suspensions
from judging.services.replay_alarms import (
    findings_since_certified,
    findings_since_suspended,
    said_by_replays,
    suspended_by,
)
from judging.services.runs import CannotRun
from judging.services.standing import Standing
from judging.services.starting import start_once
from judging.services.suspending import CannotReinstate, reinstate
from judging.tasks import start_work
from judging.views.certificate_events import meanings, state_words, told, ways
from judging.views.dashboard import standing_or_404
from judging.views.replays import paused_replay
from judging.views.step_links import calibrate_url
from judging.views.tabs import page_about
from labeling.models import CriteriaVersion, Exposure
from labeling.views.scope import page_of
from vera_site.http import Request

_PER_PAGE = 15
_MOST_READERS = 50


@dataclass(frozen=True, slots=True)
class Suspended:
    """Why and since when, and how far it is from being lifted by replays."""

    reasons: tuple[Reason, ...]
    since: datetime
    found: list[ReplayFinding]
    passed: int
    over: bool  # the certificate beneath has run out meanwhile
    needed: int = PASSES_TO_LIFT


@dataclass(frozen=True, slots=True)
class Reader:
    """Somebody who was shown a judge's verdict on so many certify rows, and when last."""

    name: str
    rows: int
    last: datetime


@login_required
@require_safe
def certificate_history(request: Request, judge: str, criteria: str) -> HttpResponse:
    """Every event of a certificate, the newest first."""
    standing = standing_or_404(request, judge, criteria)
    return render(request, "judging/history.html", _context(request, standing, LiftForm()))


@login_required
@require_POST
def certificate_lift(request: Request, judge: str, criteria: str) -> HttpResponse:
    """Lift the suspension; the form says why."""
    standing, form = standing_or_404(request, judge, criteria), LiftForm(request.POST)
    if not form.is_valid():
        return render(request, "judging/history.html", _context(request, standing, form), status=422)
    try:
        lifted = reinstate(
            judge_version_id=standing.judge_version.pk,
            criteria_version_id=standing.criteria_version.pk,
            now=timezone.now(),
            note=form.cleaned_data["reason"],
            actor=request.user,
        )
    except CannotReinstate as problem:
        messages.warning(request, str(problem))
    else:
        messages.success(request, _lifted_words(lifted))
    return redirect(_address(request, judge, criteria))


@login_required
@require_POST
def certificate_replay(request: Request, judge: str, criteria: str) -> HttpResponse:
    """Start a golden replay of these versions, or go to the one that is at work."""
    standing = standing_or_404(request, judge, criteria)
    try:
        run, is_new = start_once(
            judge_version=standing.judge_version,
            criteria_version=standing.criteria_version,
            kind=Run.Kind.REPLAY,
            actor=request.user,
        )
    except CannotRun as problem:
        messages.warning(request, str(problem))
        return redirect(_address(request, judge, criteria))
    if not is_new:
        messages.info(request, "A replay of these versions is at work already; here it is.")
    transaction.on_commit(partial(start_work, run.pk))
    return redirect("run", run.pk)


def _address(request: Request, judge: str, criteria: str) -> str:
    query = request.GET.urlencode()
    return reverse("certificate_history", args=[judge, criteria]) + (f"?{query}" if query else "")


def _lifted_words(lifted: Certificate) -> str:
    if lifted.status == Certificate.Status.CERTIFIED:
        return "The suspension is lifted: the judge may gate again, until the certificate expires."
    return "The suspension is lifted. Something else stands against the judge, so it may still not gate."


def _context(request: Request, standing: Standing, form: LiftForm) -> dict[str, Any]:
    state = state_of(
        standing.certificate.status if standing.certificate else None,
        [reason.code for reason in standing.reasons],
        over=not standing.certified,
    )
    page = page_of(_events(standing), request, _PER_PAGE)
    shown, earlier = list(page), _events(standing)[page.end_index() : page.end_index() + 1].first()
    context = page_about(standing, "certificate_history") | _replays(standing)
    return context | {
        "state": state_words(state),
        "meaning": MEANINGS[state],
        "page": page,
        "told": told(shown, earlier),
        "form": form,
        "paused_replay": paused_replay(standing),
        "readers": _readers(standing.criteria_version),
        "calibrate": calibrate_url(standing),
        "meanings": meanings(),
        "ways": ways(),
    }


def _events(standing: Standing) -> QuerySet[Certificate]:
    events = Certificate.objects.of_pair(standing.judge_version.pk, standing.criteria_version.pk)
    return events.select_related("actor", "calibration").order_by("-pk")


def _replays(standing: Standing) -> dict[str, Any]:
    """What the replays found: while the judge is suspended since then, while it is certified since then."""
    certificate, suspended = standing.certificate, _suspended(standing)
    if certificate is None or suspended or not standing.certified:
        return {"suspended": suspended}
    found = findings_since_certified(certificate)
    mean = SUMMARIES[said_by_replays(certificate, found, standing.now)] if found else ""
    return {"suspended": None, "found": found, "replays_mean": mean}


def _suspended(standing: Standing) -> Suspended | None:
    certificate = standing.certificate
    reasons = suspensions(certificate) if certificate else ()
    if certificate is None or not reasons:
        return None
    event, found = suspended_by(certificate), findings_since_suspended(certificate)
    since = event.created_at if event else certificate.created_at
    over = standing.now >= certificate.expires_at
    return Suspended(reasons, since, found, len(passed_in_a_row(found)), over)


def _readers(version: CriteriaVersion) -> list[Reader]:
    """Who was shown a judge's verdict on how many certify rows; the newest reader first."""
    shown = Exposure.objects.filter(
        version=version, what=Exposure.What.VERDICTS, candidate__split="certify"
    ).order_by()
    by_name = shown.values_list("user__username")
    counted = by_name.annotate(rows=Count("candidate", distinct=True), last=Max("shown_at"))
    return [Reader(*each) for each in counted.order_by("-last")[:_MOST_READERS]]
