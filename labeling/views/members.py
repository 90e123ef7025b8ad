"""The members of a criteria set."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from labeling.access import get_led_set
from labeling.forms.members import MemberForm
from labeling.models import CriteriaSet
from labeling.services.members import MembershipRefused, remove_member, set_member
from labeling.views.scope import head, page_of
from vera_site.http import Request

MEMBERS_PER_PAGE = 50


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def members(request: Request, slug: str) -> HttpResponse:
    criteria_set = get_led_set(request.user, slug)
    form = MemberForm(request.POST or None)
    if form.is_valid() and try_to_set(form, criteria_set, request):
        return redirect("members", slug)
    everyone = criteria_set.memberships.select_related("user").order_by("user__username")
    context = head(request.user, criteria_set, "members")
    context |= {"form": form, "page": page_of(everyone, request, MEMBERS_PER_PAGE)}
    return render(request, "labeling/members.html", context, status=422 if form.is_bound else 200)


@require_POST
@login_required
def member_remove(request: Request, slug: str, pk: int) -> HttpResponse:
    criteria_set = get_led_set(request.user, slug)
    membership = get_object_or_404(criteria_set.memberships.select_related("user"), pk=pk)
    try:
        remove_member(membership=membership, actor=request.user)
        messages.success(request, f"{membership.user.username} is no longer a member.")
    except MembershipRefused as refused:
        messages.error(request, str(refused))
    return redirect("members", slug)


def try_to_set(form: MemberForm, criteria_set: CriteriaSet, request: Request) -> bool:
    """Whether the membership was recorded; where it was refused, the form says why."""
    try:
        membership = set_member(
            criteria_set=criteria_set,
            user=form.cleaned_data["user"],
            role=form.cleaned_data["role"],
            actor=request.user,
        )
    except MembershipRefused as refused:
        form.add_error(None, str(refused))
        return False
    messages.success(request, f"{membership.user.username} is now a {membership.role}.")
    return True
