"""Making another version of a judge live, with what that does to each gate in sight."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from judging.access import check_lead
from judging.services.promoting import changes_by_judge, promote_version
from judging.views.judges import version_or_404
from labeling.services.promotions import NotPromoted
from labeling.views.promotion import asked_about, confirmed_in, refusal, what_happened
from vera_site.http import Request


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def judge_promote(request: Request, slug: str, number: int) -> HttpResponse:
    """Make a version the live one; 409 with what has to be confirmed where that closes an open gate."""
    check_lead(request.user)
    version, refused = version_or_404(slug, str(number)), None
    changes = changes_by_judge(version)
    if request.method == "POST":
        try:
            promote_version(version=version, actor=request.user, **confirmed_in(request))
        except NotPromoted as problem:
            refused = refusal(problem)
        else:
            messages.success(request, what_happened(number, changes))
            return redirect("judge", slug)
    version.judge.refresh_from_db()
    live = version.judge.live_version
    context = {
        "section": "judges",
        "asked": asked_about(slug, number, live.number if live else None, changes, request.user),
        "refused": refused,
        "calibrate": f"?judge_version={version.pk}",
    }
    return render(request, "judging/judge_promote.html", context, status=409 if refused else 200)
