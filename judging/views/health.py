"""Signs of life for load balancers and orchestrators."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from judging.services.health import missing


@never_cache
@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """This process answers."""
    return JsonResponse({"status": "alive"})


@never_cache
@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """Database, broker and a worker are there; else 503 with a sentence for each that is not."""
    problems = missing(timezone.now())
    if problems:
        return JsonResponse({"status": "not ready", "missing": problems}, status=503)
    return JsonResponse({"status": "ready", "missing": {}})
