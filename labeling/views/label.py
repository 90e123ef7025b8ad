"""The labeling page: one URL that shows the next row and takes what was decided about the last."""

from collections.abc import Callable
from datetime import datetime
from functools import wraps
from typing import Any

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST
from django.views.decorators.vary import vary_on_headers

from labeling.access import get_set
from labeling.forms.label import RowForm, SkipForm, TypedForm, VerdictForm, typed
from labeling.models import Candidate, CriteriaSet, CriteriaVersion, Draft, Label, Skip
from labeling.services.drafts import draft_of, save_draft
from labeling.services.labels import (
    InvalidMarks,
    NothingToUndo,
    act_name,
    correct_label,
    current_label,
    give_label,
    labelled_since,
    last_act,
    skip_row,
    undo_last,
)
from labeling.services.queue import NotWanted, next_slot, rows_left, rows_of_others
from vera_site.http import Request, part

type View = Callable[..., HttpResponse]


def logged_in(view: View) -> View:
    """Send strangers to the login page; tell a script 401, lest it put the login form where the row was."""

    @wraps(view)
    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.user.is_authenticated:
            return view(request, *args, **kwargs)
        if request.headers.get("HX-Request"):
            return HttpResponse("You are logged out. Log in again; what you typed is kept.", status=401)
        return redirect_to_login(request.get_full_path())

    return checked


@require_http_methods(["GET", "HEAD", "POST"])
@logged_in
@never_cache
@vary_on_headers("HX-Request")
def label(request: Request, slug: str) -> HttpResponse:
    """GET: the next row. POST: a verdict, a skip, a correction or an undo, then the next row."""
    criteria_set = get_set(request.user, slug)
    if request.method != "POST":
        return show_next(request, criteria_set)
    if "undo" in request.POST:
        return undo(request, criteria_set)
    return decide(request, criteria_set)


@require_POST
@logged_in
def draft(request: Request, slug: str) -> HttpResponse:
    """Keep what was typed so far; 204 when it is kept, 422 when it cannot be."""
    criteria_set = get_set(request.user, slug)
    row = RowForm(criteria_set, request.POST)
    if not row.is_valid():
        return HttpResponse(status=422)
    form = TypedForm(row.cleaned_data["version"], request.POST)
    if not form.is_valid():
        return HttpResponse(status=422)
    content = {"marks": form.marks(), "comment": form.cleaned_data["comment"]}
    kept = save_draft(**row.cleaned_data, labeler=request.user, content=content, now=timezone.now())
    return HttpResponse(status=204, headers={"Draft-Saved": saved_at(kept)})


def undo(request: Request, criteria_set: CriteriaSet) -> HttpResponse:
    """Take the last act back and show its row again."""
    version = get_object_or_404(criteria_set.versions, pk=_whole(request.POST.get("version", "")))
    if version != criteria_set.live_version:
        messages.warning(
            request, f"Not undone: version {version.number} of the criteria was replaced meanwhile."
        )
        return go_on(request, criteria_set)
    try:
        undo_last(labeler=request.user, version=version, now=timezone.now(), act=request.POST["undo"])
    except (NothingToUndo, NotWanted) as refusal:
        messages.warning(request, str(refusal))
    return go_on(request, criteria_set)


def decide(request: Request, criteria_set: CriteriaSet) -> HttpResponse:
    """Take a verdict, a correction or a skip; what is wrong with it is said beside the same row."""
    row = RowForm(criteria_set, request.POST)
    if not row.is_valid():
        return HttpResponseBadRequest("This form names no row of this criteria set. Load the page again.")
    candidate, version = row.cleaned_data["candidate"], row.cleaned_data["version"]
    form = TypedForm(version, request.POST)
    act = next((act for name, act in ACTS.items() if name in request.POST), None)
    if act is None:
        return HttpResponseBadRequest("Neither a verdict nor a reason to skip was sent.")
    if not form.is_valid():
        return show_row(request, criteria_set, candidate, version, form=form, status=422)
    try:
        return act(request, criteria_set, candidate, version, form)
    except (NotWanted, InvalidMarks) as refusal:
        messages.warning(request, str(refusal))
    return go_on(request, criteria_set)


def give(
    request: Request,
    criteria_set: CriteriaSet,
    candidate: Candidate,
    version: CriteriaVersion,
    form: TypedForm,
) -> HttpResponse:
    """Label the row; sent twice, say so and offer to change it."""
    pressed = VerdictForm(request.POST)
    if not pressed.is_valid():
        return HttpResponseBadRequest("A verdict is pass or fail.")
    now = timezone.now()
    given = give_label(
        candidate=candidate,
        version=version,
        labeler=request.user,
        verdict=pressed.cleaned_data["verdict"],
        marks=form.marks(),
        comment=form.cleaned_data["comment"],
        seconds=form.seconds(now),
        now=now,
    )
    if given.already:
        return show_next(request, criteria_set, already=given.label, sent=form)
    say_if_replaced(request, criteria_set, version)
    return go_on(request, criteria_set)


