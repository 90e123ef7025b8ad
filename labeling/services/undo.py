"""Taking back what a labeler did last on the labeling page: a decision, a change of one, or a skip."""

from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction

from labeling.models import CriteriaVersion, Label, Repeat, Skip, Slot
from labeling.services import repeats
from labeling.services.drafts import bring_draft_back
from labeling.services.labels import was_blind
from labeling.services.leases import NotWanted, check_not_archived, lease, lock_row, one_at_a_time
from labeling.services.passed_on import sort_skipped
from labeling.services.queue import fit_priority
from labeling.services.truth import truth_changed

type Act = Label | Skip | Repeat


class NothingToUndo(ValueError):
    """There is no act to take back; the text says why."""


def last_act(*, labeler: User, version: CriteriaVersion) -> Act | None:
    """The latest label, skip or second answer that undo would take back, given on the labeling page.

    Labels from files and what was put right in the history are not undone: they have no row to go back to.
    """
    labels = Label.objects.current().filter(labeler=labeler, version=version, source=Label.Source.BROWSER)
    skips = Skip.objects.current().filter(labeler=labeler, version=version)
    latest: list[Act | None] = [
        labels.order_by("-created_at", "-pk").first(),
        skips.order_by("-created_at", "-pk").first(),
        repeats.last_repeat(version=version, labeler=labeler),
    ]
    return max((act for act in latest if act), key=_moment, default=None)


def _moment(act: Act) -> datetime:
    return repeats.acted_at(act) if isinstance(act, Repeat) else act.created_at


def act_name(act: Act) -> str:
    """What services call an act, such as `label-12`."""
    return f"{type(act).__name__.lower()}-{act.pk}"


@transaction.atomic
def undo_last(
    *, labeler: User, version: CriteriaVersion, now: datetime, act: str = ""
) -> Slot | Repeat | Label:
    """Take back the latest act: its row is theirs again, with what they had typed as the draft.

    Where the act was a change, what it changed counts again, and no row comes back: that answer is returned.
    `act` (see `act_name`) names the act meant, so that a second press does not take back the one before.
    Raises NothingToUndo, and NotWanted where the row cannot be theirs again.
    """
    check_not_archived(version)
    one_at_a_time(labeler)
    last = last_act(labeler=labeler, version=version)
    if last is None:
        raise NothingToUndo("There is nothing to undo: you have not labelled or skipped a row here yet.")
    if act and act != act_name(last):
        raise NothingToUndo("That was undone already. This is the row it was about, or the next one.")
    if isinstance(last, Repeat):
        return _take_back_repeat(last, now)
    if isinstance(last, Label) and last.supersedes:
        return _take_back_change(last, last.supersedes, now)
    return _take_back(last, labeler, now)


@transaction.atomic
def undo_skip(*, skip: Skip, now: datetime) -> Slot:
    """Give a row back to who skipped it, whenever that was: it is the next one they are shown.

    Raises NotWanted where it was taken back already, or where the row cannot be theirs again.
    """
    check_not_archived(skip.version)
    one_at_a_time(skip.labeler)
    if not Skip.objects.current().filter(pk=skip.pk).exists():
        raise NotWanted("This skip was taken back already.")
    return _take_back(skip, skip.labeler, now)


def _take_back_repeat(repeat: Repeat, now: datetime) -> Repeat:
    if before := repeats.answer_before(repeat):
        return repeats.count_again(before, instead_of=repeat, now=now)
    bring_draft_back(repeat)
    return repeats.ask_again(repeat, now)


def _take_back_change(change: Label, before: Label, now: datetime) -> Label:
    """Have `before` count again; as blind only where its author has not been shown others meanwhile."""
    change.withdrawn_at = now
    change.save(update_fields=["withdrawn_at"])
    before.superseded_at = None
    before.blind = before.blind and was_blind(candidate=before.candidate, labeler=before.labeler)
    before.save(update_fields=["superseded_at", "blind"])
    truth_changed(version=change.version, candidate_ids=[change.candidate_id])
    return before


def _take_back(act: Label | Skip, labeler: User, now: datetime) -> Slot:
    slot = _slot_back(act, labeler, now)
    bring_draft_back(act)
    act.withdrawn_at = now
    act.save(update_fields=["withdrawn_at"])
    if isinstance(act, Skip):
        sort_skipped(candidate=act.candidate, version=act.version, now=now)
    fit_priority(act.candidate, act.version)
    truth_changed(version=act.version, candidate_ids=[act.candidate_id])
    return slot


def _slot_back(act: Label | Skip, labeler: User, now: datetime) -> Slot:
    row = lock_row(act.candidate, act.version)
    filled = [slot for slot in row if slot.state == Slot.State.DONE and slot.labeler_id == labeler.pk]
    wanting = [slot for slot in row if slot.state != Slot.State.DONE]
    free = [slot for slot in wanting if slot.lease_until is None or slot.lease_until <= now]
    if not (filled or free):
        raise NotWanted(
            "The label was not undone: its row is no longer in the queue. Change it under “Your labels”."
            if isinstance(act, Label)
            else "The skip was not undone: somebody else has this row now."
        )
    slot = (filled or free)[0]
    slot.state = Slot.State.OPEN
    slot.save(update_fields=["state"])
    return lease(slot, labeler, now)
