"""What a labeler has typed but not decided: kept so that no reload, crash or lost connection loses it."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from labeling.models import Candidate, CriteriaVersion, Draft, Label, Slot
from labeling.services.queue import lease


def draft_of(*, candidate: Candidate, version: CriteriaVersion, labeler: User) -> Draft | None:
    """What was typed last: `content` is `{"verdict"?, "marks": {criterion name: score}, "comment"}`."""
    return Draft.objects.filter(candidate=candidate, version=version, labeler=labeler).first()


@transaction.atomic
def save_draft(
    *,
    candidate: Candidate,
    version: CriteriaVersion,
    labeler: User,
    content: Mapping[str, Any],
    now: datetime,
) -> Draft | None:
    """Keep what was typed, and the row for who is typing. None where they have decided already."""
    row: dict[str, Any] = {"candidate": candidate, "version": version, "labeler": labeler}
    slot = Slot.objects.filter(**row, state="open").select_for_update().first()
    if slot:
        lease(slot, labeler, now)
    if Label.objects.current().filter(**row).exists():
        return None
    draft, _ = Draft.objects.update_or_create(**row, defaults={"content": dict(content)})
    return draft


def drop_draft(*, candidate: Candidate, version: CriteriaVersion, labeler: User) -> None:
    """Forget what was typed, once it is decided."""
    Draft.objects.filter(candidate=candidate, version=version, labeler=labeler).delete()
