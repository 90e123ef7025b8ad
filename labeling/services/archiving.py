"""Criteria sets and drafts that nobody goes on with: put out of sight and back. Nothing is ever deleted."""

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from labeling.models import CriteriaSet, CriteriaVersion
from labeling.services.audit import record

CLOSED = "This criteria set is archived: it takes no labels and no rows until a lead restores it."


class Archived(ValueError):
    """The criteria set is archived and takes nothing new; the text says what to do."""


class NotArchived(ValueError):
    """This cannot be archived; the text says why."""


def check_open(criteria_set: CriteriaSet) -> None:
    """Raise `Archived` where the set takes no labels and no rows. Call it before taking any."""
    if criteria_set.archived_at:
        raise Archived(CLOSED)


@transaction.atomic
def archive_set(*, criteria_set: CriteriaSet, actor: User) -> CriteriaSet:
    """Put a set out of sight and close it to labels and rows; gates and the API go on answering.

    Done twice, it is recorded once. Returns the row as it is now.
    """
    locked = CriteriaSet.objects.select_for_update(no_key=True).get(pk=criteria_set.pk)
    if locked.archived_at is None:
        locked.archived_at = timezone.now()
        _save(locked, actor, "criteria_set_archived")
    return locked


@transaction.atomic
def restore_set(*, criteria_set: CriteriaSet, actor: User) -> CriteriaSet:
    """Bring an archived set back as it was; returns the row as it is now."""
    locked = CriteriaSet.objects.select_for_update(no_key=True).get(pk=criteria_set.pk)
    if locked.archived_at is not None:
        locked.archived_at = None
        _save(locked, actor, "criteria_set_restored")
    return locked


@transaction.atomic
def archive_version(*, version: CriteriaVersion, actor: User) -> None:
    """Fold a version away: it cannot be made live until restored. Raises `NotArchived` for the live one."""
    locked = CriteriaSet.objects.select_for_update(no_key=True).get(pk=version.criteria_set_id)
    if locked.live_version_id == version.pk:
        raise NotArchived(
            f"Version {version.number} is live: promote another one first, then archive this one."
        )
    found = locked.versions.filter(pk=version.pk, archived_at=None)
    if found.update(archived_at=timezone.now()):
        _record(locked, version, actor, "criteria_version_archived")


@transaction.atomic
def restore_version(*, version: CriteriaVersion, actor: User) -> None:
    """Bring an archived version back into the list."""
    locked = CriteriaSet.objects.select_for_update(no_key=True).get(pk=version.criteria_set_id)
    found = locked.versions.filter(pk=version.pk, archived_at__isnull=False)
    if found.update(archived_at=None):
        _record(locked, version, actor, "criteria_version_restored")


def _save(criteria_set: CriteriaSet, actor: User, action: str) -> None:
    criteria_set.save(update_fields=["archived_at"])
    record(actor=actor, action=action, subject=criteria_set.slug, criteria_set=criteria_set)


def _record(criteria_set: CriteriaSet, version: CriteriaVersion, actor: User, action: str) -> None:
    record(actor=actor, action=action, subject=str(version), criteria_set=criteria_set)
