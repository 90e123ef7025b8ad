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
from labeling.services.queue_state import DrawState, queue_state

router = Router(auth=Bearer("submit", "export"), tags=["labeling"])


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
    may_know = token_of(request).allows("export")
    state = queue_state(version=chosen, now=timezone.now(), with_settled=may_know)
    about: dict[str, Any] = {"criteria": criteria, "criteria_version": chosen.number}
    numbers = {name: getattr(state, name) for name in _NUMBERS}
    response = JsonResponse(about | numbers | {"draws": [_shown(each) for each in state.draws]})
    response["Cache-Control"] = "no-store"
    return response


_NUMBERS = ("waiting", "second", "held", "with_leads", "done", "settled")


def _shown(state: DrawState) -> dict[str, Any]:
    draw = state.draw
    return {
        "id": draw.pk,
        "strategy": draw.strategy,
        "drawn": state.drawn,
        "labelled": state.labelled,
        "created_at": draw.created_at,
    }
