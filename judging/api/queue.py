"""How far labeling is, in numbers."""

from datetime import datetime
from typing import Any, Literal

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from ninja import Router, Schema

from judging.access import token_sets
from judging.api.certifications import Number, check_query, token_of
from judging.api.schemas import ErrorOut
from judging.auth import Bearer
from judging.services.standing import criteria_version
from labeling.services.queue_state import queue_state

router = Router(auth=Bearer("submit", "export"), tags=["labeling"])

_MOST_DRAWS = 20


class DrawOut(Schema):
    """Rows that a lead had drawn for people: how many, and how many of them have a label."""

    id: int
    strategy: Literal["random", "stratified", "disagreement"]
    drawn: int
    labelled: int
    created_at: datetime


class QueueOut(Schema):
    """Numbers of rows. `waiting`: for a first label; `second`: for another one; `held`: open on somebody's
    page now; `with_leads`: skipped by those who were asked; `done`: with all labels they want; `settled`:
    people's verdict is known, however it came. `draws`: those of leads, the newest twenty.
    `settled` is null for a token without the scope `export`: it moves with what people say, which a labeler
    who sends candidates must not learn.
    """

    criteria: str
    criteria_version: int
    waiting: int
    second: int
    held: int
    with_leads: int
    done: int
    settled: int | None
    draws: list[DrawOut]


@router.get(
    "queue/{criteria}",
    response={200: QueueOut, **dict.fromkeys([401, 403, 404, 422], ErrorOut)},
)
def queue(request: HttpRequest, criteria: str, version: Number | None = None) -> HttpResponse:
    """How far labeling is under a criteria version, the live one unless another is named; no verdicts."""
    check_query(request, "version")
    chosen = criteria_version(criteria, version, token_sets(token_of(request)))
    state = queue_state(chosen, timezone.now())
    numbers = {name: getattr(state, name) for name in _NUMBERS}
    if not token_of(request).allows("export"):
        numbers["settled"] = None
    about: dict[str, Any] = {"criteria": criteria, "criteria_version": chosen.number}
    draws = [{name: getattr(draw, name) for name in _OF_DRAW} for draw in state.draws[:_MOST_DRAWS]]
    response = JsonResponse(about | numbers | {"draws": draws})
    response["Cache-Control"] = "no-store"
    return response


_NUMBERS = ("waiting", "second", "held", "with_leads", "done", "settled")
_OF_DRAW = ("id", "strategy", "drawn", "labelled", "created_at")
