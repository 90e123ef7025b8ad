"""Candidates in: a program feeds the labeling queue."""

from dataclasses import asdict
from typing import Any, Literal

from django.http import HttpRequest, HttpResponse, JsonResponse
from ninja import Router, Schema
from ninja.errors import HttpError
from pydantic import Field

from judging.access import token_sets
from judging.api.certifications import check_query, token_of
from judging.api.schemas import ErrorOut
from judging.api.submitted import MOST_ROWS, read_submitted
from judging.auth import Bearer
from judging.services.standing import UnknownName
from labeling.services.archiving import Archived
from labeling.services.candidates import NothingLive, Taken, take_candidates

router = Router(auth=Bearer("submit"), tags=["labeling"])

EXAMPLE = {
    "criteria": "support-replies",
    "candidates": [
        {
            "id": "ticket-4711",
            "request": "How do I reset my password?",
            "candidate": "Choose “Forgot password” on the login page and follow the link in the mail.",
            "grounding": "Help page 12: the link is good for an hour.",
            "generator_model": "acme/reply-7",
            "generator_family": "acme",
            "meta": {"latency_ms": 840},
        }
    ],
}


class CandidateIn(Schema):
    """One output under evaluation. Its four texts are what it is known by: request, candidate, grounding,
    criteria_text. `split`: fixed for life; left out it goes by the request, three of ten for tuning.
    """

    candidate: str
    request: str = ""
    grounding: str = ""
    criteria_text: str = ""
    id: str = Field("", max_length=200)
    generator_model: str = Field("", max_length=200)
    generator_family: str = Field("", max_length=80)
    truncated: bool = False
    meta: dict[str, Any] = {}
    split: Literal["tune", "certify"] | None = None


class CandidatesIn(Schema):
    """At most 1,000 candidates and 10 MB. `split`: of those that do not say; `hash` goes by the request."""

    criteria: str
    candidates: list[CandidateIn] = Field(min_length=1, max_length=MOST_ROWS)
    split: Literal["hash", "tune", "certify"] = "hash"


class CandidateOut(Schema):
    """What became of a candidate. `created`: the set did not have it. `queued`: people are asked about it."""

    id: int
    content_hash: str
    split: Literal["tune", "certify"]
    created: bool
    queued: bool


class CandidatesOut(Schema):
    """One for each candidate that was sent, in their order."""

    items: list[CandidateOut]


def _sent() -> dict[str, Any]:
    """The documentation of what `read_submitted` reads, which names the item and field at fault."""
    schema = CandidatesIn.model_json_schema()
    schema["properties"]["candidates"]["items"] = schema.pop("$defs")["CandidateIn"]
    return {"required": True, "content": {"application/json": {"schema": schema, "example": EXAMPLE}}}


@router.post(
    "candidates",
    response={200: CandidatesOut, **dict.fromkeys([400, 401, 403, 404, 409, 413, 422], ErrorOut)},
    openapi_extra={"requestBody": _sent()},
)
def candidates(request: HttpRequest) -> HttpResponse:
    """Send outputs to people: all of a delivery is taken, or nothing and every field at fault is named.

    A candidate is known by its four texts, so sending it again answers the same id with `created` false; safe
    to repeat whenever an answer was lost. That it came again under another id, from another generator or with
    other meta is kept beside it. New ones wait in the labeling queue of the set's live version.
    """
    check_query(request)
    token, sent = token_of(request), read_submitted(request)
    criteria_set = token_sets(token).filter(slug=sent.criteria).first()
    if criteria_set is None:
        raise UnknownName(f"There is no criteria set “{sent.criteria[:80]}” that you may send to.")
    try:
        taken = take_candidates(
            criteria_set=criteria_set,
            rows=sent.rows,
            split=sent.split,
            sender=f"token {token.pk}, {token.name}",
        )
    except (Archived, NothingLive) as problem:
        raise HttpError(409, str(problem)) from None
    response = JsonResponse({"items": [_shown(each) for each in taken]})
    response["Cache-Control"] = "no-store"
    return response


def _shown(taken: Taken) -> dict[str, Any]:
    shown = asdict(taken)
    return {"id": shown.pop("candidate"), **shown}
