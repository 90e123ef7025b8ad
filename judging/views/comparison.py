"""Two judges, or two generators under one judge, on the same rows: what moved, and the rows that did."""

from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib.auth.decorators import login_required
from django.core.paginator import Page
from django.db.models import QuerySet
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from judging.access import check_lead
from judging.domain.comparison import Change
from judging.forms.comparison import CriteriaForm, GeneratorsForm, JudgesForm
from judging.models import Verdict
from judging.services.comparing import (
    CannotCompare,
    Compared,
    Moved,
    Paired,
    compared,
    further_outputs,
    further_words,
    generators,
    judges_on_certify_rows,
    judges_on_tune_rows,
    moved_of,
    moved_rows,
    open_moved,
    read_moved,
    visible_rows,
)
from judging.services.disclosure import log_shown
from judging.services.standing import find_standing
from judging.views.compare_choices import (
    choose_version,
    chosen_sides,
    judges_asked,
    named_counts,
    names_of_generators,
    sides_of,
    starting_sides,
    versions_of,
)
from judging.views.compare_words import Words, words_of
from judging.views.rows import with_labels
from labeling.access import led_sets
from labeling.models import CriteriaVersion
from labeling.views.scope import page_of
from vera_site.http import Request

_PER_PAGE = 10
_SHOW = {Change.FIXED.value: Change.FIXED, Change.REGRESSED.value: Change.REGRESSED}


@dataclass(frozen=True, slots=True)
class Sides:
    """Two named sides with their rows; `judge` says of generators' outputs which pass, else ""."""

    before: str
    after: str
    paired: Paired
    judge: str
    cautions: list[str]


@dataclass(frozen=True, slots=True)
class ShownRow:
    """One row that came out otherwise, with both verdicts; their candidates differ where generators do."""

    moved: Moved
    before: Verdict
    after: Verdict


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def comparison(request: Request) -> HttpResponse:
    """The choice of two sides, what became of their rows, and those that the reader may see."""
    check_lead(request.user)
    versions = versions_of(led_sets(request.user))
    version = choose_version(versions, request.GET)
    context: dict[str, Any] = {"section": "judges", "version": version, "what": request.GET.get("what", "")}
    if version is None:
        if request.GET.get("criteria"):
            raise Http404("There are no such criteria on which a run ended.")
        return render(request, "judging/compare.html", context)
    chosen = {"criteria": str(version), "what": context["what"] or "judges"}
    context["criteria_form"] = CriteriaForm(chosen, criteria=[(str(each), str(each)) for each in versions])
    context["form"] = form = _form(request, version)
    problem, sides = "", None
    if form.is_bound and form.is_valid():
        try:
            sides = _sides(form, version)
        except CannotCompare as wrong:
            problem = str(wrong)
    if sides is None:
        wrong_use = problem or (form.is_bound and form.errors)
        return render(
            request, "judging/compare.html", context | {"problem": problem}, status=422 if wrong_use else 200
        )
    return _answer(request, sides, context)


def _form(request: Request, version: CriteriaVersion) -> forms.Form:
    """Bound to what the address says; without sides there to those that a lead most likely means."""
    given = request.GET if request.GET.get("before") or request.GET.get("after") else None
    if request.GET.get("what") == "generators":
        names = [(name, name) for name in names_of_generators(version)]
        judges = judges_asked(version)
        return GeneratorsForm(given, judges=[(str(each), str(each)) for each in judges], generators=names)
    sides = sides_of(version)
    asked = chosen_sides(sides, given) if given else starting_sides(sides)
    return JudgesForm(asked, sides=[(each.value, each.text) for each in sides])


def _sides(form: forms.Form, version: CriteriaVersion) -> Sides:
    """Raises `CannotCompare`."""
    given = form.cleaned_data
    before, after = given["before"], given["after"]
    if isinstance(form, GeneratorsForm):
        return _generators(version, given["judge"], before, after)
    one, other = named_counts(version, before), named_counts(version, after)
    if given["rows"] == "tune":
        paired = judges_on_tune_rows(version, one.judge_version, other.judge_version)
    else:
        paired = judges_on_certify_rows(one, other)
    return Sides(_name(one.judge_version, before), _name(other.judge_version, after), paired, "", [])


def _name(judge: object, value: str) -> str:
    run = value.partition("/")[2]
    return f"{judge} (run {run})" if run else str(judge)


def _generators(version: CriteriaVersion, judge: str, before: str, after: str) -> Sides:
    slug, _, number = judge.partition("@")
    standing = find_standing(
        judge=slug,
        criteria=version.criteria_set.slug,
        sets=None,
        now=timezone.now(),
        judge_version=int(number),
        version=version.number,
    )
    cautions = []
    if not standing.certified:
        cautions.append(f"{judge} is not certified on {version}, so nobody knows what its opinion is worth.")
    if further := further_outputs(version, standing.judge_version, [before, after]):
        cautions.append(further_words(further))
    return Sides(before, after, generators(version, standing.judge_version, before, after), judge, cautions)


def _answer(request: Request, sides: Sides, context: dict[str, Any]) -> HttpResponse:
    paired = sides.paired
    rows = moved_rows(paired, _SHOW.get(request.GET.get("show", "")))
    if request.method == "POST":
        open_moved(reader=request.user, paired=paired, rows=rows, most=_PER_PAGE)
        return HttpResponseRedirect(request.get_full_path())
    found = compared(paired)
    page = page_of(read_moved(paired, visible_rows(paired, rows, request.user)), request, _PER_PAGE)
    words: Words = words_of(found, sides.before, sides.after, sides.judge)
    context |= {"sides": sides, "found": found, "words": words, "show": request.GET.get("show", "")}
    return render(request, "judging/compare.html", context | _rows(request, sides, found, rows, page))


def _rows(
    request: Request, sides: Sides, found: Compared, rows: QuerySet[Any], page: "Page[Any]"
) -> dict[str, Any]:
    shown = list(moved_of(sides.paired, page))
    ids = [pk for each in shown for pk in (each.before, each.after)]
    verdicts = with_labels(Verdict.objects.filter(pk__in=ids).with_answers(), sides.paired.version).in_bulk()
    seen = sorted({verdict.candidate_id for verdict in verdicts.values()})
    log_shown(reader=request.user, version=sides.paired.version, candidate_ids=seen)
    total = {"": found.changes.fixed + found.changes.regressed, "fixed": found.changes.fixed}
    total |= {"regressed": found.changes.regressed}
    closed = total.get(request.GET.get("show", ""), total[""]) - page.paginator.count
    return {
        "page": page,
        "rows": [ShownRow(each, verdicts[each.before], verdicts[each.after]) for each in shown],
        "closed": closed,
        "most": min(closed, _PER_PAGE),
        **_addresses(request),
    }


def _addresses(request: Request) -> dict[str, str]:
    """Of this comparison without page, and without page and choice of rows."""
    query = request.GET.copy()
    query.pop("page", None)
    keep = query.urlencode()
    query.pop("show", None)
    return {"keep": f"&{keep}" if keep else "", "whole": query.urlencode()}
