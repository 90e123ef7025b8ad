"""The editor of criteria: a new version from one that is there, or a new set with its first."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from labeling.access import get_led_set
from labeling.domain.criteria import CriteriaSpec, InvalidCriteria
from labeling.domain.spec_diff import compare
from labeling.domain.worked_example import worked_examples
from labeling.forms.criteria import NewSetForm, VersionForm, initial_criteria, initial_version, spec_from
from labeling.forms.criterion import CriterionForm, CriterionFormSet, NewCriteriaFormSet
from labeling.forms.steps import focus_added, take_step
from labeling.models import CriteriaSet, CriteriaVersion
from labeling.services.criteria import NewerVersion, add_version, create_criteria_set, spec_of
from labeling.views.scope import chosen_version, head
from vera_site.http import Request, part

TEMPLATE = "labeling/criteria_edit.html"
PREFIX = "criteria"
INCOMPLETE = {"incomplete": True}


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def criteria_edit(request: Request, slug: str) -> HttpResponse:
    """GET: a version to start from. POST: a step of editing, a preview, or the new version."""
    criteria_set = get_led_set(request.user, slug)
    base = chosen_version(criteria_set, request)
    data, at = posted(request)
    form = VersionForm(data, initial=initial_version(base))
    formset = CriterionFormSet(data, initial=initial_criteria(base), prefix=PREFIX)
    context = head(request.user, criteria_set, "criteria") | {"form": form, "formset": formset, "base": base}
    context |= {"at": at, "versions": criteria_set.versions.filter(archived_at=None).order_by("-number")}
    if data is None:
        return show(request, context | preview_of(spec_of(base), criteria_set))
    if "act" in data:
        # Other forms than those shown: what is not yet typed is no mistake while somebody edits.
        context |= {"at": focus_added(formset, data, at, "name")}
        typed = spec_from(VersionForm(data), CriterionFormSet(data, prefix=PREFIX))
        return show(request, context | (preview_of(typed, criteria_set) if typed else INCOMPLETE))
    spec = spec_from(form, formset)
    if spec is None or "preview" in data:
        return show_preview(request, context, spec, criteria_set)
    seen, note = form.cleaned_data["newest"], form.cleaned_data["note"]
    count = criteria_set.versions.count()
    try:
        version = add_version(criteria_set=criteria_set, spec=spec, actor=request.user, note=note, seen=seen)
    except NewerVersion as newer:
        return show_newer(request, context, newer.newest, spec, criteria_set)
    messages.success(request, what_was_saved(version, is_new=version.number > count))
    return redirect("criteria", slug)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def set_new(request: Request) -> HttpResponse:
    """A criteria set with its first version, for an administrator, who becomes its lead."""
    if not request.user.is_superuser:
        raise PermissionDenied("Only an administrator makes criteria sets.")
    data, at = posted(request)
    form, formset = NewSetForm(data), NewCriteriaFormSet(data, prefix=PREFIX)
    context = {"section": "sets", "form": form, "formset": formset, "at": at}
    if data is None:
        return show(request, context | INCOMPLETE)
    if "act" in data:
        return show(request, context | INCOMPLETE | {"at": focus_added(formset, data, at, "name")})
    spec = spec_from(form, formset)
    if spec is None or "preview" in data:
        return show_preview(request, context, spec, None)
    criteria_set = try_to_create(form, spec, request)
    if criteria_set is None:
        return show(request, context | preview_of(spec, None) | {"refused": True}, status=422)
    messages.success(
        request, f"“{criteria_set.name}” is made, and you lead it. Import outputs, then add labelers."
    )
    return redirect("golden", criteria_set.slug)


def show(request: Request, context: dict[str, Any], status: int = 200) -> HttpResponse:
    """The editor or, for htmx, its form alone."""
    return render(request, part(request, TEMPLATE, "editor"), context, status=status)


def show_preview(
    request: Request, context: dict[str, Any], spec: CriteriaSpec | None, criteria_set: CriteriaSet | None
) -> HttpResponse:
    """What the version would be; for htmx that alone, and nothing new while what is typed is incomplete."""
    if request.htmx and "preview" in request.POST:
        if spec is None:
            return HttpResponse(status=204)
        return render(request, f"{TEMPLATE}#preview", context | preview_of(spec, criteria_set))
    if spec is None:
        return show(request, context | INCOMPLETE | {"refused": True}, status=422)
    return show(request, context | preview_of(spec, criteria_set) | {"previewed": True})


def show_newer(
    request: Request,
    context: dict[str, Any],
    newest: CriteriaVersion,
    spec: CriteriaSpec,
    criteria_set: CriteriaSet,
) -> HttpResponse:
    """What was typed, beside what somebody else saved meanwhile; saved again, it comes after that."""
    data = request.POST.copy()
    data["newest"] = str(newest.number)
    base: CriteriaVersion = context["base"]
    shown = {
        "form": VersionForm(data),
        "newer": newest,
        "newer_diff": compare(spec_of(base), spec_of(newest)),
        **preview_of(spec, criteria_set),
    }
    return show(request, context | shown, status=409)


def preview_of(spec: CriteriaSpec, criteria_set: CriteriaSet | None) -> dict[str, Any]:
    """The version as labelers will see it, what it changes of the live one, and how it scores."""
    live = criteria_set.live_version if criteria_set else None
    return {
        "spec": spec,
        "worked": worked_examples(spec),
        "live": live,
        "diff": compare(spec_of(live), spec) if live else None,
    }


def try_to_create(form: NewSetForm, spec: CriteriaSpec, request: Request) -> CriteriaSet | None:
    """The new set, or None with what is wrong written on the form."""
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


def posted(request: Request) -> tuple[QueryDict | None, int | None]:
    """What was sent, after the step of editing that its button names, and the place it was about."""
    if request.method != "POST":
        return None, None
    data = request.POST.copy()
    return data, take_step(data, PREFIX, CriterionForm.base_fields)


def what_was_saved(version: CriteriaVersion, *, is_new: bool) -> str:
    """What saving did, for the person who pressed the button."""
    if not is_new:
        return f"Nothing changed: version {version.number} already says just this."
    return f"Version {version.number} is saved as a draft. Nothing else changes until you promote it."
