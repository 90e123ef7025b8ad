"""Rulings: the rows on which people disagree or that nobody wanted to decide, for a lead."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_POST, require_safe

from labeling.access import get_led_set
from labeling.forms.rulings import PutBackForm, RulingForm, RulingsFilter
from labeling.models import Candidate, CriteriaVersion, Ruling
from labeling.services.leases import NotWanted
from labeling.services.passed_on import put_back
from labeling.services.rulings import RulingRefused
from labeling.services.rulings import rule as record_ruling
from labeling.views.golden import candidate_context, note_shown
from labeling.views.ruling_rows import dress, listed, rulers_of, ruling_counts, tells_of_others
from labeling.views.scope import chosen_version, head, page_of
from vera_site.http import Request, whole

ROWS_PER_PAGE = 10
_KEPT = ("show", "by", "page")  # of the address, from one act to the next


@require_safe
@login_required
def rulings(request: Request, slug: str) -> HttpResponse:
    criteria_set = get_led_set(request.user, slug)
    version = chosen_version(criteria_set, request)
    files = version.rulings.filter(superseded_at=None, ruled_by=None).exists()
    form = RulingsFilter(request.GET, rulers=rulers_of(version), files=files)
    page = page_of(listed(form, version, request.user), request, ROWS_PER_PAGE)
    rows = list(page)
    page.object_list = rows
    dress(rows, version)
    note_shown(request.user, version, [row.pk for row in rows if tells_of_others(row, request.user)])
    counts = ruling_counts(version)
    context = head(request.user, criteria_set, "rulings") | {"version": version, "page": page, "form": form}
    context |= {"counts": counts, "waiting_rulings": counts["waiting"], "kept": _kept(request, version)}
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
    return _on(request, version)


@require_POST
@login_required
def back(request: Request, slug: str, pk: int) -> HttpResponse:
    criteria_set = get_led_set(request.user, slug)
    row = get_object_or_404(criteria_set.candidates, pk=pk)
    version = chosen_version(criteria_set, request)
    form = PutBackForm(request.POST)
    try:
        note = form.cleaned_data["note"] if form.is_valid() else ""
        put_back(candidate=row, version=version, actor=request.user, note=note)
        messages.success(request, f"Row {row.pk} is back in the queue, before all others.")
    except NotWanted as refused:
        messages.warning(request, str(refused))
    return _on(request, version)


def _kept(request: Request, version: CriteriaVersion) -> str:
    """What the address says about the list, to come back to it, and which version an act is about."""
    kept = {name: request.GET[name] for name in _KEPT if request.GET.get(name)}
    return urlencode({"version": str(version.number)} | kept)


def _on(request: Request, version: CriteriaVersion) -> HttpResponseRedirect:
    """Back to the list, at the row that followed."""
    slug, following = version.criteria_set.slug, whole(request.POST.get("following", ""))
    at = f"#row-{following}" if following else ""
    return redirect(f"{reverse('rulings', args=[slug])}?{_kept(request, version)}{at}")


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
