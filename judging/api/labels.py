"""Labels out: what people said, page after page."""

from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from ninja import Query, Router, Schema
from pydantic import AwareDatetime, Field

from judging.access import token_sets
from judging.api.certifications import Number, check_query, token_of
from judging.api.schemas import ErrorOut
from judging.auth import Bearer
from judging.services.standing import criteria_version
from labeling.services.label_pages import GivenLabel, labels_page, note_taken_out

# Who gave which label is told here: a token that may only ask about certificates is not enough.
router = Router(auth=Bearer("export"), tags=["labeling"])

Cursor = Annotated[int, Query(ge=0, le=2**63 - 1, description="`next_cursor` of the page before.")]
Limit = Annotated[int, Query(ge=1, le=1000)]
Since = Annotated[
    AwareDatetime | None,
    Query(
        description="Only labels given, or imported, at this moment or later, with its zone.",
        ge=datetime(1, 1, 2, tzinfo=UTC),  # what lies beyond is no moment in another zone
        le=datetime(9999, 12, 30, tzinfo=UTC),
    ),
]
Every = Annotated[bool, Query(alias="all", description="Also labels that were superseded or withdrawn.")]


class LabelOut(Schema):
    """One person's verdict on one candidate. `external_ids`: under which the candidate came. `blind`: given
    without having been shown what others or judges said. `seconds`, `idle_seconds`: with and without anybody
    touching the page, null where nobody measured. `supersedes`: the label that this one corrects.
    """

    id: int
    candidate: int
    content_hash: str
    external_ids: list[str]
    split: Literal["tune", "certify"]
    labeler: str
    verdict: Literal["pass", "fail"]
    marks: dict[str, int]
    comment: str
    blind: bool
    seconds: int | None
    idle_seconds: int | None
    source: Literal["browser", "import", "api", "carried", "history"]
    supersedes: int | None
    superseded_at: datetime | None
    withdrawn_at: datetime | None
    created_at: datetime


class LabelPage(Schema):
    """Labels by their ids, oldest first; `next_cursor` asks for those after them, null at the end."""

    criteria: str
    criteria_version: int
    items: list[LabelOut]
    next_cursor: int | None


@router.get(
    "labels",
    response={200: LabelPage, **dict.fromkeys([401, 403, 404, 422], ErrorOut)},
)
def labels(
    request: HttpRequest,
    criteria: Annotated[str, Field(min_length=1, max_length=80)],
    version: Number | None = None,
    cursor: Cursor = 0,
    limit: Limit = 200,
    since: Since = None,
    every: Every = False,
) -> HttpResponse:
    """What people said under a criteria version, the live one unless another is named.

    A label never changes and its id is never used again, so a page stays what it was while people go on: what
    comes later comes after. A correction is a label of its own that names the one it supersedes. Rulings are
    no labels. That labels were taken out is on record.
    """
    check_query(request, "criteria", "version", "cursor", "limit", "since", "all")
    token = token_of(request)
    chosen = criteria_version(criteria, version, token_sets(token))
    shown, following = labels_page(version=chosen, after=cursor, limit=limit, since=since, every=every)
    note_taken_out(version=chosen, reader=f"token {token.pk}, {token.name}", now=timezone.now())
    response = JsonResponse(
        {
            "criteria": criteria,
            "criteria_version": chosen.number,
            "items": [_shown(each) for each in shown],
            "next_cursor": following,
        }
    )
    response["Cache-Control"] = "no-store"
    return response


def _shown(out: GivenLabel) -> dict[str, Any]:
    label = out.label
    return {
        "id": label.pk,
        "candidate": label.candidate_id,
        "content_hash": label.candidate.content_hash,
        "external_ids": out.external_ids,
        "split": label.candidate.split,
        "labeler": label.labeler.username,
        "verdict": label.verdict,
        "marks": out.marks,
        "comment": label.comment,
        "blind": label.blind,
        "seconds": label.seconds,
        "idle_seconds": label.idle_seconds,
        "source": label.source,
        "supersedes": label.supersedes_id,
        "superseded_at": label.superseded_at,
        "withdrawn_at": label.withdrawn_at,
        "created_at": label.created_at,
    }
