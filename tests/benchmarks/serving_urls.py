"""The site's addresses and two more, for measuring: a comparable view and an empty one."""

from django.db.models import F
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import path

from judging.auth import Bearer
from judging.models import Certificate
from vera_site.urls import urlpatterns as site

_COLUMNS = (
    *("status", "reasons", "warnings", "rule", "bar", "kappa", "interval_low", "interval_high"),
    *("lower_bound", "n", "n_pass", "n_fail", "agreement", "coverage", "kappa_worst_case", "attempt"),
    *("opened_rows", "calibrated_at", "expires_at"),
)
_NAMES = {
    "judge": F("judge_version__judge__slug"),
    "judge_version_number": F("judge_version__number"),
    "fingerprint": F("judge_version__fingerprint"),
    "criteria": F("criteria_version__criteria_set__slug"),
    "criteria_version_number": F("criteria_version__number"),
}


def comparable(request: HttpRequest, judge: str, criteria: str) -> HttpResponse:
    """What one would write by hand: look the token up, SELECT the certificate, answer with its columns."""
    Bearer("gate")(request)
    named = {"judge_version__judge__slug": judge, "criteria_version__criteria_set__slug": criteria}
    found = Certificate.objects.filter(superseded_at=None, **named).values(*_COLUMNS, **_NAMES)[:1]
    return JsonResponse(found[0])


def empty(request: HttpRequest) -> HttpResponse:
    """The middleware alone."""
    return HttpResponse(b"")


urlpatterns = [
    path("bench/comparable/<slug:judge>/<slug:criteria>", comparable),
    path("bench/empty", empty),
    *site,
]
