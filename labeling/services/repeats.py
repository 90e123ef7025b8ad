"""Hidden repeats: a labeler is asked once more about some rows, to see how far they agree with themselves.

The second answer decides nothing and counts for nobody else. Nothing on the page tells a repeat from a row
that is new: it comes in between others, counts like them, and takes a draft, a skip and an undo like them.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Exists, F, Max, OuterRef, Q
from django.db.models.functions import Coalesce
from django.utils import timezone

from labeling.domain.sampling import is_drawn, position
from labeling.models import Candidate, CriteriaVersion, Label, Repeat
from labeling.models.labels import RepeatQuerySet

# Long enough to have slept on it: whoever remembers a row of this morning agrees without judging it again.
# Short enough that whoever labels from nine to five meets it on the next day.
APART = timedelta(hours=20)
# A repeat comes after so many other labels at least, and after so many at most while there are others.
_FEWEST, _MOST = 2, 9


def plan_repeat(label: Label, now: datetime) -> Repeat | None:
    """Ask the labeler about this row once more, on another day, where its content and their id say so."""
    share = float(label.version.criteria_set.repeat_share)
    if not share or not is_drawn(_seed("repeat", label), label.candidate.content_hash, share):
        return None
    return Repeat.objects.create(label=label, due_at=max(now + APART, _tomorrow(now)))


def _tomorrow(now: datetime) -> datetime:
    # Counts begin anew at midnight: a repeat of the same day would be counted twice on it.
    tomorrow = timezone.localtime(now) + timedelta(days=1)
    return tomorrow.replace(hour=0, minute=0, second=0, microsecond=0)


def next_repeat(*, version: CriteriaVersion, labeler: User, now: datetime) -> Repeat | None:
    """The repeat on show, else the one that is due longest; never of the row that was labelled last."""
    waiting = _waiting(version, labeler, now)
    shown_first = F("shown_at").desc(nulls_last=True)
    return waiting.select_related("label").order_by(shown_first, "due_at", "pk").first()


def repeats_left(*, version: CriteriaVersion, labeler: User, now: datetime) -> int:
    """How many repeats wait for `labeler` now."""
    return _waiting(version, labeler, now).count()


def _waiting(version: CriteriaVersion, labeler: User, now: datetime) -> RepeatQuerySet:
    return _of(version, labeler).waiting(now)


def is_its_turn(repeat: Repeat) -> bool:
    """Whether enough other labels came since it is due and since the last repeat.

    How many are enough the row's content decides, so that nobody learns after how many one comes.
    """
    label = repeat.label
    own = _of(label.version, label.labeler)
    last = own.aggregate(last=Max("answered_at"))["last"]
    since = max(repeat.due_at, last) if last else repeat.due_at
    decided = Label.objects.decided_on_page().filter(version=label.version, labeler=label.labeler)
    later = decided.filter(created_at__gt=since)
    place = position(_seed("turn", label), label.candidate.content_hash)
    return later.count() >= _FEWEST + int(place * (_MOST - _FEWEST + 1))


def hand_out(repeat: Repeat, now: datetime) -> Candidate:
    """Show a repeat: from now on it is what the labeler has before them."""
    repeat.shown_at = now
    repeat.save(update_fields=["shown_at"])
    return repeat.label.candidate


def shown_repeat(*, candidate: Candidate, version: CriteriaVersion, labeler: User) -> Repeat | None:
    """The repeat about this row that is on show to `labeler` and not answered."""
    shown = _of(version, labeler).current().filter(label__candidate=candidate, answered_at=None)
    return shown.exclude(shown_at=None).first()


def answered_repeat(label: Label) -> Repeat | None:
    """The second answer of the same person to the row of this label."""
    return Repeat.objects.answered().filter(label=label).first()


def answer(repeat: Repeat, *, now: datetime, **said: Any) -> Repeat:
    """Keep the second answer: `verdict`, `marks`, `comment`, `blind`, `seconds`, `idle_seconds`."""
    for name, value in said.items():
        setattr(repeat, name, value)
    repeat.answered_at = now
    repeat.save()
    return repeat


def correct_answer(repeat: Repeat, *, now: datetime, **said: Any) -> Repeat:
    """A new second answer in place of `repeat`, which stays on record."""
    withdraw(repeat, now)
    anew = Repeat(label=repeat.label, due_at=repeat.due_at, shown_at=repeat.shown_at)
    return answer(anew, now=now, **said)


def withdraw(repeat: Repeat, now: datetime) -> None:
    """Have a repeat count no longer."""
    repeat.withdrawn_at = now
    repeat.save(update_fields=["withdrawn_at"])


def ask_again(repeat: Repeat, now: datetime) -> Repeat:
    """Undo an answer or a skip: the same question once more, on show at once; the first stays on record."""
    if repeat.withdrawn_at is None:
        withdraw(repeat, now)
    return Repeat.objects.create(label=repeat.label, due_at=now, shown_at=now)


def answer_before(repeat: Repeat) -> Repeat | None:
    """The second answer that this one corrected: to the same question, withdrawn when this one was given."""
    if repeat.answered_at is None:
        return None
    asked = {"label": repeat.label, "due_at": repeat.due_at, "shown_at": repeat.shown_at}
    same = Repeat.objects.filter(**asked, answered_at__isnull=False, withdrawn_at=repeat.answered_at)
    return same.exclude(pk=repeat.pk).order_by("-pk").first()


def count_again(repeat: Repeat, *, instead_of: Repeat, now: datetime) -> Repeat:
    """Undo a correction: the answer that it corrected counts again; the correction stays on record."""
    withdraw(instead_of, now)
    repeat.withdrawn_at = None
    repeat.save(update_fields=["withdrawn_at"])
    return repeat


def last_repeat(*, version: CriteriaVersion, labeler: User) -> Repeat | None:
    """The repeat that was answered or skipped last and that undo would take back."""
    counting = {"label__superseded_at": None, "label__withdrawn_at": None}
    later = Repeat.objects.filter(label=OuterRef("label"), withdrawn_at=None)
    skipped = Q(answered_at=None, shown_at__isnull=False, withdrawn_at__isnull=False) & ~Exists(later)
    answered = Q(answered_at__isnull=False, withdrawn_at=None)
    acts = _of(version, labeler).filter(answered | skipped, **counting)
    return acts.order_by(Coalesce("answered_at", "withdrawn_at").desc(), "-pk").first()


def acted_at(repeat: Repeat) -> datetime:
    """When a repeat was answered or, where it was not, skipped."""
    moment = repeat.answered_at or repeat.withdrawn_at
    assert moment is not None
    return moment


def content_of(repeat: Repeat) -> Mapping[str, object]:
    """What was answered, as a draft has it; of a skipped repeat nothing but its comment."""
    said: dict[str, object] = {"comment": repeat.comment}
    return said | {"verdict": repeat.verdict, "marks": repeat.marks} if repeat.verdict else said


def _seed(use: str, label: Label) -> str:
    return f"{use}:{label.version.criteria_set.slug}:{label.labeler.username}"


def _of(version: CriteriaVersion, labeler: User) -> RepeatQuerySet:
    return Repeat.objects.filter(label__version=version, label__labeler=labeler)
