"""How much a judge passes of live outputs, raw and corrected by its known errors."""

from typing import Annotated

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from ninja import Router, Schema
from pydantic import Field

from judging.access import token_sets
from judging.api.certifications import Number, check_query, token_of
from judging.api.schemas import ErrorOut
from judging.auth import Bearer
from judging.services.pass_rates import resource
from judging.services.readers import note_reads
from judging.services.standing import find_standing

Days = Annotated[int, Field(ge=1, le=365)]

router = Router(auth=Bearer("gate"), tags=["pass rates"])


class RateOut(Schema):
    """Shares 0 to 1 with 95 % intervals. What does not exist is null; `why_not_corrected` says why."""

    n: int
    passed: int
    skipped: int
    raw: float | None
    raw_interval: tuple[float, float] | None
    corrected: float | None
    corrected_interval: tuple[float, float] | None
    why_not_corrected: str | None


class GeneratorRateOut(RateOut):
    """The rate on the outputs of one generator model; "" where nobody said which."""

    generator_model: str


class PassRatesOut(RateOut):
    """The rate over the live rows of the last `days`, corrected by the errors on `golden_rows`."""

    judge: str
    judge_version: int
    criteria: str
    criteria_version: int
    days: int
    golden_rows: int
    generators: list[GeneratorRateOut]


@router.get(
    "pass-rates/{judge}/{criteria}",
    response={200: PassRatesOut, 401: ErrorOut, 403: ErrorOut, 404: ErrorOut, 422: ErrorOut},
)
def pass_rates(
    request: HttpRequest,
    judge: str,
    criteria: str,
    days: Days = 30,
    version: Number | None = None,
    judge_version: Number | None = None,
) -> HttpResponse:
    """What share of live outputs the judge passes, and what share people would, by generator too: the live
    versions' unless others are named."""
    check_query(request, "days", "version", "judge_version")
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
    response = JsonResponse(resource(standing, days))
    response["Cache-Control"] = "no-store"
    return response
