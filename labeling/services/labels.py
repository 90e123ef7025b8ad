"""What a labeler does to a row: give a label, take it back, correct it, or pass the row on."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction

from labeling.models import Candidate, CriteriaVersion, Draft, Exposure, Label, Mark, Skip, Slot
from labeling.services.drafts import drop_draft
from labeling.services.queue import NotWanted, lease, one_at_a_time, take_slot
from labeling.services.truth import truth_changed

_LONGEST = 3_600  # seconds; who took longer was not looking at the row all the time

type Marks = Mapping[str, int]


class InvalidMarks(ValueError):
    """A mark on no criterion of this version or off its scale; the text says which."""


class NothingToUndo(ValueError):
    """There is no act to take back; the text says why."""


@dataclass(frozen=True, slots=True)
class Given:
    """A labeler's current label of a row; `already` where an earlier submission gave it."""

    label: Label
    already: bool


def check_marks(version: CriteriaVersion, marks: Marks) -> None:
    """Raise InvalidMarks where a mark names no criterion of `version` or is off that criterion's scale."""
    scales = {criterion.name: criterion for criterion in version.criteria.all()}
    for name, score in marks.items():
        if name not in scales:
            raise InvalidMarks(f"“{name}” is no criterion of this version: load the page again.")
        low, high = scales[name].scale_min, scales[name].scale_max
        if not low <= score <= high:
            raise InvalidMarks(f"The mark on “{name}” must be from {low} to {high}, not {score}.")


@transaction.atomic
def give_label(
    *,
    candidate: Candidate,
    version: CriteriaVersion,
    labeler: User,
    verdict: str,
    marks: Marks,
    comment: str,
    seconds: int | None,
    now: datetime,
) -> Given:
    """Label a row that `labeler` holds or that still wants a label. Sent twice, the first one stands.

    `seconds` from showing to deciding, clamped to an hour. Raises InvalidMarks and NotWanted.
    """
    check_marks(version, marks)
    one_at_a_time(labeler)
    present = current_label(candidate=candidate, version=version, labeler=labeler)
    if present:
        return Given(present, already=True)
    slot = take_slot(candidate=candidate, version=version, labeler=labeler, now=now)
    label = Label.objects.create(
        candidate=candidate,
        version=version,
        labeler=labeler,
        verdict=verdict,
        comment=comment,
        blind=was_blind(candidate=candidate, labeler=labeler),
        seconds=None if seconds is None else min(max(seconds, 0), _LONGEST),
        source=Label.Source.BROWSER,
    )
    _add_marks(label, marks)
    _fill(slot, labeler)
    _replace_skip(candidate, version, labeler, now)
    drop_draft(candidate=candidate, version=version, labeler=labeler)
    truth_changed(version=version, candidate_ids=[candidate.pk])
    return Given(label, already=False)


def current_label(*, candidate: Candidate, version: CriteriaVersion, labeler: User) -> Label | None:
    """The label of `labeler` on this row that counts."""
    return Label.objects.current().filter(candidate=candidate, version=version, labeler=labeler).first()


def was_blind(*, candidate: Candidate, labeler: User) -> bool:
    """Whether `labeler` has never been shown others' labels or a judge's verdict on this row."""
    return not Exposure.objects.filter(candidate=candidate, user=labeler).exists()


def _add_marks(label: Label, marks: Marks) -> None:
    criteria = {criterion.name: criterion for criterion in label.version.criteria.all()}
    Mark.objects.bulk_create(
        [Mark(label=label, criterion=criteria[name], score=score) for name, score in marks.items()]
    )


def _fill(slot: Slot, labeler: User) -> None:
    slot.state, slot.labeler, slot.lease_until = Slot.State.DONE, labeler, None
    slot.save(update_fields=["state", "labeler", "lease_until"])


def _replace_skip(candidate: Candidate, version: CriteriaVersion, labeler: User, now: datetime) -> None:
    # Who skipped a row, went back and decided after all has not skipped it.
    skips = Skip.objects.current().filter(candidate=candidate, version=version, labeler=labeler)
    skips.update(withdrawn_at=now)


