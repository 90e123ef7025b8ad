"""Who may touch what: an object somebody may see, or 404; a role somebody lacks, or 403.

Strangers get 404, not 403: that a criteria set exists is itself nobody's business.
"""

from typing import Any

from django.conf import settings
from django.contrib.auth.models import AnonymousUser, User
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.utils.functional import SimpleLazyObject

from labeling.models import CriteriaSet, Membership

AnyUser = User | AnonymousUser


def visible_sets(user: AnyUser) -> QuerySet[CriteriaSet]:
    """The criteria sets `user` is a member of; an administrator is a member of all."""
    if user.is_superuser:
        return CriteriaSet.objects.all()
    return CriteriaSet.objects.filter(memberships__user=user.pk or 0)


def led_sets(user: AnyUser) -> QuerySet[CriteriaSet]:
    """The criteria sets `user` leads; an administrator leads all."""
    if user.is_superuser:
        return CriteriaSet.objects.all()
    return CriteriaSet.objects.filter(memberships__user=user.pk or 0, memberships__role=Membership.Role.LEAD)


def leads(user: AnyUser, criteria_set: CriteriaSet) -> bool:
    """Whether `user` leads this criteria set."""
    return led_sets(user).filter(pk=criteria_set.pk).exists()


def get_set(user: AnyUser, slug: str) -> CriteriaSet:
    """The criteria set `slug`, for its members; 404 for everybody else."""
    return get_object_or_404(visible_sets(user).select_related("live_version"), slug=slug)


def get_led_set(user: AnyUser, slug: str) -> CriteriaSet:
    """The criteria set `slug` for its leads; 403 for its labelers, 404 for strangers."""
    criteria_set = get_set(user, slug)
    if not leads(user, criteria_set):
        raise PermissionDenied("Only a lead of this criteria set may do that.")
    return criteria_set


def is_lead(user: AnyUser) -> bool:
    """Whether `user` leads any criteria set; judges and runs are a lead's business."""
    return bool(user.is_authenticated) and led_sets(user).exists()


def roles(request: HttpRequest) -> dict[str, Any]:
    """Template context: whether to offer a lead's pages (asked only where used), whether this is the demo."""
    return {"user_is_lead": SimpleLazyObject(lambda: is_lead(request.user)), "is_demo": settings.VERA_DEMO}