def change(
    request: Request,
    criteria_set: CriteriaSet,
    candidate: Candidate,
    version: CriteriaVersion,
    form: TypedForm,
) -> HttpResponse:
    """Correct a label that was given before."""
    verdict = VerdictForm({"verdict": request.POST["change"]})
    label = current_label(candidate=candidate, version=version, labeler=request.user)
    if not verdict.is_valid() or label is None:
        return HttpResponseBadRequest("There is no such label to change. Load the page again.")
    correct_label(
        label=label,
        verdict=verdict.cleaned_data["verdict"],
        marks=form.marks(),
        comment=form.cleaned_data["comment"],
        now=timezone.now(),
    )
    messages.success(
        request, f"Changed to {verdict.cleaned_data['verdict']}. Your first label stays on record."
    )
    return go_on(request, criteria_set)


def skip(
    request: Request,
    criteria_set: CriteriaSet,
    candidate: Candidate,
    version: CriteriaVersion,
    form: TypedForm,
) -> HttpResponse:
    """Pass the row on to others."""
    why = SkipForm(request.POST)
    if not why.is_valid():
        return show_row(request, criteria_set, candidate, version, form=form, why=why, status=422)
    skip_row(
        candidate=candidate,
        version=version,
        labeler=request.user,
        reason=why.cleaned_data["reason"],
        comment=why.cleaned_data["comment"],
        now=timezone.now(),
    )
    return go_on(request, criteria_set)


# By the name of the button that was pressed.
ACTS = {"verdict": give, "change": change, "reason": skip}


def say_if_replaced(request: Request, criteria_set: CriteriaSet, version: CriteriaVersion) -> None:
    """Tell a labeler whose row lay open while new criteria went live what became of the label."""
    live = criteria_set.live_version
    if live and live != version:
        messages.info(
            request,
            f"Your label was kept under version {version.number} of the criteria, for which you gave it. "
            f"Version {live.number} is live now; the next rows are labelled under it.",
        )


def go_on(request: Request, criteria_set: CriteriaSet) -> HttpResponse:
    """The next row: in place for htmx, by redirect for a plain form."""
    return show_next(request, criteria_set) if request.htmx else redirect("label", criteria_set.slug)


def show_next(request: Request, criteria_set: CriteriaSet, **extra: Any) -> HttpResponse:
    """The row that this labeler holds or gets now, or what to do where nothing is left."""
    version, now = criteria_set.live_version, timezone.now()
    slot = next_slot(version=version, labeler=request.user, now=now) if version else None
    if version is None or slot is None:
        return show_end(request, criteria_set, version, now, **extra)
    return show_row(request, criteria_set, slot.candidate, version, **extra)


def show_row(
    request: Request,
    criteria_set: CriteriaSet,
    candidate: Candidate,
    version: CriteriaVersion,
    *,
    form: TypedForm | None = None,
    status: int = 200,
    **extra: Any,
) -> HttpResponse:
    """The page with this row, `form` as typed or as the draft has it."""
    now, draft = timezone.now(), draft_of(candidate=candidate, version=version, labeler=request.user)
    kept = draft.content if draft else {}
    context = {
        "candidate": candidate,
        "form": form or typed(version, kept),
        "before": kept.get("verdict", ""),
        "drafted": saved_at(draft),
        "shown": now.timestamp(),
        "left": rows_left(version=version, labeler=request.user, now=now),
        "reasons": Skip.Reason.choices,
        **extra,
    }
    return show(request, criteria_set, version, now, context, status)


def saved_at(draft: Draft | None) -> str:
    """When the draft was saved, in seconds since 1970, so that the page can date its own copy; 0 for none."""
    return f"{draft.updated_at.timestamp():.6f}" if draft else "0"


def show_end(
    request: Request, criteria_set: CriteriaSet, version: CriteriaVersion | None, now: datetime, **extra: Any
) -> HttpResponse:
    """The page without a row: what others still hold and what to do next."""
    held = version and rows_of_others(version=version, labeler=request.user, now=now)
    return show(request, criteria_set, version, now, {"held": held or 0, **extra}, 200)


def show(
    request: Request,
    criteria_set: CriteriaSet,
    version: CriteriaVersion | None,
    now: datetime,
    context: dict[str, Any],
    status: int,
) -> HttpResponse:
    """The page or, for htmx, the row alone."""
    midnight = timezone.localtime(now).replace(hour=0, minute=0, second=0, microsecond=0)
    last = version and last_act(labeler=request.user, version=version)
    shared = {
        "criteria_set": criteria_set,
        "section": "sets",
        "version": version,
        "today": version and labelled_since(labeler=request.user, version=version, moment=midnight),
        "last": last and {"name": act_name(last), "verdict": last.verdict if isinstance(last, Label) else ""},
    }
    template = part(request, "labeling/label.html", "row")
    return render(request, template, shared | context, status=status)


def _whole(number: str) -> int:
    return int(number) if number.isascii() and number.isdigit() and len(number) < 19 else 0
