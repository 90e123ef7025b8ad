"""Reports of drills: whether a consumer stopped when it was told no."""

from datetime import datetime
from typing import Annotated, Any, Literal

from django.db.models import QuerySet
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.utils import timezone
from ninja import Field, Router, Schema
from ninja.errors import HttpError
from pydantic import StrictBool

from judging.access import token_sets
from judging.api.certifications import Limit, Number, token_of
from judging.api.schemas import ErrorOut
from judging.auth import Bearer
from judging.models import Drill
from judging.services.drills import LONGEST_NOTE, BadNote, DrillRefused, report_drill

router = Router(auth=Bearer("gate"), tags=["gate drill"])
_ERRORS: dict[int, Any] = {401: ErrorOut, 403: ErrorOut, 404: ErrorOut, 422: ErrorOut}


class ReportIn(Schema):
    """Whether the consumer stopped at the rehearsed answer; `note`: whatever helps to see why."""

    stopped: StrictBool
    note: Annotated[str, Field(max_length=LONGEST_NOTE)] = ""


class DrillOut(Schema):
    """A rehearsed answer and what became of it. `stopped` and `reported_at` are null until it is reported."""

    id: int
    judge: str
    criteria: str
    answer: Literal["uncertified", "expired", "suspended", "unavailable"]
    asked_at: datetime
    stopped: bool | None
    reported_at: datetime | None
    note: str


class DrillPage(Schema):
    """The token's own drills, newest first; `next_cursor` asks for those after them."""

    items: list[DrillOut]
    next_cursor: int | None


@router.get("drills", response={200: DrillPage, **_ERRORS})
def drills(request: HttpRequest, cursor: Number | None = None, limit: Limit = 50) -> dict[str, Any]:
    """What this token rehearsed, and what it reported."""
    found = _own(request)
    page = list((found.filter(pk__lt=cursor) if cursor else found).order_by("-pk")[: limit + 1])
    following = page[limit - 1].pk if len(page) > limit else None
    return {"items": [_shown(each) for each in page[:limit]], "next_cursor": following}


@router.get("drills/{int:drill}", response={200: DrillOut, **_ERRORS})
def drill(request: HttpRequest, drill: int) -> dict[str, Any]:
    """One drill of this token."""
    return _shown(get_object_or_404(_own(request), pk=drill))


@router.post("drills/{int:drill}", response={200: DrillOut, 409: ErrorOut, **_ERRORS})
def report(request: HttpRequest, drill: int, sent: ReportIn) -> dict[str, Any]:
    """Report whether the consumer stopped: once, by the token that asked."""
    found = get_object_or_404(_own(request), pk=drill)
    try:
        reported = report_drill(drill=found, stopped=sent.stopped, note=sent.note, now=timezone.now())
    except DrillRefused as refusal:
        raise HttpError(409, str(refusal)) from None
    except BadNote as problem:
        raise HttpError(422, f"The note cannot be kept: {problem}") from None
    return _shown(_own(request).get(pk=reported.pk))


def _own(request: HttpRequest) -> QuerySet[Drill]:
    """Another token's drills are nobody's business, nor are those on sets that it no longer covers."""
    token = token_of(request)
    own = Drill.objects.filter(token=token, criteria_set__in=token_sets(token))
    return own.select_related("judge", "criteria_set")


def _shown(drill: Drill) -> dict[str, Any]:
    return {
        "id": drill.pk,
        "judge": drill.judge.slug,
        "criteria": drill.criteria_set.slug,
        "answer": drill.answer,
        "asked_at": drill.asked_at,
        "stopped": drill.stopped,
        "reported_at": drill.reported_at,
        "note": drill.note,
    }
