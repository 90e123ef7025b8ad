"""Criteria: the versions of a set, what each changed, any two side by side, and the settings of the set."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Count, QuerySet
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from labeling.access import get_led_set, get_set
from labeling.domain.criteria import InvalidCriteria
from labeling.domain.figures import many
from labeling.domain.spec_diff import SpecDiff, compare
from labeling.forms.settings import SettingsForm
from labeling.models import CriteriaSet, CriteriaVersion, Label, Ruling
from labeling.services.archiving import NotArchived, archive_version, restore_version
from labeling.services.criteria import spec_of
from labeling.services.criteria_settings import update_set
from labeling.services.relabeling import ask_for_labels
from labeling.views.promotion import past_of
from labeling.views.scope import head, page_of, version_numbered
from vera_site.http import Request

VERSIONS_PER_PAGE = 10
MOST_ARCHIVED = 50

type Shown = tuple[CriteriaVersion, CriteriaVersion | None, SpecDiff | None]


@require_safe
@login_required
def criteria(request: Request, slug: str) -> HttpResponse:
    """The versions, newest first; those that were put aside are folded at the end."""
    criteria_set = get_set(request.user, slug)
    versions = criteria_set.versions.order_by("-number").select_related("created_by")
    listed = versions.filter(archived_at=None).prefetch_related("criteria")
    page = page_of(listed, request, VERSIONS_PER_PAGE)
    context = head(request.user, criteria_set, "criteria")
    context |= {"page": page, "shown": with_changes(page, listed), "sources": said_under(versions)}
    context |= {"archived": versions.filter(archived_at__isnull=False)[:MOST_ARCHIVED]}
    context |= {"several": criteria_set.versions.count() > 1}
    if context["leads"]:
        context |= past_of(criteria_set)
    return render(request, "labeling/criteria.html", context)


@require_safe
@login_required
def criteria_compare(request: Request, slug: str) -> HttpResponse:
    """`?from=` and `?to=`: any two versions; what is left out is the live one, and the newest."""
    criteria_set = get_set(request.user, slug)
    versions = criteria_set.versions.prefetch_related("criteria").order_by("-number")
    newest, live = versions.first(), criteria_set.live_version
    if newest is None or live is None:
        raise Http404("This criteria set has no versions to compare.")
    after = version_numbered(criteria_set, request.GET.get("to", "")) or newest
    before = version_numbered(criteria_set, request.GET.get("from", "")) or live
    context = head(request.user, criteria_set, "criteria")
    context |= {"versions": versions, "before": before, "after": after, "sides": [before, after]}
    context |= {"diff": compare(spec_of(before), spec_of(after))}
    return render(request, "labeling/criteria_compare.html", context)


@require_POST
@login_required
def criteria_ask(request: Request, slug: str, number: int) -> HttpResponse:
    """Put the rows that nobody has labelled under a version into its queue."""
    version = get_object_or_404(get_led_set(request.user, slug).versions, number=number)
    rows = ask_for_labels(version=version, actor=request.user)
    asked = f"{many(rows, 'row')} without a label under version {number}"
    messages.success(request, f"{asked} {'is' if rows == 1 else 'are'} in the queue.")
    return redirect("criteria", slug)


@require_POST
@login_required
def criteria_archive(request: Request, slug: str, number: int) -> HttpResponse:
    """Fold a version away that nobody goes on with, or bring it back: `restore`."""
    version = get_object_or_404(get_led_set(request.user, slug).versions, number=number)
    if "restore" in request.POST:
        restore_version(version=version, actor=request.user)
        messages.success(request, f"Version {number} is back in the list.")
        return redirect("criteria", slug)
    try:
        archive_version(version=version, actor=request.user)
    except NotArchived as refusal:
        messages.error(request, str(refusal))
    else:
        messages.success(
            request, f"Version {number} is put aside. It stands folded at the end and can be restored."
        )
    return redirect("criteria", slug)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def set_settings(request: Request, slug: str) -> HttpResponse:
    criteria_set = get_led_set(request.user, slug)
    form = SettingsForm(request.POST or None, instance=criteria_set)
    if form.is_valid() and try_to_update(form, criteria_set, request):
        return redirect("set_settings", slug)
    context = head(request.user, criteria_set, "settings") | {"form": form}
    return render(request, "labeling/settings.html", context, status=422 if form.is_bound else 200)


def try_to_update(form: SettingsForm, criteria_set: CriteriaSet, request: Request) -> bool:
    """Whether the settings were saved; where they were refused, the form says why."""
    try:
        update_set(criteria_set=criteria_set, actor=request.user, **form.cleaned_data)
    except InvalidCriteria as invalid:
        form.add_error(None, str(invalid))
        return False
    messages.success(request, "The settings are saved.")
    return True


def said_under(versions: "QuerySet[CriteriaVersion]") -> dict[int, int]:
    """How many current labels and rulings there are under each version that has any, by its number."""
    labels = Label.objects.current().filter(version__in=versions)
    rulings = Ruling.objects.current().filter(version__in=versions)
    counts: Counter[int] = Counter()
    for said in (labels.order_by(), rulings.order_by()):
        counts.update(dict(said.values_list("version__number").annotate(n=Count("pk"))))
    return dict(sorted(counts.items(), reverse=True))


def with_changes(page: Any, versions: "QuerySet[CriteriaVersion]") -> Iterator[Shown]:
    """Each version, the one before it, and what it changed of that; None and None for the first."""
    shown = list(page)
    for place, version in enumerate(shown):
        earlier = versions.filter(number__lt=version.number).first
        before = shown[place + 1] if place + 1 < len(shown) else earlier()
        yield version, before, compare(spec_of(before), spec_of(version)) if before else None
