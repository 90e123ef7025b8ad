"""Schedules: runs that start by themselves, listed, edited, and started by hand."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.db.models import F, Max
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from judging.access import check_lead, get_schedule
from judging.domain.figures import shown_kappa
from judging.domain.schedules import in_words, zone_names
from judging.forms.schedules import ScheduleForm
from judging.models import Calibration, Judge, Run, Schedule
from judging.services.runs import CannotRun
from judging.services.schedules import (
    Firing,
    add_schedule,
    change_schedule,
    delete_schedule,
    expected,
    fire_now,
    same_as,
    switch_schedule,
)
from judging.services.workers import workers_seen
from judging.tasks import start_work
from judging.views.figures import defined
from judging.views.run_outcomes import outcomes_listed
from labeling.access import led_sets
from labeling.views.scope import page_of
from vera_site.http import Request, part

_PER_PAGE = 25


@dataclass(frozen=True, slots=True)
class ShownSchedule:
    """A schedule with what a lead asks of it. `result`: of its last run, in words."""

    schedule: Schedule
    when: str
    firing: Firing | None
    last: Run | None
    result: str


@require_safe
@login_required
def schedules(request: Request) -> HttpResponse:
    """The schedules of the criteria sets that the reader leads."""
    check_lead(request.user)
    led = led_sets(request.user)
    found = Schedule.objects.filter(criteria_set__in=led).select_related(
        "criteria_set__live_version", "judge__live_version"
    )
    page = page_of(found, request, _PER_PAGE)
    context = {
        "section": "runs",
        "page": page,
        "shown": _shown(list(page)),
        "no_worker": not workers_seen(timezone.now()),
        "can_add": led.filter(archived_at=None).exclude(live_version=None).exists()
        and Judge.objects.exclude(live_version=None).exists(),
    }
    return render(request, "judging/schedules.html", context)


def _shown(found: Sequence[Schedule]) -> list[ShownSchedule]:
    # A schedule may have served another criteria set before, whose runs are not this reader's to see.
    own = Run.objects.filter(schedule__in=found, criteria_version__criteria_set=F("schedule__criteria_set"))
    newest = own.order_by().values("schedule").annotate(newest=Max("pk"))
    runs = Run.objects.filter(pk__in=newest.values("newest"))
    last = {run.schedule_id: run for run in runs.select_related("judge_version__judge", "criteria_version")}
    results = _results(list(last.values()))
    firings = {_takes(each): each for each in found}  # one of each that takes the same
    known = {takes: expected(each) for takes, each in firings.items()}
    return [
        ShownSchedule(
            schedule=each,
            when=in_words(each.every, each.weekday, each.at, each.zone),  # type: ignore[arg-type]
            firing=known[_takes(each)],
            last=last.get(each.pk),
            result=results.get(last[each.pk].pk, "") if each.pk in last else "",
        )
        for each in found
    ]


def _takes(schedule: Schedule) -> tuple[int, int, str, int]:
    """All that the size of a firing depends on."""
    return schedule.criteria_set_id, schedule.judge_id, schedule.kind, schedule.sample_rows


def _results(runs: Sequence[Run]) -> dict[int, str]:
    """By run: kappa of a replay that was counted, else how its rows came out."""
    counted = Calibration.objects.filter(run__in=runs, is_current=True).select_related(
        "criteria_version__criteria_set"
    )
    own = {run.pk: run.judge_version_id for run in runs}
    kappas = {each.run_id: _kappa(each) for each in counted if each.judge_version_id == own[each.run_id]}
    return {
        run.pk: kappas.get(run.pk) or ", ".join(f"{part.word} {part.rows:,}" for part in outcomes.parts)
        for run, outcomes in outcomes_listed(runs)
    }


def _kappa(calibration: Calibration) -> str:
    exact = defined(calibration.measured.kappa)
    bar = calibration.criteria_version.criteria_set.bar
    return f"kappa {shown_kappa(exact, bar)}, {calibration.table.n:,} rows"


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@vary_on_headers("HX-Request")
def schedule_add(request: Request) -> HttpResponse:
    """A new schedule; the address may name what to begin with."""
    check_lead(request.user)
    begin = {"zone": timezone.get_current_timezone_name()} | request.GET.dict()
    if request.htmx and request.method == "GET":
        return _estimate(request, ScheduleForm(request.GET, user=request.user))
    form = ScheduleForm(request.POST or None, user=request.user, initial=_known(begin))
    if request.method == "POST" and form.is_valid():
        made = add_schedule(plan=form.plan, now=timezone.now(), actor=request.user)
        return _kept(request, made, f"The schedule is there: {form.words}.")
    return _form(request, form, None)


def _known(begin: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in begin.items() if name in ScheduleForm.base_fields}


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@vary_on_headers("HX-Request")
def schedule(request: Request, pk: int) -> HttpResponse:
    """One schedule: change it, switch it off, run it now, delete it."""
    found = get_schedule(request.user, pk)
    form_of = partial(ScheduleForm, user=request.user, held=found.criteria_set_id)
    if request.htmx and request.method == "GET":
        return _estimate(request, form_of(request.GET))
    form = form_of(request.POST or None, initial=ScheduleForm.initial_of(found))
    if request.method == "POST" and form.is_valid():
        changed = change_schedule(schedule=found, plan=form.plan, now=timezone.now(), actor=request.user)
        return _kept(request, changed, f"Kept: {form.words}.")
    return _form(request, form, found)


def _form(request: Request, form: ScheduleForm, found: Schedule | None) -> HttpResponse:
    context: dict[str, Any] = {"section": "runs", "form": form, "schedule": found, "zones": zone_names()}
    context["firing"] = _firing(form) if form.is_bound else found and expected(found)
    context["no_worker"] = not workers_seen(timezone.now())
    if found:
        context["shown"] = _shown([found])[0]
    status = 422 if request.method == "POST" else 200
    return render(request, "judging/schedule_edit.html", context, status=status)


def _estimate(request: Request, form: ScheduleForm) -> HttpResponse:
    context = {"form": form, "firing": _firing(form)}
    return render(request, part(request, "judging/schedule_edit.html", "estimate"), context)


def _firing(form: ScheduleForm) -> Firing | None:
    return expected(form.plan) if form.is_valid() else None


def _kept(request: Request, kept: Schedule, words: str) -> HttpResponse:
    messages.success(request, words)
    if twin := same_as(kept).first():
        messages.warning(
            request,
            f"Another schedule lets {twin.judge} do the same on {twin.criteria_set.name}, "
            f"{twin.get_every_display()}. Both fire; delete one unless you mean it.",
        )
    return redirect("schedules")


@require_POST
@login_required
def schedule_switch(request: Request, pk: int) -> HttpResponse:
    """On where the form says so, else off."""
    found = get_schedule(request.user, pk)
    on = "on" in request.POST
    switch_schedule(schedule=found, on=on, now=timezone.now(), actor=request.user)
    messages.success(request, "The schedule is on." if on else "The schedule is off: it starts nothing.")
    return redirect("schedules")


@require_POST
@login_required
def schedule_run(request: Request, pk: int) -> HttpResponse:
    """Start its run now; its times stay."""
    found = get_schedule(request.user, pk)
    try:
        run = fire_now(schedule=found, now=timezone.now(), actor=request.user)
    except CannotRun as problem:
        messages.warning(request, str(problem))
        return redirect("schedules")
    transaction.on_commit(partial(start_work, run.pk))
    return redirect("run", run.pk)


@require_POST
@login_required
def schedule_delete(request: Request, pk: int) -> HttpResponse:
    """Take it away; the runs that it started stay."""
    found = get_schedule(request.user, pk)
    delete_schedule(schedule=found, actor=request.user)
    messages.success(request, "The schedule is deleted. The runs it started are still there.")
    return redirect("schedules")
