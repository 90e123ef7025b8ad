"""The answers of a drill: what a consumer would be told, marked so that nobody takes it for the truth."""

from http import HTTPStatus
from typing import Literal

from django.http import HttpResponse, JsonResponse
from ninja.errors import HttpError

from judging.api.errors import error
from judging.api.schemas import CertificationOut, ErrorOut, RefuseOut
from judging.models import ApiToken
from judging.services.drills import RETRY_AFTER, UNAVAILABLE, DrillRefused, Rehearsed, begin_drill, rehearsed
from judging.services.resource import sentences
from judging.services.standing import Standing

Answer = Literal["uncertified", "expired", "suspended", "unavailable"]

HEADER = "Vera-Rehearsal"


class RehearsedCertificationOut(CertificationOut):
    """A certification that is only rehearsed; `drill` is where to report whether the consumer stopped."""

    rehearsal: Literal[True]
    drill: int


class RehearsedRefuseOut(RefuseOut):
    """A refusal that is only rehearsed."""

    rehearsal: Literal[True]
    drill: int


class RehearsedErrorOut(ErrorOut):
    """An error that is only rehearsed."""

    rehearsal: Literal[True]
    drill: int


def rehearsed_certification(token: ApiToken, standing: Standing, answer: Answer) -> HttpResponse:
    """The certification as it would be, with 503 where Vera is to seem unavailable."""
    found = rehearsed(standing, answer)
    return _marked(token, found, None if answer == "unavailable" else found.certification, HTTPStatus.OK)


def rehearsed_gate(token: ApiToken, standing: Standing, answer: Answer) -> HttpResponse:
    """The gate's refusal as it would be, likewise. Never `allow: true`."""
    found = rehearsed(standing, answer)
    refusal = {"allow": False, "reasons": sentences(found.reasons)}
    return _marked(token, found, None if answer == "unavailable" else refusal, HTTPStatus.CONFLICT)


def _marked(
    token: ApiToken, found: Rehearsed, body: dict[str, object] | None, status: HTTPStatus
) -> HttpResponse:
    try:
        drill = begin_drill(token=token, standing=found.standing, answer=found.answer, now=found.standing.now)
    except DrillRefused as refusal:
        raise HttpError(429, str(refusal)) from None
    mark: dict[str, object] = {"rehearsal": True, "drill": drill.pk}
    if body is None:
        response = error(503, UNAVAILABLE, beside=mark)
        response["Retry-After"] = str(RETRY_AFTER)
    else:
        response = JsonResponse(body | mark, status=status)
    response["Cache-Control"] = "no-store"
    response[HEADER] = found.answer
    return response
