"""What a labeler does to a row: give a label, correct it, or pass the row on. See also `undo`."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from django.contrib.auth.models import User
from django.db import transaction

from labeling.models import Candidate, CriteriaVersion, Exposure, Label, Mark, Repeat, Skip, Slot
from labeling.services import repeats
from labeling.services.drafts import drop_draft
from labeling.services.leases import NotWanted, check_not_archived, lock_row, one_at_a_time
from labeling.services.passed_on import sort_skipped
from labeling.services.queue import fit_priority, take_slot
from labeling.services.truth import truth_changed

_LONGEST = 3_600  # seconds; who took longer was not looking at the row all the time

_MEANWHILE = "This label was corrected or taken back meanwhile: load the page and look again."

type Marks = Mapping[str, int]


class InvalidMarks(ValueError):
    """A mark on no criterion of this version or off its scale; the text says which."""


@dataclass(frozen=True, slots=True)
class Given:
    """A labeler's current answer to a row; `already` where an earlier submission gave it.

    A label or, where the row was put to them once more, their second answer: for them there is no difference.
    """

    label: Label | Repeat
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
    idle_seconds: int | None = None,
    now: datetime,
) -> Given:
    """Label a row that `labeler` holds or that still wants a label. Sent twice, the first one stands.

    A label that is not blind is kept and counts for nothing, so the row still wants one of somebody else.
    `seconds` at work on it and `idle_seconds` away from it, each clamped to an hour. Where the row is on show
    as a repeat, this is the second answer and no label. Raises InvalidMarks and NotWanted.
    """
    check_marks(version, marks)
    check_not_archived(version)
    one_at_a_time(labeler)
    said = {"verdict": verdict, "comment": comment} | _times(seconds, idle_seconds)
    present = current_label(candidate=candidate, version=version, labeler=labeler)
    if present:
        return _answer_again(present, now, marks=dict(marks), **said)
    slot = take_slot(candidate=candidate, version=version, labeler=labeler, now=now)
    label = Label.objects.create(
        candidate=candidate,
        version=version,
        labeler=labeler,
        blind=was_blind(candidate=candidate, labeler=labeler),
        source=Label.Source.BROWSER,
        **said,
    )
    _add_marks(label, marks)
    if label.blind:
        _fill(slot, labeler)
    else:
        _free(slot)
    _replace_skip(candidate, version, labeler, now)
    if not label.blind:
        sort_skipped(candidate=candidate, version=version, now=now)
    fit_priority(candidate, version)
    repeats.plan_repeat(label, now)
    drop_draft(candidate=candidate, version=version, labeler=labeler)
    truth_changed(version=version, candidate_ids=[candidate.pk])
    return Given(label, already=False)


def _times(seconds: int | None, idle_seconds: int | None) -> dict[str, Any]:
    times = {"seconds": seconds, "idle_seconds": idle_seconds}
    return {name: None if value is None else min(max(value, 0), _LONGEST) for name, value in times.items()}


def _answer_again(label: Label, now: datetime, **said: Any) -> Given:
    """The second answer where the row is on show once more; else what was answered already."""
    row: dict[str, Any] = {"candidate": label.candidate, "version": label.version, "labeler": label.labeler}
    shown = repeats.shown_repeat(**row)
    if shown is None:
        return Given(repeats.answered_repeat(label) or label, already=True)
    blind = was_blind(candidate=label.candidate, labeler=label.labeler)
    drop_draft(**row)
    return Given(repeats.answer(shown, now=now, blind=blind, **said), already=False)


def current_label(*, candidate: Candidate, version: CriteriaVersion, labeler: User) -> Label | None:
    """The label of `labeler` on this row that counts."""
    return Label.objects.current().filter(candidate=candidate, version=version, labeler=labeler).first()


def current_answer(*, candidate: Candidate, version: CriteriaVersion, labeler: User) -> Label | Repeat | None:
    """What `labeler` said last about this row: their second answer where they gave one, else the label."""
    label = current_label(candidate=candidate, version=version, labeler=labeler)
    return label and (repeats.answered_repeat(label) or label)


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


def _free(slot: Slot) -> None:
    slot.labeler = slot.lease_until = None
    slot.save(update_fields=["labeler", "lease_until"])


def _replace_skip(candidate: Candidate, version: CriteriaVersion, labeler: User, now: datetime) -> None:
    # Who skipped a row, went back and decided after all has not skipped it.
    skips = Skip.objects.current().filter(candidate=candidate, version=version, labeler=labeler)
    if skips.update(withdrawn_at=now):
        sort_skipped(candidate=candidate, version=version, now=now)


@transaction.atomic
def correct_label[Answer: Label | Repeat](
    *,
    label: Answer,
    verdict: str,
    marks: Marks,
    comment: str,
    seconds: int | None = None,
    idle_seconds: int | None = None,
    source: Label.Source = Label.Source.BROWSER,
    now: datetime,
) -> Answer:
    """A new answer of the same person that supersedes `label`, which stays on record.

    `source`: where it was put right; what was done elsewhere than on the labeling page, that page does not
    undo. Raises InvalidMarks, and NotWanted where `label` is no longer the current one.
    """
    labeler, version = _said_by(label), _said_under(label)
    check_marks(version, marks)
    check_not_archived(version)
    one_at_a_time(labeler)
    said = {"verdict": verdict, "comment": comment} | _times(seconds, idle_seconds)
    if isinstance(label, Repeat):
        return cast(Answer, _correct_repeat(label, now, marks=dict(marks), **said))
    return cast(Answer, _correct_label(label, marks, now, source=source, **said))


def _correct_label(label: Label, marks: Marks, now: datetime, **said: Any) -> Label:
    current = Label.objects.current().filter(pk=label.pk)
    if not current.update(superseded_at=now):
        raise NotWanted(_MEANWHILE)
    corrected = Label.objects.create(
        candidate_id=label.candidate_id,
        version=label.version,
        labeler=label.labeler,
        blind=was_blind(candidate=label.candidate, labeler=label.labeler),
        supersedes=label,
        **said,
    )
    _add_marks(corrected, marks)
    truth_changed(version=label.version, candidate_ids=[label.candidate_id])
    return corrected


def _correct_repeat(repeat: Repeat, now: datetime, **said: Any) -> Repeat:
    if not Repeat.objects.answered().filter(pk=repeat.pk).exists():
        raise NotWanted(_MEANWHILE)
    blind = was_blind(candidate=repeat.label.candidate, labeler=repeat.label.labeler)
    return repeats.correct_answer(repeat, now=now, blind=blind, **said)


@transaction.atomic
def skip_row(
    *,
    candidate: Candidate,
    version: CriteriaVersion,
    labeler: User,
    reason: str,
    comment: str,
    now: datetime,
) -> Skip | Repeat:
    """Pass a row on, with a reason: it goes to others and never back. Sent twice, the first one stands.

    After two such skips, or where nobody is left, it goes to the leads. A repeat is not asked any more and
    returned. Raises NotWanted where `labeler` has labelled the row already.
    """
    check_not_archived(version)
    one_at_a_time(labeler)
    row: dict[str, Any] = {"candidate": candidate, "version": version, "labeler": labeler}
    drop_draft(**row)
    if shown := repeats.shown_repeat(**row):
        repeats.withdraw(shown, now)
        return shown
    if Label.objects.current().filter(**row).exists():
        raise NotWanted("This row was not skipped: you already labelled it. Undo the label first.")
    lock_row(candidate, version)
    skip, _ = Skip.objects.current().get_or_create(**row, defaults={"reason": reason, "comment": comment})
    Slot.objects.filter(**row, state="open").update(labeler=None, lease_until=None)
    sort_skipped(candidate=candidate, version=version, now=now)
    return skip


def _said_by(answer: Label | Repeat) -> User:
    return answer.label.labeler if isinstance(answer, Repeat) else answer.labeler


def _said_under(answer: Label | Repeat) -> CriteriaVersion:
    return answer.label.version if isinstance(answer, Repeat) else answer.version
