"""Trying a judge: choose what on, watch it being asked, see all that was sent and said."""

from datetime import datetime
from decimal import Decimal
from functools import partial
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import QuerySet
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe
from django.views.decorators.vary import vary_on_headers

from judging.access import check_lead
from judging.forms.trying import CriteriaForm, TrialForm, chosen_criteria
from judging.models import JudgeVersion, Trial
from judging.services.connections import Environments
from judging.services.examples import example_notes
from judging.services.judges import with_jurors
from judging.services.trial_answers import texts_of
from judging.services.trials import KEPT, log_reader
from judging.tasks import send_trial
from judging.views.judge_facts import scripted_words
from judging.views.judges import version_or_404
from judging.views.run_figures import dollars
from labeling.access import leads, led_sets, visible_sets
from vera_site.http import Request, part

_LISTED = 5


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@vary_on_headers("HX-Request")
def judge_try(request: Request, slug: str) -> HttpResponse:
    """Choose criteria and what to judge. Asked by htmx, only what is there to choose under those criteria."""
    check_lead(request.user)
    judge = version_or_404(slug, request.GET.get("version", ""))
    if judge.has_recorded:
        messages.info(request, "Verdicts of it were brought in from a file, so there is nobody to try.")
        return redirect("judge", slug)
    named = request.GET.get("criteria_version")
    criteria = chosen_criteria(request.user, judge, named)
    if criteria is None:
        if named:
            raise Http404("There are no such criteria.")
        messages.info(request, "A judge is tried by criteria. Make a criteria set first.")
        return redirect("guide")
    data = request.POST if request.method == "POST" else None
    form = TrialForm(data, judge=judge, version=criteria)
    if request.method == "POST" and form.is_valid() and (trial := form.save(request.user)):
        transaction.on_commit(partial(send_trial, trial.pk))
        return redirect("judge_trial", slug, trial.pk)
    environments = Environments(timezone.now())
    context: dict[str, Any] = {"section": "judges", "judge": judge, "criteria": criteria, "form": form}
    context |= {
        "criteria_form": CriteriaForm(initial={"criteria_version": criteria.pk}, user=request.user),
        "missing": environments.missing(judge),
        "notes": example_notes(judge, criteria),
        "no_worker": not environments.workers,
        "scripted": scripted_words(judge),
        "trials": _newest(judge, request)[:_LISTED],
        "kept": KEPT,
    }
    template = part(request, "judging/try.html", "what")
    return render(request, template, context, status=422 if form.is_bound else 200)


def _newest(judge: JudgeVersion, request: Request) -> QuerySet[Trial]:
    """The trials of this judge that the reader may see, newest first."""
    found = Trial.objects.filter(
        judge_version__judge=judge.judge_id, criteria_version__criteria_set__in=led_sets(request.user)
    )
    return found.select_related("judge_version__judge", "criteria_version__criteria_set").order_by("-pk")


@require_safe
@login_required
@vary_on_headers("HX-Request")
def judge_trial(request: Request, slug: str, pk: int) -> HttpResponse:
    """One trial; while it is open, the fragment asks for itself again."""
    trial = _trial_or_403(request, slug, pk)
    log_reader(trial, request.user)
    now = timezone.now()
    environments = Environments(now)
    judge = with_jurors(JudgeVersion.objects.filter(pk=trial.judge_version_id)).get()
    context: dict[str, Any] = {"section": "judges", "trial": trial, "judge": judge}
    context |= {
        "no_worker": trial.is_open and not environments.workers,
        "missing": environments.missing(judge),
        "seconds": _seconds(trial, now),
        "jurors": [_shown(told) for told in trial.answers.get("jurors", [])],
        "panel": _shown(trial.answers["panel"]) if "panel" in trial.answers else None,
        "texts": texts_of(trial),
        "scripted": scripted_words(judge),
        "kept": KEPT,
    }
    return render(request, part(request, "judging/trial.html", "trial"), context)


def _trial_or_403(request: Request, slug: str, pk: int) -> Trial:
    """A trial on a criteria set that the reader leads; 403 for its labelers, 404 for everybody else."""
    trials = Trial.objects.select_related(
        "judge_version__judge", "criteria_version__criteria_set", "candidate", "asked_by"
    )
    seen = trials.filter(
        judge_version__judge__slug=slug, criteria_version__criteria_set__in=visible_sets(request.user)
    )
    trial = get_object_or_404(seen, pk=pk)
    if not leads(request.user, trial.criteria_version.criteria_set):
        raise PermissionDenied("Only a lead of this criteria set may see its trials.")
    return trial


def _seconds(trial: Trial, now: datetime) -> int:
    """Whole seconds since it was asked for, to its end where it has one."""
    return round(((trial.finished_at or now) - trial.asked_at).total_seconds())


def _shown(told: dict[str, Any]) -> dict[str, Any]:
    """What was written down, with its figures in words."""
    cost, confidence = told.get("cost"), told.get("confidence")
    return told | {
        "percent": None if told.get("score") is None else round(100 * told["score"]),
        "agreeing": None if confidence is None else round(100 * confidence),
        "cost_words": dollars(Decimal(cost)) if cost is not None else "not known, as no price is",
        "time_words": _time_words(told.get("latency_ms")),
    }


def _time_words(latency_ms: int | None) -> str:
    if latency_ms is None:
        return "no answer"
    return f"{latency_ms} ms" if latency_ms < 1000 else f"{latency_ms / 1000:.1f} s"
