"""Guidelines: read by all members, written by leads, with every state that they ever had."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from labeling.access import get_led_set, get_set
from labeling.domain.word_diff import word_diff
from labeling.forms.guidelines import (
    ExampleForm,
    ExampleFormSet,
    ExamplesFormSet,
    GuidelinesForm,
    initial_example,
    initial_examples,
)
from labeling.forms.steps import focus_added, take_step
from labeling.models import CriteriaSet, Guidelines
from labeling.services.guidelines import (
    MOST_EXAMPLES,
    GuidelinesChanged,
    GuidelinesRefused,
    current_guidelines,
    example_from,
    examples_of,
    save_guidelines,
)
from labeling.views.scope import head, page_of
from vera_site.http import Request, part, whole

STATES_PER_PAGE = 20
PREFIX = "examples"


@require_safe
@login_required
def guidelines(request: Request, slug: str) -> HttpResponse:
    """What labelers read."""
    criteria_set = get_set(request.user, slug)
    context = head(request.user, criteria_set, "guidelines")
    context |= {"guidelines": current_guidelines(criteria_set), "version": criteria_set.live_version}
    return render(request, "labeling/guidelines.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def guidelines_edit(request: Request, slug: str) -> HttpResponse:
    """`?row=`: with that row as one more example. POST: a step of editing, or the new state."""
    criteria_set = get_led_set(request.user, slug)
    current = current_guidelines(criteria_set)
    if request.method != "POST":
        return open_editor(request, criteria_set, current)
    data = request.POST.copy()
    at = take_step(data, PREFIX, ExampleForm.base_fields)
    form, formset = GuidelinesForm(data), examples_in(data)
    if "act" in data:
        at = focus_added(formset, data, at, "request")
        return show(request, criteria_set, form, formset, at=at)
    if not (form.is_valid() and formset.is_valid()):
        return show(request, criteria_set, form, formset, status=422)
    text, examples = form.cleaned_data["text"], formset.examples
    if "preview" in data:
        seen_as = {"text": text, "examples": {"all": examples}}
        return show(request, criteria_set, form, formset, guidelines=seen_as)
    try:
        saved = save_guidelines(
            criteria_set=criteria_set,
            text=text,
            examples=examples,
            actor=request.user,
            seen=form.cleaned_data["seen"],
        )
    except GuidelinesChanged as refusal:
        return show_changed(request, criteria_set, data, formset, str(refusal))
    except GuidelinesRefused as refusal:
        form.add_error(None, str(refusal))
        return show(request, criteria_set, form, formset, status=422)
    messages.success(request, f"Saved. Labelers read these guidelines from now on (edition {saved.number}).")
    return redirect("guidelines", slug)


@require_safe
@login_required
def guidelines_history(request: Request, slug: str) -> HttpResponse:
    """Every state, newest first, with what it changed."""
    criteria_set = get_set(request.user, slug)
    states = criteria_set.guidelines.select_related("created_by").prefetch_related("examples")
    page = page_of(states, request, STATES_PER_PAGE)
    shown = list(page.object_list)
    earlier = [*shown[1:], states.filter(number__lt=shown[-1].number).first()] if shown else []
    pairs = zip(shown, earlier, strict=True)
    context = head(request.user, criteria_set, "guidelines")
    context |= {"page": page, "states": [(state, difference(before, state)) for state, before in pairs]}
    return render(request, "labeling/guidelines_history.html", context)


@require_POST
@login_required
def guidelines_restore(request: Request, slug: str, number: int) -> HttpResponse:
    """Make an earlier state the current one, as a state of its own."""
    criteria_set = get_led_set(request.user, slug)
    state = get_object_or_404(criteria_set.guidelines.prefetch_related("examples"), number=number)
    try:
        save_guidelines(
            criteria_set=criteria_set, text=state.text, examples=examples_of(state), actor=request.user
        )
    except GuidelinesRefused as refusal:
        messages.error(request, f"Edition {number} is not restored. {refusal}")
    else:
        messages.success(request, f"Edition {number} counts again. What stood in between is kept.")
    return redirect("guidelines_history", slug)


def open_editor(request: Request, criteria_set: CriteriaSet, current: Guidelines | None) -> HttpResponse:
    """The editor as the current state has it, with the row that the address names."""
    examples = initial_examples(current)
    if number := request.GET.get("row", ""):
        row = get_object_or_404(criteria_set.candidates, pk=whole(number))
        row.criteria_set = criteria_set
        try:
            examples.append(initial_example(example_from(row)))
        except GuidelinesRefused as refusal:
            messages.error(request, str(refusal))
            return redirect("candidate", criteria_set.slug, row.pk)
    first = {"text": current.text if current else "", "seen": current.number if current else 0}
    formset = ExampleFormSet(initial=examples, prefix=PREFIX)
    return show(request, criteria_set, GuidelinesForm(initial=first), formset, added=bool(number))


def show(
    request: Request,
    criteria_set: CriteriaSet,
    form: GuidelinesForm,
    formset: Any,
    *,
    status: int = 200,
    **more: Any,
) -> HttpResponse:
    """The editor or, for htmx, its form alone."""
    context = head(request.user, criteria_set, "guidelines") | {"form": form, "formset": formset, **more}
    context |= {"most": MOST_EXAMPLES, "refused": status == 422}
    return render(request, part(request, "labeling/guidelines_edit.html", "editor"), context, status=status)


def show_changed(
    request: Request, criteria_set: CriteriaSet, data: QueryDict, formset: Any, why: str
) -> HttpResponse:
    """What was typed, with what somebody else saved meanwhile; saved again, it comes after that."""
    newest = current_guidelines(criteria_set)
    assert newest is not None
    seen = criteria_set.guidelines.filter(number=str(data["seen"])).first()
    data["seen"] = str(newest.number)
    changed = {"changed": newest, "why": why, "difference": difference(seen, newest)}
    return show(request, criteria_set, GuidelinesForm(data), formset, status=409, **changed)


def difference(before: Guidelines | None, after: Guidelines) -> dict[str, Any]:
    """What `after` changed: the text word by word, and the examples that came and went."""
    old, new = examples_of(before) if before else [], examples_of(after)
    return {
        "pieces": word_diff(before.text if before else "", after.text),
        "text_changed": (before.text if before else "") != after.text,
        "added": [each for each in new if each not in old],
        "removed": [each for each in old if each not in new],
    }


def examples_in(data: QueryDict) -> ExamplesFormSet:
    """The examples as they were sent."""
    formset = ExampleFormSet(data, prefix=PREFIX)
    assert isinstance(formset, ExamplesFormSet)
    return formset
