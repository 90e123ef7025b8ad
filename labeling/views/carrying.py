"""Labels of an earlier version for this one: which rows, what would happen, and taking it back."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Prefetch
from django.db.models.functions import Left
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from labeling.access import get_led_set
from labeling.domain.figures import many
from labeling.domain.spec_diff import compare
from labeling.forms.carrying import CarryForm, SourceForm
from labeling.models import AuditEvent, CriteriaSet, CriteriaVersion, Exposure, Label, Ruling
from labeling.services.carrying import (
    CARRIED,
    Carried,
    CarryRefused,
    TakenBack,
    carry_labels,
    carryings_to,
    preview_carry,
    rows_to_carry,
    standing,
    take_back,
)
from labeling.services.criteria import spec_of
from labeling.services.exposures import record_exposure
from labeling.views.scope import head, page_of
from vera_site.http import Request, whole

ROWS_PER_PAGE = 50
MOST_TOLD = 20
CONTEXT = 1000  # characters of a request and of its grounding; the rest stands on the row's page


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def criteria_carry(request: Request, slug: str, number: int) -> HttpResponse:
    """GET: the rows to choose from. POST: what would happen; with `confirmed`, it happens."""
    criteria_set = get_led_set(request.user, slug)
    target = get_object_or_404(criteria_set.versions, number=number)
    source = chosen_source(request, criteria_set, target)
    context = head(request.user, criteria_set, "criteria") | {"target": target, "source": source}
    context |= {"others": criteria_set.versions.exclude(pk=target.pk).order_by("-number")}
    if source is None or request.method != "POST":
        return show(request, context, CarryForm())
    form = CarryForm(request.POST, ids=request.POST.getlist("rows"))
    if not form.is_valid():
        return show(request, context, form, status=422)
    if "confirmed" not in request.POST:
        preview = preview_carry(source=source, target=target, candidate_ids=form.chosen)
        return show(request, context | {"preview": preview}, form)
    carried = carry_labels(
        source=source, target=target, actor=request.user, reason=form.why, candidate_ids=form.chosen
    )
    messages.success(
        request,
        f"{what(carried)} of {many(carried.rows, 'row')} now count under version {number} too. It is "
        "recorded, and can be taken back below.",
    )
    return redirect(f"{reverse('criteria_carry', args=[slug, number])}?source={source.number}")


@require_POST
@login_required
def criteria_take_back(request: Request, slug: str, pk: int) -> HttpResponse:
    """Undo one carrying."""
    criteria_set = get_led_set(request.user, slug)
    event = get_object_or_404(AuditEvent, criteria_set=criteria_set, action=CARRIED, pk=pk)
    try:
        done = take_back(event=event, actor=request.user)
    except CarryRefused as refusal:
        messages.error(request, str(refusal))
    else:
        messages.success(request, what_was_taken_back(done))
    return redirect("criteria_carry", slug, event.details["target"])


def what_was_taken_back(done: TakenBack) -> str:
    """What undoing did, for the person who pressed the button."""
    words = f"{what(done)} no longer count under this version."
    if done.kept:
        stay = "stays, because people have said something of it since"
        if done.kept > 1:
            stay = "stay, because people have said something of them since"
        words += f" {many(done.kept, 'row')} {stay}."
    return f"{words} To have such rows labelled, ask people on the page Criteria."


def what(done: Carried | TakenBack) -> str:
    """Labels and rulings in words: "1 label and 2 rulings"."""
    return f"{many(done.labels, 'label')} and {many(done.rulings, 'ruling')}"


def chosen_source(
    request: Request, criteria_set: CriteriaSet, target: CriteriaVersion
) -> CriteriaVersion | None:
    """The version that the request names, else the newest other one under which anything was said."""
    others = criteria_set.versions.exclude(pk=target.pk)
    form = SourceForm(request.POST or request.GET, versions=others)
    if form.is_valid():
        source: CriteriaVersion = form.cleaned_data["source"]
        return source
    said = others.filter(labels__isnull=False) | others.filter(rulings__isnull=False)
    return said.distinct().order_by("-number").first()


def show(request: Request, context: dict[str, Any], form: CarryForm, status: int = 200) -> HttpResponse:
    """The page. What people said of the rows on it is shown, and that is noted."""
    source, target = context["source"], context["target"]
    context |= {"form": form, "carryings": told(target)}
    if source is not None:
        diff = compare(spec_of(source), spec_of(target))
        form.begin_with(wording_only=diff.is_wording_only)
        context |= {"diff": diff}
        context |= listed(request, source, target)
        ticked = request.POST.getlist("rows") if form.is_bound else request.GET.getlist("row")
        context |= {"ticked": {whole(each) for each in ticked}}
    return render(request, "labeling/carry.html", context, status=status)


def listed(request: Request, source: CriteriaVersion, target: CriteriaVersion) -> dict[str, Any]:
    """A page of rows with what people said of them under `source`; `?row=` leaves only those."""
    rows, only = rows_to_carry(source, target), [whole(each) for each in request.GET.getlist("row")]
    if only:
        rows = rows.filter(pk__in=only)
    page = page_of(rows.order_by("pk").values_list("pk", flat=True), request, ROWS_PER_PAGE)
    ids = list(page.object_list)
    labels = Label.objects.current().filter(version=source).select_related("labeler")
    rulings = Ruling.objects.current().filter(version=source)
    shown = rows.filter(pk__in=ids).annotate(
        output_head=Left("output", 200),
        request_head=Left("request", CONTEXT),
        grounding_head=Left("grounding", CONTEXT),
    )
    said = (Prefetch("labels", labels, to_attr="said"), Prefetch("rulings", rulings, to_attr="ruled"))
    page.object_list = list(shown.only("pk", "split").order_by("pk").prefetch_related(*said))  # type: ignore[arg-type]
    record_exposure(user=request.user, version=source, candidate_ids=ids, what=Exposure.What.LABELS)
    return {"page": page, "only": only, "all_rows": rows_to_carry(source, target).count() if only else None}


def told(target: CriteriaVersion) -> list[dict[str, Any]]:
    """What was carried to a version: each with whether any of it still counts and can be taken back."""
    events = list(carryings_to(target)[:MOST_TOLD])
    stand = standing(target, events)
    return [{"event": each, "stands": each.pk in stand} for each in events]
