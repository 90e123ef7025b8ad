"""A labeler's own labels, newest first, each to be looked at again and put right."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from labeling.access import get_set
from labeling.forms.history import SKIPPED, EditForm, HistoryFilter
from labeling.models import CriteriaSet, Label, Skip
from labeling.services.labels import InvalidMarks, correct_label, was_blind
from labeling.services.leases import NotWanted
from labeling.services.own_labels import own_labels, with_rows
from labeling.services.own_skips import own_skips
from labeling.services.undo import undo_skip
from labeling.views.scope import head, page_of
from vera_site.http import Request, whole

LABELS_PER_PAGE = 25


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@never_cache
def history(request: Request, slug: str) -> HttpResponse:
    """GET: what the reader said so far, and of nobody else. POST: a skip taken back, then its row."""
    criteria_set = get_set(request.user, slug)
    if request.method == "POST":
        return take_back(request, criteria_set)
    form = HistoryFilter(request.GET)
    asked = form.asked()
    context = head(request.user, criteria_set, "label")
    context |= {"form": form, "verdict": asked.get("verdict", "")}
    context |= skips_asked(request, criteria_set, asked) or labels_asked(request, criteria_set, asked)
    context["skipped"] = own_skips(criteria_set=criteria_set, labeler=request.user).count()
    return render(request, "labeling/history.html", context)


def take_back(request: Request, criteria_set: CriteriaSet) -> HttpResponse:
    """Take a skip back and show its row, or say why that cannot be."""
    own = Skip.objects.filter(labeler=request.user, version=criteria_set.live_version)
    skip = get_object_or_404(own.select_related("candidate"), pk=whole(request.POST.get("skip", "")))
    try:
        undo_skip(skip=skip, now=timezone.now())
    except NotWanted as refusal:
        messages.warning(request, str(refusal))
        return redirect(f"{request.path}?verdict={SKIPPED}")
    return redirect("label", criteria_set.slug)


def labels_asked(request: Request, criteria_set: CriteriaSet, asked: dict[str, str]) -> dict[str, Any]:
    """Context of the list of labels: one page of them."""
    labels = own_labels(criteria_set=criteria_set, labeler=request.user, **asked)
    page = page_of(labels.values_list("pk", flat=True), request, LABELS_PER_PAGE)
    return {"page": page, "labels": with_rows(labels, list(page.object_list))}


def skips_asked(request: Request, criteria_set: CriteriaSet, asked: dict[str, str]) -> dict[str, Any]:
    """Context of the list of skips; nothing where labels are asked for."""
    if asked.get("verdict") != SKIPPED:
        return {}
    skips = own_skips(criteria_set=criteria_set, labeler=request.user, text=asked["text"])
    page = page_of(skips, request, LABELS_PER_PAGE)
    return {"page": page, "skips": page.object_list}


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@never_cache
def edit(request: Request, slug: str, pk: int) -> HttpResponse:
    """GET: one's own label with its row. POST: the label put right; the first one stays on record."""
    criteria_set = get_set(request.user, slug)
    own = own_labels(criteria_set=criteria_set, labeler=request.user)
    label = get_object_or_404(own.select_related("candidate", "version"), pk=pk)
    form = EditForm(label, request.POST or None)
    if form.is_valid():
        return save(request, label, form)
    blind = was_blind(candidate=label.candidate, labeler=request.user)
    context = head(request.user, criteria_set, "label")
    context |= {
        "label": label,
        "row": label.candidate,
        "form": form,
        "shown": form.data.get("shown") or f"{timezone.now().timestamp():.3f}",
        "will_not_count": label.blind and not blind,
    }
    return render(request, "labeling/label_edit.html", context, status=422 if form.errors else 200)


def save(request: Request, label: Label, form: EditForm) -> HttpResponse:
    """Supersede the label and go back to its place in the list."""
    now = timezone.now()
    try:
        correct_label(
            label=label,
            verdict=form.cleaned_data["verdict"],
            marks=form.marks(),
            comment=form.cleaned_data["comment"],
            source=Label.Source.HISTORY,
            **form.time_spent(now)._asdict(),
            now=now,
        )
        messages.success(request, f"Row {label.candidate_id} is changed. What you had said stays on record.")
    except (NotWanted, InvalidMarks) as refusal:
        messages.warning(request, str(refusal))
    history = reverse("label_history", args=[label.version.criteria_set.slug])
    return redirect(f"{history}#row-{label.candidate_id}")
