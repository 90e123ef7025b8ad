"""Whether a judge may be trusted: the resource that everything downstream reads."""

from typing import Annotated, Any, Literal

from django.db.models import Q
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from ninja import Query, Router
from ninja.errors import ValidationError
from pydantic import Field

from judging.access import token_sets
from judging.api.caching import kept
from judging.api.rehearsals import (
    Answer,
    RehearsedCertificationOut,
    RehearsedErrorOut,
    RehearsedRefuseOut,
    rehearsed_certification,
    rehearsed_gate,
)
from judging.api.schemas import AllowOut, CertificationOut, CertificationPage, ErrorOut, RefuseOut
from judging.auth import Bearer
from judging.models import ApiToken, Certificate
from judging.services.readers import note_reads
from judging.services.resource import resource, sentences
from judging.services.standing import ANSWERED, Standing, find_standing

MAX_AGE = 60  # seconds; a change of state is seen within a minute at the latest
_LARGEST = 2**31 - 1
_MOST_TOLD, _LONGEST_TOLD = 10, 80  # unknown parameters that are named, and characters of each

Number = Annotated[int, Field(ge=1, le=_LARGEST)]
Limit = Annotated[int, Field(ge=1, le=200)]

router = Router(auth=Bearer("gate"), tags=["certification"])
Rehearse = Annotated[
    Answer | None,
    Query(description="A drill: the refusal that this would be, marked as rehearsed. Never certifies."),
]
_ERRORS: dict[int, Any] = {401: ErrorOut, 403: ErrorOut, 404: ErrorOut, 422: ErrorOut}


def token_of(request: HttpRequest) -> ApiToken:
    """The token that the request was let in by."""
    token = getattr(request, "auth", None)
    assert isinstance(token, ApiToken)
    return token


def check_query(request: HttpRequest, *known: str) -> None:
    """Refuse every other parameter: a misspelt `rehearse` would be answered as if nothing were rehearsed."""
    unknown = [name for name in request.GET if name not in known]
    if unknown:
        reason = f"There is no such parameter here, but: {', '.join(known)}."
        raise ValidationError(
            [{"loc": ("query", name[:_LONGEST_TOLD]), "msg": reason} for name in unknown[:_MOST_TOLD]]
        )


def _standing(
    request: HttpRequest, judge: str, criteria: str, judge_version: int | None, version: int | None
) -> Standing:
    check_query(request, "version", "judge_version", "rehearse")
    token = token_of(request)
    standing = find_standing(
        judge=judge,
        criteria=criteria,
        sets=None if token.every_criteria_set else token_sets(token),
        now=timezone.now(),
        judge_version=judge_version,
        version=version,
        columns=ANSWERED,
    )
    note_reads(token=token, reads=[standing.key], now=standing.now)
    return standing


@router.get(
    "certifications/{judge}/{criteria}",
    response={
        200: CertificationOut | RehearsedCertificationOut,
        429: ErrorOut,
        503: RehearsedErrorOut,
        **_ERRORS,
    },
)
def certification(
    request: HttpRequest,
    judge: str,
    criteria: str,
    version: Number | None = None,
    judge_version: Number | None = None,
    rehearse: Rehearse = None,
) -> HttpResponse:
    """How a judge stands on a criteria set: its live versions unless others are named."""
    standing = _standing(request, judge, criteria, judge_version, version)
    if rehearse:
        return rehearsed_certification(token_of(request), standing, rehearse)
    return kept(request, JsonResponse(resource(standing)), standing.seconds_left(MAX_AGE))


@router.get(
    "gate/{judge}/{criteria}",
    response={
        200: AllowOut,
        409: RefuseOut | RehearsedRefuseOut,
        429: ErrorOut,
        503: RehearsedErrorOut,
        **_ERRORS,
    },
)
def gate(
    request: HttpRequest,
    judge: str,
    criteria: str,
    version: Number | None = None,
    judge_version: Number | None = None,
    rehearse: Rehearse = None,
) -> HttpResponse:
    """200 only when the judge is certified now, so that `curl --fail` gates on it."""
    standing = _standing(request, judge, criteria, judge_version, version)
    if rehearse:
        return rehearsed_gate(token_of(request), standing, rehearse)
    if standing.certified:
        response = JsonResponse({"allow": True})
    else:
        response = JsonResponse({"allow": False, "reasons": sentences(standing.reasons)}, status=409)
    response["Cache-Control"] = "no-store"
    return response


@router.get("certifications", response={200: CertificationPage, **_ERRORS})
def certifications(
    request: HttpRequest,
    judge: str = "",
    criteria: str = "",
    status: Literal["certified", "uncertified", ""] = "",
    cursor: Number | None = None,
    limit: Limit = 50,
) -> HttpResponse:
    """The certificates in force, of all versions, newest first."""
    check_query(request, "judge", "criteria", "status", "cursor", "limit")
    now = timezone.now()
    found = Certificate.objects.current().within(token_sets(token_of(request)))
    found = found.filter(_wanted(judge, criteria, cursor))
    if status:
        found = found.certified(now) if status == "certified" else found.uncertified(now)
    page = list(found.with_names().order_by("-pk")[: limit + 1])
    shown = [Standing(each.judge_version, each.criteria_version, each, now) for each in page[:limit]]
    note_reads(token=token_of(request), reads={each.key for each in shown}, now=now)
    following = page[limit - 1].pk if len(page) > limit else None
    response = JsonResponse({"items": [resource(each) for each in shown], "next_cursor": following})
    response["Cache-Control"] = "no-store"
    return response


def _wanted(judge: str, criteria: str, cursor: int | None) -> Q:
    wanted = Q()
    if judge:
        wanted &= Q(judge_version__judge__slug=judge)
    if criteria:
        wanted &= Q(criteria_version__criteria_set__slug=criteria)
    return wanted & Q(pk__lt=cursor) if cursor else wanted
