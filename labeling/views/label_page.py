"""What the labeling page shows: the next row, the same row with what is wrong, or what to do at the end."""

from datetime import datetime
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.crypto import salted_hmac

from labeling.access import leads
from labeling.forms.label import TypedForm, typed
from labeling.models import Candidate, CriteriaSet, CriteriaVersion, Draft, Skip
from labeling.services.drafts import draft_of
from labeling.services.guidelines import current_guidelines
from labeling.services.labels import was_blind
from labeling.services.progress import is_new, progress_of
from labeling.services.queue import next_row, rows_left, rows_of_others, rows_waiting
from labeling.services.undo import Act, act_name, last_act
from vera_site.http import Request, part


def go_on(request: Request, criteria_set: CriteriaSet) -> HttpResponse:
    """The next row: in place for htmx, by redirect for a plain form."""
    return show_next(request, criteria_set) if request.htmx else redirect("label", criteria_set.slug)


def show_next(request: Request, criteria_set: CriteriaSet, **extra: Any) -> HttpResponse:
    """The row that this labeler holds or gets now, or what to do where nothing is left."""
    version, now = criteria_set.live_version, timezone.now()
    if version is None or criteria_set.archived_at:
        return show(request, criteria_set, version, now, extra)
    version.criteria_set = criteria_set
    candidate = next_row(version=version, labeler=request.user, now=now)
    if candidate is None:
        held = rows_of_others(version=version, labeler=request.user, now=now)
        waiting = rows_waiting(version) if leads(request.user, criteria_set) else 0
        return show(request, criteria_set, version, now, {"held": held, "waiting": waiting, **extra})
    return show_row(request, criteria_set, candidate, version, **extra)


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
    sent = form.data if form else {}
    context = {
        "candidate": candidate,
        "form": form or typed(version, kept),
        "before": kept.get("verdict", ""),
        "drafted": saved_at(draft),
        # A row that comes back with an error was shown, and idle, from the first time on.
        "shown": sent.get("shown") or f"{now.timestamp():.3f}",
        "idle": sent.get("idle", ""),
        "lease": settings.VERA_LABEL_LEASE,
        "left": rows_left(version=version, labeler=request.user, now=now),
        "reasons": Skip.Reason.choices,
        "seen": not was_blind(candidate=candidate, labeler=request.user),
        **extra,
    }
    return show(request, criteria_set, version, now, context, status)


def saved_at(draft: Draft | None) -> str:
    """When the draft was saved, in seconds since 1970, so that the page can date its own copy; 0 for none."""
    return f"{draft.updated_at.timestamp():.6f}" if draft else "0"


def show(
    request: Request,
    criteria_set: CriteriaSet,
    version: CriteriaVersion | None,
    now: datetime,
    context: dict[str, Any],
    status: int = 200,
) -> HttpResponse:
    """The page or, for htmx, the row alone."""
    shared = {"criteria_set": criteria_set, "section": "sets", "version": version}
    if version:
        version.criteria_set = criteria_set
        last = last_act(labeler=request.user, version=version)
        shared |= {
            "progress": progress_of(version=version, labeler=request.user, now=now),
            "last": last and {"word": word_of(last), "verdict": getattr(last, "verdict", "")},
        }
    template = part(request, "labeling/label.html", "row")
    return render(request, template, shared | guidance(request, criteria_set) | context, status=status)


def word_of(act: Act) -> str:
    """What the page calls an act: a word that does not tell whether the row was asked about before."""
    return salted_hmac("labeling.undo", act_name(act), algorithm="sha256").hexdigest()[:20]


def act_meant(*, labeler: User, version: CriteriaVersion, word: str) -> str:
    """The name of the act that the page calls `word`; any other word names nothing and stays as it is."""
    last = last_act(labeler=labeler, version=version)
    return act_name(last) if last and word == word_of(last) else word


def guidance(request: Request, criteria_set: CriteriaSet) -> dict[str, Any]:
    """The guidelines with the whole page; with a row alone only their number, to see that they changed."""
    if request.htmx:
        return {"guidelines_number": criteria_set.guidelines.values_list("number", flat=True).first() or 0}
    guidelines = current_guidelines(criteria_set)
    return {
        "guidelines": guidelines,
        "guidelines_number": guidelines.number if guidelines else 0,
        "is_new": guidelines and is_new(criteria_set=criteria_set, labeler=request.user),
    }
