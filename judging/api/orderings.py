"""How a judge orders reference sets."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from ninja import Router

from judging.access import token_sets
from judging.api.caching import kept
from judging.api.certifications import MAX_AGE, Number, check_query, token_of
from judging.api.schemas import ErrorOut, OrderingOut
from judging.auth import Bearer
from judging.services.order_resource import newest_result, order_resource
from judging.services.readers import note_reads
from judging.services.standing import find_standing

router = Router(auth=Bearer("gate"), tags=["certification"])


@router.get(
    "orderings/{judge}/{criteria}",
    response={200: OrderingOut, 401: ErrorOut, 403: ErrorOut, 404: ErrorOut, 422: ErrorOut},
)
def ordering(
    request: HttpRequest,
    judge: str,
    criteria: str,
    version: Number | None = None,
    judge_version: Number | None = None,
) -> HttpResponse:
    """What the newest run over reference sets found of a judge: its live version unless another is named."""
    check_query(request, "version", "judge_version")
    token = token_of(request)
    standing = find_standing(
        judge=judge,
        criteria=criteria,
        sets=token_sets(token),
        now=timezone.now(),
        judge_version=judge_version,
        version=version,
    )
    note_reads(token=token, reads=[standing.key], now=standing.now)
    return kept(request, JsonResponse(order_resource(standing, newest_result(standing))), MAX_AGE)
