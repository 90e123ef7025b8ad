"""Runs: started with their expected cost in sight, watched, paused, resumed, cancelled."""

import math
import time
from datetime import timedelta
from functools import partial
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django.views.decorators.vary import vary_on_headers
from django_htmx.http import HttpResponseClientRefresh

from judging.access import check_lead, get_run
from judging.forms.runs import ResumeForm, RunForm
from judging.models import Certificate, Run
from judging.services.judges import missing_variables
from judging.services.progress import Progress, progress
from judging.services.retrying import retries_of, retry_skipped, retryable
from judging.services.run_rows import killed_of, newest_skips
from judging.services.runs import CannotRun, cancel_run
from judging.services.workers import workers_seen
from judging.tasks import start_work
from judging.views.judge_facts import scripted_words
from judging.views.pass_rates import rates_shown
from judging.views.run_consistency import steadiness_of
from judging.views.run_figures import (
    cost_words,
    duration,
    expected_cost,
    money_saved,
    pause_sentence,
    per_decision,
    saved_lines,
    skip_lines,
    time_left,
)
from judging.views.run_outcomes import outcomes_listed, outcomes_of
from judging.views.run_rows import alike
from labeling.access import led_sets
from labeling.views.scope import page_of
from vera_site.http import Request, part

_RUNS_PER_PAGE = 25
_KILLED_SHOWN, _FAILURES_SHOWN = 50, 5
_FIRST_SECONDS = timedelta(seconds=20)  # before the first row may well be back
# A page that watches a run asks every two seconds, but never so often that counting takes over a twentieth
# of the time: a run of 200 000 verdicts takes a while to count, and hours to finish.
_SOONEST, _LATEST, _IDLE = 2, 60, 20


@require_safe
@login_required
def runs(request: Request) -> HttpResponse:
    """The runs on the criteria sets that the reader leads, newest first."""
    check_lead(request.user)
    found = Run.objects.filter(criteria_version__criteria_set__in=led_sets(request.user))
    named = found.select_related("judge_version__judge", "criteria_version__criteria_set")
    page = page_of(named, request, _RUNS_PER_PAGE)
    context = {"section": "runs", "page": page, "rows": outcomes_listed(list(page))}
    return render(request, "judging/runs.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@vary_on_headers("HX-Request")
def run_new(request: Request) -> HttpResponse:
    """Choose, look at the expected calls and cost, start."""
    check_lead(request.user)
    form = RunForm(request.POST or request.GET or None, user=request.user)
    if not {"judge_version", "criteria_version", "rows"} <= form.data.keys():
        form = RunForm(initial=request.GET.dict(), user=request.user)
    expected = form.estimate() if form.is_bound else None
    if request.method == "POST" and expected and (started := form.start(expected, request.user)):
        return _started(request, *started)
    context: dict[str, Any] = {"section": "runs", "form": form, "expected": expected}
    if expected:
        judge = form.cleaned_data["judge_version"]
        context |= {"cost": expected_cost(expected), "scripted": scripted_words(judge), "judge": judge}
        context |= {"missing": missing_variables(judge), "sent": form.sent, "warnings": form.warnings}
    template = part(request, "judging/run_new.html", "estimate")
    status = 422 if request.method == "POST" else 200
    return render(request, template, context, status=status)


def _started(request: Request, run: Run, is_new: bool) -> HttpResponse:
    if not is_new:
        messages.info(request, "This judge is at work on these criteria already; here is that run.")
    transaction.on_commit(partial(start_work, run.pk))
    return redirect("run", run.pk)


@require_safe
@login_required
@vary_on_headers("HX-Request")
def run(request: Request, pk: int) -> HttpResponse:
    """A run with its live progress. Asked by htmx, the progress alone; the whole page once it has stopped."""
    found = get_run(request.user, pk)
    if request.htmx and found.state != Run.State.RUNNING:
        return HttpResponseClientRefresh()
    return render(request, part(request, "judging/run.html", "progress"), _context(found))


def _context(found: Run, form: ResumeForm | None = None) -> dict[str, Any]:
    began = time.perf_counter()
    figures = progress(found)
    failures = newest_skips(found, _FAILURES_SHOWN) if figures.skips else []
    every = seconds_between(time.perf_counter() - began)
    again = retryable(found)
    no_worker = found.state == Run.State.RUNNING and not workers_seen(timezone.now())
    return {
        "section": "runs",
        "run": found,
        "retryable": again,
        "asked_again": sum(again.values()),
        "figures": figures,
        "every": every,
        "every_plain": max(every, 10),  # a whole page is loaded anew without JavaScript
        "outcomes": outcomes_of(found, figures),
        "took": duration(found),
        "skips": skip_lines(figures),
        "killed": killed_of(found)[:_KILLED_SHOWN] if figures.killed else (),
        "failures": alike(failures),
        "saved": saved_lines(figures),
        "money_saved": money_saved(figures),
        "cost": cost_words(figures),
        "per_decision": per_decision(figures),
        "retries": retries_of(found),
        "steady": steadiness_of(found) if _is_measured(found) else None,
        "rates": rates_shown(found),
        "time_left": time_left(figures),
        "pause": pause_sentence(found),
        "no_worker": no_worker,
        "is_stalled": not no_worker and _is_stalled(found, figures),
        "scripted": scripted_words(found.judge_version),
        "certificate": _certificate(found),
        "form": form or ResumeForm(),
    }


def _is_stalled(found: Run, figures: Progress) -> bool:
    """Whether a run that is under way has brought nothing lately, after its first seconds."""
    began = timezone.now() - found.created_at > _FIRST_SECONDS
    return found.state == Run.State.RUNNING and began and not figures.rate


def _is_measured(found: Run) -> bool:
    return found.kind == Run.Kind.CONSISTENCY and found.state != Run.State.RUNNING


def _certificate(found: Run) -> Certificate | None:
    """What the run itself said last; later corrections of labels are not its doing."""
    causes = [Certificate.Cause.RUN, Certificate.Cause.RETRY]
    return Certificate.objects.filter(calibration__run=found, cause__in=causes).order_by("-pk").first()


def seconds_between(counting: float) -> int:
    """How many seconds a page waits before it asks again, when counting took `counting` seconds."""
    return min(_LATEST, max(_SOONEST, math.ceil(counting * _IDLE)))


@require_POST
@login_required
def run_resume(request: Request, pk: int) -> HttpResponse:
    """Let a paused run go on."""
    found = get_run(request.user, pk)
    form = ResumeForm(request.POST)
    if not form.is_valid():
        return render(request, "judging/run.html", _context(found, form), status=422)
    try:
        form.save(found, request.user)
    except CannotRun as problem:
        messages.warning(request, str(problem))
    else:
        transaction.on_commit(partial(start_work, found.pk))
    return redirect("run", pk)


@require_POST
@login_required
def run_retry(request: Request, pk: int) -> HttpResponse:
    """Ask again, in the same run, what failed for a passing reason."""
    found = get_run(request.user, pk)
    try:
        retry_skipped(run=found, actor=request.user)
    except CannotRun as problem:
        messages.warning(request, str(problem))
    else:
        transaction.on_commit(partial(start_work, found.pk))
    return redirect("run", pk)


@require_POST
@login_required
def run_cancel(request: Request, pk: int) -> HttpResponse:
    """End a run early."""
    found = get_run(request.user, pk)
    try:
        cancel_run(run=found, actor=request.user)
    except CannotRun as problem:
        messages.warning(request, str(problem))
    return redirect("run", pk)
