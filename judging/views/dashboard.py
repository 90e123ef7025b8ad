"""Which judges may be trusted: all of them at a glance, and one with everything behind its answer."""

from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any

from django.contrib.auth.decorators import login_required
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from judging.access import check_lead
from judging.models import Certificate, Judge, PanelMember
from judging.services.standing import Standing, UnknownName, find_standing
from judging.views.evidence import evidence_of
from judging.views.interval import drawing_to_explain
from judging.views.layer1 import Named, named_by_version
from judging.views.pairs import Pair, load_pairs
from judging.views.tabs import page_about
from labeling.access import get_led_set, led_sets
from labeling.models import CriteriaSet, CriteriaVersion
from labeling.views.scope import page_of
from vera_site.http import Request

_PER_PAGE = 10
_MOST_UNMEASURED = 50


@dataclass(frozen=True, slots=True)
class Group:
    """The judges on one criteria version, and the checks of Layer 1 that kill too much good work there."""

    version: CriteriaVersion
    pairs: list[Pair]
    above: list[Named]


@login_required
@require_safe
def dashboard(request: Request) -> HttpResponse:
    """Every judge that was ever measured on a criteria set that the reader leads, and those that were not."""
    check_lead(request.user)
    sets, now = led_sets(request.user), timezone.now()
    page = page_of(_measured(sets, now), request, _PER_PAGE)
    context: dict[str, Any] = {"section": "dashboard", "page": page, "explained": drawing_to_explain()}
    context["groups"] = _groups(load_pairs([(key["of_set"], key["by_judge"]) for key in page], now))
    context["gating"] = _gating(sets, now)
    context["unmeasured"] = list(_unmeasured(sets)[:_MOST_UNMEASURED])
    return render(request, "judging/dashboard.html", context)


def _groups(pairs: list[Pair]) -> list[Group]:
    """The pairs by criteria set, in their order, with the Layer-1 checks that are above the limit there."""
    above = named_by_version({pair.criteria_version.pk for pair in pairs})
    by_set = [list(those) for _, those in groupby(pairs, lambda pair: pair.criteria_version.criteria_set_id)]
    versions = [those[0].criteria_version for those in by_set]
    return [Group(*each, above.get(each[0].pk, [])) for each in zip(versions, by_set, strict=True)]


def _measured(sets: QuerySet[CriteriaSet], now: datetime) -> QuerySet[Certificate, Any]:
    """Judge and criteria set of every certificate in force, once each; within a set the open ones first."""
    current = Certificate.objects.current().within(sets)
    keys = current.values(
        of_set=F("criteria_version__criteria_set"),
        by_judge=F("judge_version__judge"),
        set_slug=F("criteria_version__criteria_set__slug"),
        judge_slug=F("judge_version__judge__slug"),
    )
    gates = Q(
        status=Certificate.Status.CERTIFIED,
        expires_at__gt=now,
        judge_version=F("judge_version__judge__live_version"),
        criteria_version=F("criteria_version__criteria_set__live_version"),
    )
    return keys.annotate(open=Count("pk", filter=gates)).order_by("set_slug", "-open", "judge_slug")


def _gating(sets: QuerySet[CriteriaSet], now: datetime) -> int:
    """How many judges the gate is open to, each counted once for every criteria set."""
    live = Certificate.objects.current().within(sets).of_judge_version(None).of_criteria_version(None)
    return live.certified(now).count()


def _unmeasured(sets: QuerySet[CriteriaSet]) -> QuerySet[Judge]:
    """Judges without any certificate there. Jurors of a live panel are measured with it and left out."""
    measured = Certificate.objects.current().within(sets).filter(judge_version__judge=OuterRef("pk"))
    seats = PanelMember.objects.filter(juror__judge=OuterRef("pk"), panel=F("panel__judge__live_version"))
    judges = Judge.objects.filter(~Exists(measured), ~Exists(seats), live_version__isnull=False)
    return judges.select_related("live_version").order_by("slug")


@login_required
@require_safe
def certification(request: Request, judge: str, criteria: str) -> HttpResponse:
    """One judge on one criteria set: the answer, its doubt and what it rests on."""
    standing = standing_or_404(request, judge, criteria)
    context = page_about(standing, "certification") | evidence_of(standing)
    return render(request, "judging/certification.html", context)


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
