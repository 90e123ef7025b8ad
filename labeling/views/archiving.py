"""Putting a criteria set aside, and back."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from labeling.access import get_led_set
from labeling.models import Draft, Slot
from labeling.services.archiving import archive_set, restore_set
from labeling.views.scope import head
from vera_site.http import Request


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def set_archive(request: Request, slug: str) -> HttpResponse:
    """GET: what it would do. POST: archive the set or, where `restore` is sent, bring it back."""
    criteria_set = get_led_set(request.user, slug)
    if request.method != "POST":
        waiting = Slot.objects.filter(version=criteria_set.live_version, state=Slot.State.OPEN)
        context = head(request.user, criteria_set, "settings") | {
            "waiting": waiting.values("candidate").distinct().count(),
            "drafts": Draft.objects.filter(version__criteria_set=criteria_set).count(),
        }
        return render(request, "labeling/archive.html", context)
    if "restore" in request.POST:
        restore_set(criteria_set=criteria_set, actor=request.user)
        messages.success(request, f"“{criteria_set.name}” is back: it takes labels and rows again.")
        return redirect("golden", slug)
    archive_set(criteria_set=criteria_set, actor=request.user)
    messages.success(request, f"“{criteria_set.name}” is archived. It stands folded at the end of this page.")
    return redirect("home")
