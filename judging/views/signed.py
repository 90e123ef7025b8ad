"""The signed certificate as a file, for who decides from a page."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_safe

from judging.services.signing import CannotSign, sign_standing
from judging.views.dashboard import standing_or_404
from vera_site.http import Request


@login_required
@require_safe
def certificate_signed(request: Request, judge: str, criteria: str) -> HttpResponse:
    """Download what `gate --offline` believes without server or database."""
    standing = standing_or_404(request, judge, criteria)
    try:
        content = sign_standing(standing)
    except CannotSign as problem:
        messages.warning(request, str(problem))
        return redirect("certification", judge, criteria)
    response = JsonResponse(content, json_dumps_params={"indent": 2})
    response["Content-Disposition"] = f'attachment; filename="certificate-{judge}-{criteria}.json"'
    response["Cache-Control"] = "no-store"
    return response
