"""Criteria: the versions of a set, what each changed, a new one, and which is live."""

from collections import Counter
from collections.abc import Iterator
from difflib import ndiff
from typing import Any, NamedTuple

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.db.models import Count, QuerySet
from django.http import HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from labeling.access import get_led_set, get_set
from labeling.domain.criteria import InvalidCriteria
from labeling.formats.criteria_toml import spec_text
from labeling.forms.criteria import (
    CarryForm,
    CriterionForm,
    CriterionFormSet,
    NewSetForm,
    SettingsForm,
    VersionForm,
    initial_criteria,
    initial_version,
    spec_from,
)
from labeling.models import CriteriaSet, CriteriaVersion, Label, Ruling
from labeling.services.criteria import add_version, create_criteria_set, spec_of
from labeling.services.criteria_settings import update_set
from labeling.services.relabeling import ask_for_labels, carry_labels
from labeling.views.promotion import past_of
from labeling.views.scope import chosen_version, head, page_of
from vera_site.http import Request

VERSIONS_PER_PAGE = 10


class Line(NamedTuple):
    """One line of a comparison; kind is "ins", "del" or "" for what stayed."""

    kind: str
    text: str


@require_safe
@login_required
def criteria(request: Request, slug: str) -> HttpResponse:
    criteria_set = get_set(request.user, slug)
    versions = criteria_set.versions.order_by("-number").select_related("created_by")
    page = page_of(versions.prefetch_related("criteria"), request, VERSIONS_PER_PAGE)
    context = head(request.user, criteria_set, "criteria")
    context |= {"page": page, "shown": with_changes(page), "sources": said_under(versions)}
    if context["leads"]:
        context |= past_of(criteria_set)
    return render(request, "labeling/criteria.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def criteria_edit(request: Request, slug: str) -> HttpResponse:
    criteria_set = get_led_set(request.user, slug)
    base = chosen_version(criteria_set, request)
    data = posted(request)
    form = VersionForm(data, initial=initial_version(base))
    formset = CriterionFormSet(data, initial=initial_criteria(base), prefix="criteria")
    context = head(request.user, criteria_set, "criteria") | {"form": form, "formset": formset, "base": base}
    if data is None or "more" in data:
        return render(request, "labeling/criteria_edit.html", context)
    spec = spec_from(form, formset)
    if spec is None:
        return render(request, "labeling/criteria_edit.html", context | {"refused": True}, status=422)
    count = criteria_set.versions.count()
    version = add_version(
        criteria_set=criteria_set, spec=spec, actor=request.user, note=form.cleaned_data["note"]
    )
    messages.success(request, what_was_saved(version, is_new=version.number > count))
    return redirect("criteria", slug)


@require_POST
@login_required
def criteria_ask(request: Request, slug: str, number: int) -> HttpResponse:
    version = get_object_or_404(get_led_set(request.user, slug).versions, number=number)
    rows = ask_for_labels(version=version, actor=request.user)
    messages.success(request, f"{rows} row(s) without a label under version {number} are in the queue.")
    return redirect("criteria", slug)


@require_POST
@login_required
def criteria_carry(request: Request, slug: str, number: int) -> HttpResponse:
    versions = get_led_set(request.user, slug).versions
    target = get_object_or_404(versions, number=number)
    form = CarryForm(request.POST, versions=versions.exclude(pk=target.pk))
    if not form.is_valid():
        messages.error(request, "Choose the version whose labels are to be carried over.")
        return redirect("criteria", slug)
    carried = carry_labels(source=form.cleaned_data["source"], target=target, actor=request.user)
    messages.success(
        request,
        f"{carried.labels} label(s) and {carried.rulings} ruling(s) now count under version {number} too.",
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


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def set_new(request: Request) -> HttpResponse:
    if not request.user.is_superuser:
        raise PermissionDenied("Only an administrator makes criteria sets.")
    data = posted(request)
    form, formset = NewSetForm(data), CriterionFormSet(data, prefix="criteria")
    context = {"section": "sets", "form": form, "formset": formset}
    if data is None or "more" in data:
        return render(request, "labeling/criteria_edit.html", context)
    criteria_set = try_to_create(form, formset, request)
    if criteria_set is None:
        return render(request, "labeling/criteria_edit.html", context | {"refused": True}, status=422)
    messages.success(
        request, f"“{criteria_set.name}” is made, and you lead it. Import outputs, then add labelers."
    )
    return redirect("golden", criteria_set.slug)


def try_to_create(form: NewSetForm, formset: Any, request: Request) -> CriteriaSet | None:
    """The new set, or None with what is wrong written on the form."""
    spec = spec_from(form, formset)
    if spec is None:
        return None
    asked = form.cleaned_data
    try:
        return create_criteria_set(
            slug=asked["slug"],
            name=asked["name"],
            description=asked["description"],
            spec=spec,
            actor=request.user,
        )
    except InvalidCriteria as invalid:
        form.add_error(None, str(invalid))
        return None


def try_to_update(form: SettingsForm, criteria_set: CriteriaSet, request: Request) -> bool:
    """Whether the settings were saved; where they were refused, the form says why."""
    try:
        update_set(criteria_set=criteria_set, actor=request.user, **form.cleaned_data)
    except InvalidCriteria as invalid:
        form.add_error(None, str(invalid))
        return False
    messages.success(request, "The settings are saved.")
    return True


def posted(request: Request) -> QueryDict | None:
    """What was sent, with one more empty criterion where the button “Add a criterion” was pressed."""
    if request.method != "POST":
        return None
    data = request.POST.copy()
    total = data.get("criteria-TOTAL_FORMS", "")
    if "more" in data and total.isascii() and total.isdecimal() and len(total) < 9:
        data["criteria-TOTAL_FORMS"] = str(int(total) + 1)
        for name, field in CriterionForm.base_fields.items():
            if field.initial is not None:
                data[f"criteria-{total}-{name}"] = str(field.initial)
    return data


def what_was_saved(version: CriteriaVersion, *, is_new: bool) -> str:
    """What saving did, for the person who pressed the button."""
    if not is_new:
        return f"Nothing changed: version {version.number} already says just this."
    return f"Version {version.number} is saved as a draft. Nothing else changes until you promote it."


def said_under(versions: "QuerySet[CriteriaVersion]") -> dict[int, int]:
    """How many current labels and rulings there are under each version that has any, by its number."""
    labels = Label.objects.current().filter(version__in=versions)
    rulings = Ruling.objects.current().filter(version__in=versions)
    counts: Counter[int] = Counter()
    for said in (labels.order_by(), rulings.order_by()):
        counts.update(dict(said.values_list("version__number").annotate(n=Count("pk"))))
    return dict(sorted(counts.items(), reverse=True))


def with_changes(versions: Any) -> Iterator[tuple[CriteriaVersion, list[Line]]]:
    """Each version with what it changed of the one before it; nothing for the first."""
    shown = list(versions)
    for place, version in enumerate(shown):
        before = shown[place + 1] if place + 1 < len(shown) else earlier(version)
        yield version, changes(before, version) if before else []


def earlier(version: CriteriaVersion) -> CriteriaVersion | None:
    """The version before this one."""
    return version.criteria_set.versions.filter(number__lt=version.number).order_by("-number").first()


def changes(before: CriteriaVersion, after: CriteriaVersion) -> list[Line]:
    """The lines that differ between two versions, as code would write them."""
    lines = ndiff(spec_text(spec_of(before)).splitlines(), spec_text(spec_of(after)).splitlines())
    kinds = {"+": "ins", "-": "del"}
    return [Line(kinds[line[0]], line) for line in lines if line[0] in kinds]
