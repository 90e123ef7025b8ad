"""The badge: certified or not, for a README or a wiki page."""

from dataclasses import replace
from typing import Annotated

from django.contrib.auth.models import AnonymousUser, User
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils import timezone
from ninja import Query, Router, Schema

from judging.access import token_sets
from judging.api.caching import kept
from judging.api.certifications import MAX_AGE
from judging.auth import Bearer, refuse_token_in_url
from judging.domain.badges import Facts, Show, Style, Theme, colour, drawing, words
from judging.domain.certificate_states import state_of
from judging.services.readers import note_reads
from judging.services.standing import Standing, find_standing
from labeling.access import visible_sets
from labeling.models import CriteriaSet

router = Router(tags=["certification"])


class Look(Schema):
    """What a badge shows and how it looks."""

    show: Show = "usual"
    style: Style = "flat"
    theme: Theme = "light"


@router.get("badge/{judge}/{criteria}.svg", url_name="badge")
def badge(request: HttpRequest, judge: str, criteria: str, look: Annotated[Look, Query()]) -> HttpResponse:
    """The live state as an SVG image: public where the criteria set says so, else for its readers."""
    standing, is_public = _found(request, judge, criteria)
    drawn = drawing(_facts(standing), look.show, look.style, look.theme)
    image = render(request, "judging/badge.svg", drawn, content_type="image/svg+xml")
    return kept(request, image, standing.seconds_left(MAX_AGE), public=is_public)


@router.get("badge/{judge}/{criteria}.json", url_name="badge_json")
def badge_json(request: HttpRequest, judge: str, criteria: str, show: Show = "usual") -> HttpResponse:
    """The same for shields.io, which draws it: its “endpoint badge”, schema version 1."""
    standing, is_public = _found(request, judge, criteria)
    facts = _facts(standing)
    told = {
        "schemaVersion": 1,
        "label": facts.name,
        "message": words(facts, show),
        "color": colour(facts),
        "isError": not facts.certified,
    }
    return kept(request, JsonResponse(told), standing.seconds_left(MAX_AGE), public=is_public)


def _found(request: HttpRequest, judge: str, criteria: str) -> tuple[Standing, bool]:
    """How the judge stands, and whether anybody may see it."""
    refuse_token_in_url(request)
    public = CriteriaSet.objects.filter(slug=criteria, public_badge=True)
    is_public = public.exists()
    token = Bearer("gate")(request) if "Authorization" in request.headers and not is_public else None
    sets = public if is_public else token_sets(token) if token else _sets_of_user(request)
    standing = find_standing(judge=judge, criteria=criteria, sets=sets, now=timezone.now())
    if token:
        note_reads(token=token, reads=[standing.key], now=standing.now)
    return standing, is_public


def _sets_of_user(request: HttpRequest) -> QuerySet[CriteriaSet]:
    user = request.user
    assert isinstance(user, User | AnonymousUser)
    return visible_sets(user)


def _facts(standing: Standing) -> Facts:
    version, certificate = standing.judge_version, standing.certificate
    known = Facts(version.judge.slug, "uncertified", certified=False, from_file=version.has_recorded)
    if certificate is None:
        return known
    state = state_of(standing.status, [reason.code for reason in standing.reasons])
    return replace(
        known,
        state=str(state),
        certified=standing.certified,
        kappa=certificate.shown_kappa,
        bound="" if certificate.lower_bound is None else certificate.shown_bound,
        rows=certificate.n,
        until=f"{certificate.expires_at:%-d %b %Y}",
    )
