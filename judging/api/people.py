"""How far people agree with each other: no judge can be expected to agree better with them."""

from typing import Annotated, Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from ninja import Router
from pydantic import Field

from judging.access import token_sets
from judging.api.schemas import ErrorOut, PeopleOut
from judging.auth import Bearer
from judging.models import ApiToken
from judging.services.standing import criteria_version
from labeling.domain.agreement import Interval
from labeling.domain.labelers import Compared
from labeling.services.criterion_agreement import CriterionAgreement, by_criterion
from labeling.services.human_agreement import human_agreement, people_with_people, shared_rows
from labeling.services.human_pairs import Pair, pairs_of
from labeling.services.self_agreement import self_agreement

Number = Annotated[int, Field(ge=1, le=2**31 - 1)]

# People are named here, so a token that may only ask about certificates is not enough.
router = Router(auth=Bearer("export"), tags=["certification"])


@router.get(
    "people/{criteria}",
    response={200: PeopleOut, 401: ErrorOut, 403: ErrorOut, 404: ErrorOut, 422: ErrorOut},
)
def people(request: HttpRequest, criteria: str, version: Number | None = None) -> HttpResponse:
    """People with people on a criteria set: all of them, the pairs with the most rows in common, each
    criterion by the marks it was given; and people with themselves, by rows that came up again.
    """
    token = getattr(request, "auth", None)
    assert isinstance(token, ApiToken)
    chosen = criteria_version(criteria, version, token_sets(token))
    found, ceiling = people_with_people(chosen), human_agreement(chosen)
    answer = JsonResponse(
        {
            "criteria": criteria,
            "criteria_version": chosen.number,
            "kappa": found.value if found else None,
            "interval": _ends(found.interval if found else None),
            "method": found.method if found else None,
            "n": found.rows if found else shared_rows(chosen),
            "pairs": [_pair(each) for each in pairs_of(chosen)],
            "per_criterion": [_criterion(each) for each in by_criterion(chosen)],
            "self_agreement": _self(self_agreement(chosen).pooled),
            # What is taken for the ceiling of judges: people with themselves where the others say nothing.
            "ceiling_method": ceiling.method if ceiling else None,
        }
    )
    answer["Cache-Control"] = "no-store"
    return answer


def _pair(pair: Pair) -> dict[str, Any]:
    kappa = pair.kappa
    return {
        "one": pair.one,
        "other": pair.other,
        "n": pair.rows,
        "agreement": pair.agreement,
        "kappa": kappa.value if kappa else None,
        "interval": _ends(kappa.interval if kappa else None),
    }


def _criterion(found: CriterionAgreement) -> dict[str, Any]:
    return {
        "criterion": found.criterion.name,
        "n": found.rows,
        "without_marks": found.without,
        "kappa": found.value,
        "interval": _ends(found.interval),
        "method": found.method or None,
    }


def _self(found: Compared) -> dict[str, Any]:
    share, kappa = found.share, found.kappa
    return {
        "n": found.rows,
        "agreement": share.value if share else None,
        "kappa": kappa.value if kappa else None,
        "interval": _ends(kappa.interval if kappa else None),
    }


def _ends(interval: Interval | None) -> list[float] | None:
    return [interval.low, interval.high] if interval else None
