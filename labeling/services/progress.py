"""How far a labeler has come today and their criteria set has come in all; it tells nothing of any row.

A labeler watches these figures while they decide, so they must not move with what others said. The figure of
the set therefore counts rows that have all the labels they want, agreed or not, and it stands still for ten
minutes at a time: no single label of one's own makes it go up, or stay, before one's eyes.
"""

from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.core.cache import cache
from django.db.models import Exists, OuterRef
from django.utils import timezone

from labeling.models import Candidate, CriteriaSet, CriteriaVersion, Label, Repeat, Ruling, Slot

_STEP = 600  # seconds
FIRST_ROWS = 3  # as many labels make somebody no newcomer


@dataclass(frozen=True, slots=True)
class Progress:
    """Rows decided today and, of the whole set, rows with all their labels at the moment `as_of`."""

    today: int
    daily_goal: int  # 0: none
    rows: int
    rows_goal: int  # 0: none
    as_of: datetime

    @property
    def reached(self) -> bool:
        """Whether the latest row was the one that reached today's goal."""
        return 0 < self.daily_goal == self.today


def progress_of(*, version: CriteriaVersion, labeler: User, now: datetime) -> Progress:
    """The figures beside a row; the set's is counted once for everybody in ten minutes."""
    criteria_set = version.criteria_set
    as_of = datetime.fromtimestamp(now.timestamp() // _STEP * _STEP, tz=now.tzinfo)
    rows = 0
    if criteria_set.rows_goal:
        name = f"rows-with-their-labels:{version.pk}:{as_of.timestamp():.0f}"
        rows = cache.get_or_set(name, lambda: rows_with_their_labels(version, as_of), _STEP) or 0
    today = decided_today(criteria_set=criteria_set, labeler=labeler, now=now)
    return Progress(today, criteria_set.daily_goal, rows, criteria_set.rows_goal, as_of)


def decided_today(*, criteria_set: CriteriaSet, labeler: User, now: datetime) -> int:
    """Rows that `labeler` decided on the page since midnight of their zone, under whichever version.

    A second answer to the same row counts like any row; putting a label right changes nothing.
    """
    midnight = timezone.localtime(now).replace(hour=0, minute=0, second=0, microsecond=0)
    own = {"labeler": labeler, "version__criteria_set": criteria_set}
    new = Label.objects.decided_on_page().filter(**own, created_at__gte=midnight)
    again = Repeat.objects.filter(
        **{f"label__{field}": value for field, value in own.items()},
        withdrawn_at=None,
        answered_at__gte=midnight,
    )
    return new.count() + again.count()


def rows_with_their_labels(version: CriteriaVersion, as_of: datetime) -> int:
    """Rows that people decided, the last time before `as_of`, and of which nobody is waited for any more."""
    row = {"candidate": OuterRef("pk"), "version": version}
    labels, rulings = Label.objects.current().filter(**row), Ruling.objects.current().filter(**row)
    early, late = {"created_at__lt": as_of}, {"created_at__gte": as_of}
    decided = Exists(labels.filter(**early)) | Exists(rulings.filter(**early))
    lately = Exists(labels.filter(**late)) | Exists(rulings.filter(**late))
    wanting = Exists(Slot.objects.wanted(version).filter(candidate=OuterRef("pk")))
    of_set = Candidate.objects.filter(criteria_set=version.criteria_set_id)
    return of_set.filter(decided, ~lately, ~wanting).count()


def is_new(*, criteria_set: CriteriaSet, labeler: User) -> bool:
    """Whether `labeler` has hardly labelled here, and so may want the guidelines open."""
    own = Label.objects.filter(labeler=labeler, version__criteria_set=criteria_set)
    return len(own.order_by().values_list("pk")[:FIRST_ROWS]) < FIRST_ROWS
