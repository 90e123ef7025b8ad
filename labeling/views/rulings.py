"""Rulings: the rows on which people disagree, for a lead to decide."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef, Prefetch, QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from labeling.access import get_led_set
from labeling.forms.rulings import RulingForm
from labeling.models import Candidate, CriteriaVersion, Exposure, Label, Ruling
from labeling.services.rulings import RulingRefused
from labeling.services.rulings import rule as record_ruling
from labeling.views.golden import candidate_context, note_shown
from labeling.views.scope import chosen_version, head, page_of
from vera_site.http import Request

ROWS_PER_PAGE = 10


@require_safe
@login_required
def rulings(request: Request, slug: str) -> HttpResponse:
    criteria_set = get_led_set(request.user, slug)
    version = chosen_version(criteria_set, request)
    page = page_of(conflicts(version, request.user), request, ROWS_PER_PAGE)
    for row in page:
        row.form = RulingForm(
            initial={"seen": row.standing[0].pk if row.standing else None}, auto_id=f"id_{row.pk}_%s"
        )
    note_shown(request.user, version, [row.pk for row in page])
    context = head(request.user, criteria_set, "rulings") | {"version": version, "page": page}
    return render(request, "labeling/rulings.html", context)


@require_POST
@login_required
def rule(request: Request, slug: str, pk: int) -> HttpResponse:
    criteria_set = get_led_set(request.user, slug)
    row = get_object_or_404(criteria_set.candidates, pk=pk)
    version = chosen_version(criteria_set, request)
    form = RulingForm(request.POST)
    ruling = try_to_rule(form, row, version, request.user)
    if ruling is None:
        context = candidate_context(request.user, criteria_set, row, version, form)
        return render(request, "labeling/candidate.html", context | {"may_rule": True}, status=422)
    tell(request, row, ruling)
    return redirect(reverse("rulings", args=[slug]) + f"?version={version.number}")


def conflicts(version: CriteriaVersion, user: User) -> "QuerySet[Any]":
    """Rows that people have not settled, with `said`, `standing` (a ruling without effect) and `exposed`."""
    said = Label.objects.current().filter(version=version).select_related("labeler")
    standing = Ruling.objects.current().filter(version=version).select_related("ruled_by")
    verdicts = Exposure.objects.filter(candidate=OuterRef("pk"), user=user, what=Exposure.What.VERDICTS)
    return (
        Candidate.objects.filter(criteria_set=version.criteria_set)
        .with_truth(version)
        .filter(truth="unresolved")
        .annotate(exposed=Exists(verdicts))
        .prefetch_related(
            Prefetch("labels", said.prefetch_related("marks__criterion"), to_attr="said"),
            Prefetch("rulings", standing, to_attr="standing"),
        )
    )


def try_to_rule(form: RulingForm, row: Candidate, version: CriteriaVersion, user: User) -> Ruling | None:
    """The ruling as recorded, or None with the reason on the form."""
    if not form.is_valid():
        return None
    try:
        return record_ruling(candidate=row, version=version, actor=user, **form.cleaned_data)
    except RulingRefused as refused:
        form.add_error(None, str(refused))
        return None


def tell(request: Request, row: Candidate, ruling: Ruling) -> None:
    """Say what was recorded, and where it settles nothing, why."""
    if ruling.blind or row.split != Candidate.Split.CERTIFY:
        messages.success(request, f"Row {row.pk} is ruled {ruling.verdict}.")
        return
    messages.warning(
        request,
        f"Your ruling on row {row.pk} is recorded, but you were shown a judge's verdict on it: the row stays "
        "contested until a lead who was not rules on it.",
    )
