"""Which judges may be trusted: all of them at a glance, and one with everything behind its answer."""

from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from judging.access import check_lead
from judging.models import Certificate
from judging.services.standing import Standing, UnknownName, find_standing
from judging.views.evidence import evidence_of
from judging.views.interval import IntervalDrawing, interval_drawing
from labeling.access import get_led_set, led_sets
from labeling.models import CriteriaSet
from vera_site.http import Request

_PER_PAGE = 50
_MOST_LAPSED = 50


@dataclass(frozen=True)
class Cell:
    """One judge version on one criteria version."""

    standing: Standing
    drawing: IntervalDrawing | None
    is_live: bool


@login_required
@require_safe
def dashboard(request: Request) -> HttpResponse:
    """Every certificate in force of the criteria sets that the reader leads."""
    check_lead(request.user)
    found = _certificates(led_sets(request.user))
    page = Paginator(found, _PER_PAGE).get_page(request.GET.get("page"))
    now = timezone.now()
    cells = [_cell(Standing(each.judge_version, each.criteria_version, each, now)) for each in page]
    context = {"section": "dashboard", "cells": cells, "page": page}
    context["lapsed"] = _lapsed(led_sets(request.user), now)
    return render(request, "judging/dashboard.html", context)


def _certificates(sets: QuerySet[CriteriaSet]) -> QuerySet[Certificate]:
    found = Certificate.objects.current().not_outdated().within(sets).with_names()
    return found.order_by(
        "criteria_version__criteria_set__slug",
        "-criteria_version__number",
        "judge_version__judge__slug",
        "-judge_version__number",
    )


def _lapsed(sets: QuerySet[CriteriaSet], now: datetime) -> list[Standing]:
    """The live judges that a promotion left without a certificate, once each; at most fifty."""
    found = (
        Certificate.objects.current()
        .lapsed()
        .within(sets)
        .select_related(
            "judge_version__judge__live_version__judge",
            "criteria_version__criteria_set__live_version__criteria_set",
        )
        .order_by("criteria_version__criteria_set__slug", "judge_version__judge__slug")
    )
    live = {
        (each.judge_version.judge.live_version, each.criteria_version.criteria_set.live_version): None
        for each in found
    }
    return [Standing(by, of, None, now) for by, of in live if by and of][:_MOST_LAPSED]


def _cell(standing: Standing) -> Cell:
    return Cell(standing, interval_drawing(standing), _is_live(standing))


def _is_live(standing: Standing) -> bool:
    judge, criteria_set = standing.judge_version.judge, standing.criteria_version.criteria_set
    live = (judge.live_version_id, criteria_set.live_version_id)
    return live == (standing.judge_version.pk, standing.criteria_version.pk)


@login_required
@require_safe
def certification(request: Request, judge: str, criteria: str) -> HttpResponse:
    """One judge on one criteria set: the answer, its doubt and what it rests on."""
    standing = standing_or_404(request, judge, criteria)
    context = {"section": "dashboard", "cell": _cell(standing), "standing": standing}
    context["versions"] = versions_query(standing)
    return render(request, "judging/certification.html", context | evidence_of(standing))


def versions_query(standing: Standing) -> str:
    """The part of an address that keeps the reader at these versions."""
    return f"?judge_version={standing.judge_version.number}&version={standing.criteria_version.number}"


def standing_or_404(request: Request, judge: str, criteria: str) -> Standing:
    """How the judge stands, for leads of the criteria set, at the versions that the address names."""
    criteria_set = get_led_set(request.user, criteria)
    try:
        return find_standing(
            judge=judge,
            criteria=criteria,
            sets=CriteriaSet.objects.filter(pk=criteria_set.pk),
            now=timezone.now(),
            judge_version=_number(request, "judge_version"),
            version=_number(request, "version"),
        )
    except UnknownName as problem:
        raise Http404(str(problem)) from None


def _number(request: HttpRequest, name: str) -> int | None:
    given = request.GET.get(name, "")
    if not given:
        return None
    if not (given.isascii() and given.isdigit() and len(given) < 10):
        raise Http404("There is no such version.")
    return int(given)
