"""The labeling page: one URL that shows the next row and takes what was decided about the last."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST
from django.views.decorators.vary import vary_on_headers

from labeling.access import get_set
from labeling.forms.label import RowForm, SkipForm, TypedForm, VerdictForm
from labeling.models import Candidate, CriteriaSet, CriteriaVersion
from labeling.services.drafts import save_draft
from labeling.services.labels import (
    InvalidMarks,
    correct_label,
    current_answer,
    give_label,
    skip_row,
)
from labeling.services.queue import NotWanted, renew_lease
from labeling.services.undo import NothingToUndo, undo_last
from labeling.views.label_page import act_meant, go_on, saved_at, show_next, show_row
from vera_site.http import Request, whole

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
    if is_for_another(request):
        return HttpResponse(FOR_ANOTHER, status=409)
    if "undo" in request.POST:
        return undo(request, criteria_set)
    return decide(request, criteria_set)


FOR_ANOTHER = (
    "Not saved: this page was opened by another account than the one that is logged in now. "
    "Log in as who opened it to go on with it, or load the page for a row of your own."
)


def is_for_another(request: Request) -> bool:
    """Whether the page was made for somebody else who shares this browser: a decision has one author."""
    return request.POST.get("labeler", str(request.user.pk)) != str(request.user.pk)


@require_POST
@logged_in
def hold(request: Request, slug: str) -> HttpResponse:
    """Keep the row for who is looking at it: 204, or 409 where it is no longer theirs to decide."""
    criteria_set = get_set(request.user, slug)
    row = RowForm(criteria_set, request.POST)
    if not row.is_valid():
        return HttpResponse(status=422)
    if is_for_another(request):
        return HttpResponse(FOR_ANOTHER, status=409)
    if renew_lease(**row.cleaned_data, labeler=request.user, now=timezone.now()) is None:
        return HttpResponse(NO_LONGER_YOURS, status=409)
    return HttpResponse(status=204)


NO_LONGER_YOURS = (
    "This row is no longer yours: you decided it in another tab, or it went to somebody else while this page "
    "rested. Go on with the next one."
)


@require_POST
@logged_in
def draft(request: Request, slug: str) -> HttpResponse:
    """Keep what was typed so far; 204 when it is kept, 422 when it cannot be, 409 when it is not wanted."""
    criteria_set = get_set(request.user, slug)
    row = RowForm(criteria_set, request.POST)
    if not row.is_valid():
        return HttpResponse(status=422)
    if is_for_another(request):
        return HttpResponse(FOR_ANOTHER, status=409)
    form = TypedForm(row.cleaned_data["version"], request.POST)
    if not form.is_valid():
        return HttpResponse(status=422)
    content = {"marks": form.marks(), "comment": form.cleaned_data["comment"]}
    try:
        kept = save_draft(**row.cleaned_data, labeler=request.user, content=content, now=timezone.now())
    except NotWanted as refusal:
        return HttpResponse(str(refusal), status=409)
    return HttpResponse(status=204, headers={"Draft-Saved": saved_at(kept)})


def undo(request: Request, criteria_set: CriteriaSet) -> HttpResponse:
    """Take the last act back and show its row again."""
    version = get_object_or_404(criteria_set.versions, pk=whole(request.POST.get("version", "")))
    if version != criteria_set.live_version:
        messages.warning(
            request, f"Not undone: version {version.number} of the criteria was replaced meanwhile."
        )
        return go_on(request, criteria_set)
    act = act_meant(labeler=request.user, version=version, word=request.POST["undo"])
    try:
        undone = undo_last(labeler=request.user, version=version, now=timezone.now(), act=act)
        if verdict := getattr(undone, "verdict", ""):
            messages.success(request, f"The change is taken back: what counts is {verdict} again.")
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
    # Not by redirect: what was written must stay in sight, to be used elsewhere.
    return show_next(request, criteria_set, unsaved=form.cleaned_data["comment"])


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
        **form.time_spent(now)._asdict(),
        now=now,
    )
    if given.already:
        already = {"verdict": given.label.verdict, "candidate": candidate.pk, "version": version.pk}
        return show_next(request, criteria_set, already=already, sent=form)
    if not given.label.blind:
        messages.info(
            request,
            "Kept, but it does not count: you had been shown what others or a judge said of that row. "
            "Where somebody is left who was not, they are asked; else it goes to the leads.",
        )
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
    answer = current_answer(candidate=candidate, version=version, labeler=request.user)
    if not verdict.is_valid() or answer is None:
        return HttpResponseBadRequest("There is no such label to change. Load the page again.")
    said = {"verdict": verdict.cleaned_data["verdict"], "comment": form.cleaned_data["comment"]}
    correct_label(label=answer, marks=form.marks(), now=timezone.now(), **said)
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
