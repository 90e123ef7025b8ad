"""A labeler's own labels, newest first, each to be looked at again and put right."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from labeling.access import get_set
from labeling.forms.history import EditForm, HistoryFilter
from labeling.models import Label
from labeling.services.labels import InvalidMarks, correct_label, was_blind
from labeling.services.leases import NotWanted
from labeling.services.own_labels import own_labels, with_rows
from labeling.views.scope import head, page_of
from vera_site.http import Request

LABELS_PER_PAGE = 25


@require_safe
@login_required
@never_cache
def history(request: Request, slug: str) -> HttpResponse:
    """What the reader said so far; of others only that their labels may be looked at."""
    criteria_set = get_set(request.user, slug)
    form = HistoryFilter(request.GET)
    labels = own_labels(criteria_set=criteria_set, labeler=request.user, **form.asked())
    page = page_of(labels.values_list("pk", flat=True), request, LABELS_PER_PAGE)
    context = head(request.user, criteria_set, "label")
    context |= {"form": form, "page": page, "labels": with_rows(labels, list(page.object_list))}
    return render(request, "labeling/history.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@never_cache
def edit(request: Request, slug: str, pk: int) -> HttpResponse:
    """GET: one's own label with its row. POST: the label put right; the first one stays on record."""
    criteria_set = get_set(request.user, slug)
    own = Label.objects.current().filter(labeler=request.user, version__criteria_set=criteria_set)
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
        "will_not_count": label.blind and not blind,
    }
    return render(request, "labeling/label_edit.html", context, status=422 if form.errors else 200)


def save(request: Request, label: Label, form: EditForm) -> HttpResponse:
    """Supersede the label and go back to the list."""
    try:
        correct_label(
            label=label,
            verdict=form.cleaned_data["verdict"],
            marks=form.marks(),
            comment=form.cleaned_data["comment"],
            now=timezone.now(),
        )
        messages.success(request, f"Row {label.candidate_id} is changed. What you had said stays on record.")
    except (NotWanted, InvalidMarks) as refusal:
        messages.warning(request, str(refusal))
    return redirect("label_history", label.version.criteria_set.slug)
