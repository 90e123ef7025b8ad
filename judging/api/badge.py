"""The badge: certified or not, for a README or a wiki page."""

from django.contrib.auth.models import AnonymousUser, User
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from ninja import Router

from judging.access import token_sets
from judging.api.caching import kept
from judging.api.certifications import MAX_AGE
from judging.auth import Bearer, refuse_token_in_url
from judging.services.standing import Standing, find_standing
from labeling.access import visible_sets
from labeling.models import CriteriaSet

router = Router(tags=["certification"])
_CHARACTER, _PADDING = 6.6, 16  # width of a character in 11 px, and of the space around a word


@router.get("badge/{judge}/{criteria}.svg")
def badge(request: HttpRequest, judge: str, criteria: str) -> HttpResponse:
    """The live state as an SVG image: public where the criteria set says so, else for its readers."""
    refuse_token_in_url(request)
    public = CriteriaSet.objects.filter(slug=criteria, public_badge=True)
    is_public = public.exists()
    sets = public if is_public else _sets_of_reader(request)
    standing = find_standing(judge=judge, criteria=criteria, sets=sets, now=timezone.now())
    image = render(request, "judging/badge.svg", _drawing(standing), content_type="image/svg+xml")
    return kept(request, image, standing.seconds_left(MAX_AGE), public=is_public)


def _sets_of_reader(request: HttpRequest) -> QuerySet[CriteriaSet]:
    if "Authorization" in request.headers:
        return token_sets(Bearer("gate")(request))
    user = request.user
    assert isinstance(user, User | AnonymousUser)
    return visible_sets(user)


def _drawing(standing: Standing) -> dict[str, object]:
    name = standing.judge_version.judge.slug
    text = _text(standing)
    left, right = (round(len(words) * _CHARACTER + _PADDING) for words in (name, text))
    return {
        "name": name,
        "text": text,
        "certified": standing.certified,
        "recorded": standing.judge_version.has_recorded,
        "left": left,
        "right": right,
        "width": left + right,
        "name_at": left / 2,
        "text_at": left + right / 2,
    }


def _text(standing: Standing) -> str:
    certificate = standing.certificate
    if certificate is None:
        return "uncertified · never calibrated"
    return f"{standing.status} · kappa {certificate.shown_kappa} · n {certificate.n}"
