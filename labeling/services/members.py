"""Who belongs to a criteria set, and as what."""

from collections.abc import Collection

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from labeling.access import AnyUser
from labeling.models import CriteriaSet, Membership
from labeling.services.audit import record
from labeling.services.guidelines import note_examples_shown
from labeling.services.passed_on import pass_on_stranded


class MembershipRefused(ValueError):
    """The membership was not changed; the text says why and what to do."""


@transaction.atomic
def set_member(*, criteria_set: CriteriaSet, user: User, role: str, actor: AnyUser) -> Membership:
    """Make `user` a member in this role. Raises `MembershipRefused` where no lead would be left."""
    _one_change_at_a_time(criteria_set.pk)
    membership = Membership.objects.filter(criteria_set=criteria_set, user=user).first()
    if membership and role != Membership.Role.LEAD:
        _keep_a_lead(membership)
    membership = membership or Membership(criteria_set=criteria_set, user=user)
    membership.role = role
    membership.save()
    note_examples_shown(criteria_set)
    record(actor=actor, action="member_set", subject=user.username, criteria_set=criteria_set, role=role)
    return membership


@transaction.atomic
def remove_member(*, membership: Membership, actor: AnyUser) -> None:
    """End a membership; what its holder said stays. Raises `MembershipRefused` for the last lead."""
    criteria_set = _one_change_at_a_time(membership.criteria_set_id)
    _keep_a_lead(membership)
    membership.delete()
    pass_on_stranded(criteria_set=criteria_set, now=timezone.now())
    record(
        actor=actor,
        action="member_removed",
        subject=membership.user.username,
        criteria_set=criteria_set,
    )


@transaction.atomic
def pass_on_rows_of(users: Collection[User]) -> None:
    """Give rows that only these people were left to label to the leads, now that their accounts are shut."""
    sets = CriteriaSet.objects.filter(memberships__user__in=users).distinct().order_by("pk")
    for criteria_set in sets.select_related("live_version"):
        pass_on_stranded(criteria_set=criteria_set, now=timezone.now())


def _one_change_at_a_time(criteria_set: int) -> CriteriaSet:
    # Not the key: who holds rows of the set meanwhile adds rows that refer to it.
    return CriteriaSet.objects.select_for_update(no_key=True).get(pk=criteria_set)


def _keep_a_lead(membership: Membership) -> None:
    leads = Membership.objects.filter(criteria_set=membership.criteria_set_id, role=Membership.Role.LEAD)
    if membership.role == Membership.Role.LEAD and not leads.exclude(pk=membership.pk).exists():
        raise MembershipRefused(
            f"{membership.user.username} is the only lead; make somebody else a lead first."
        )