@transaction.atomic
def correct_label(*, label: Label, verdict: str, marks: Marks, comment: str, now: datetime) -> Label:
    """A new label of the same person that supersedes `label`, which stays on record.

    Raises InvalidMarks, and NotWanted where `label` is no longer the current one.
    """
    check_marks(label.version, marks)
    one_at_a_time(label.labeler)
    current = Label.objects.current().filter(pk=label.pk)
    if not current.update(superseded_at=now):
        raise NotWanted("This label was corrected or taken back meanwhile: load the page and look again.")
    corrected = Label.objects.create(
        candidate_id=label.candidate_id,
        version=label.version,
        labeler=label.labeler,
        verdict=verdict,
        comment=comment,
        blind=was_blind(candidate=label.candidate, labeler=label.labeler),
        source=Label.Source.BROWSER,
        supersedes=label,
    )
    _add_marks(corrected, marks)
    truth_changed(version=label.version, candidate_ids=[label.candidate_id])
    return corrected


@transaction.atomic
def skip_row(
    *,
    candidate: Candidate,
    version: CriteriaVersion,
    labeler: User,
    reason: str,
    comment: str,
    now: datetime,
) -> Skip:
    """Pass a row on, with a reason: it goes to others and never back. Sent twice, the first one stands.

    Raises NotWanted where `labeler` has labelled the row already.
    """
    one_at_a_time(labeler)
    row = {"candidate": candidate, "version": version, "labeler": labeler}
    if Label.objects.current().filter(**row).exists():
        raise NotWanted("This row was not skipped: you already labelled it. Undo the label first.")
    skip, _ = Skip.objects.current().get_or_create(**row, defaults={"reason": reason, "comment": comment})
    Slot.objects.filter(**row, state="open").update(labeler=None, lease_until=None)
    drop_draft(candidate=candidate, version=version, labeler=labeler)
    return skip


def last_act(*, labeler: User, version: CriteriaVersion) -> Label | Skip | None:
    """The latest label or skip that undo would take back; labels from files are not undone here."""
    labels = Label.objects.current().filter(labeler=labeler, version=version, source=Label.Source.BROWSER)
    skips = Skip.objects.current().filter(labeler=labeler, version=version)
    latest = [labels.order_by("-created_at", "-pk").first(), skips.order_by("-created_at", "-pk").first()]
    return max((act for act in latest if act), key=lambda act: act.created_at, default=None)


def labelled_since(*, labeler: User, version: CriteriaVersion, moment: datetime) -> int:
    """How many labels of `labeler` since `moment` count."""
    labels = Label.objects.current().filter(labeler=labeler, version=version, created_at__gte=moment)
    return labels.count()


@transaction.atomic
def undo_last(*, labeler: User, version: CriteriaVersion, now: datetime, act: str = "") -> Slot:
    """Take back the latest label or skip: its row is theirs again, with what they had typed as the draft.

    `act` (see `act_name`) names the act meant, so that a second press does not take back the one before.
    Raises NothingToUndo, and NotWanted where somebody else took the row that was skipped.
    """
    one_at_a_time(labeler)
    last = last_act(labeler=labeler, version=version)
    if last is None:
        raise NothingToUndo("There is nothing to undo: you have not labelled or skipped a row here yet.")
    if act and act != act_name(last):
        raise NothingToUndo("That was undone already. This is the row it was about, or the next one.")
    slot = _slot_back(last, labeler, now)
    last.withdrawn_at = now
    last.save(update_fields=["withdrawn_at"])
    _draft_back(last)
    truth_changed(version=version, candidate_ids=[last.candidate_id])
    return slot


def act_name(act: Label | Skip) -> str:
    """What the page calls an act, such as `label-12`."""
    return f"{'label' if isinstance(act, Label) else 'skip'}-{act.pk}"


def _slot_back(act: Label | Skip, labeler: User, now: datetime) -> Slot:
    row = Slot.objects.filter(candidate=act.candidate_id, version=act.version_id)
    filled = row.filter(labeler=labeler, state="done").select_for_update().first()
    free = row.filter(state="open").free(now).select_for_update(skip_locked=True).order_by("number")
    slot = filled or free.first()
    if slot is None:
        raise NotWanted("The skip was not undone: somebody else has this row now.")
    slot.state = Slot.State.OPEN
    slot.save(update_fields=["state"])
    return lease(slot, labeler, now)


def _draft_back(act: Label | Skip) -> None:
    content: dict[str, object] = {"comment": act.comment}
    if isinstance(act, Label):
        marks = act.marks.values_list("criterion__name", "score")
        content |= {"verdict": act.verdict, "marks": dict(marks)}
    Draft.objects.update_or_create(
        candidate_id=act.candidate_id,
        version_id=act.version_id,
        labeler_id=act.labeler_id,
        defaults={"content": content},
    )
