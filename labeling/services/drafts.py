"""What a labeler has typed but not decided: kept so that no reload, crash or lost connection loses it."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from labeling.models import Candidate, CriteriaVersion, Draft, Label, Repeat, Skip, Slot
from labeling.services.leases import check_not_archived, lease
from labeling.services.repeats import content_of, shown_repeat


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
    """Keep what was typed, and the row for who is typing. None where they have decided already.

    Raises NotWanted where the criteria set takes no labels.
    """
    check_not_archived(version)
    row: dict[str, Any] = {"candidate": candidate, "version": version, "labeler": labeler}
    slot = Slot.objects.filter(**row, state="open").select_for_update().first()
    if slot:
        lease(slot, labeler, now)
    if Label.objects.current().filter(**row).exists() and not shown_repeat(**row):
        return None
    draft, _ = Draft.objects.update_or_create(**row, defaults={"content": dict(content)})
    return draft


def drop_draft(*, candidate: Candidate, version: CriteriaVersion, labeler: User) -> None:
    """Forget what was typed, once it is decided."""
    Draft.objects.filter(candidate=candidate, version=version, labeler=labeler).delete()


def bring_draft_back(act: Label | Skip | Repeat) -> Draft:
    """Have what was said with `act` as the draft of its row again."""
    said = act.label if isinstance(act, Repeat) else act
    draft, _ = Draft.objects.update_or_create(
        candidate_id=said.candidate_id,
        version_id=said.version_id,
        labeler_id=said.labeler_id,
        defaults={"content": _content(act)},
    )
    return draft


def _content(act: Label | Skip | Repeat) -> dict[str, object]:
    if isinstance(act, Repeat):
        return dict(content_of(act))
    if isinstance(act, Skip):
        return {"comment": act.comment}
    marks = dict(act.marks.values_list("criterion__name", "score"))
    return {"comment": act.comment, "verdict": act.verdict, "marks": marks}
