"""How far criteria sets are under their live versions: the same number of queries for however many."""

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime

from django.contrib.auth.models import User
from django.db.models import Count, OuterRef, QuerySet
from django.utils import timezone

from labeling.models import Candidate, CriteriaSet, Label, Repeat, Slot


@dataclass(slots=True)
class Counts:
    """Rows of one set by what people said. `certify`: settled rows that certify, by verdict.

    `to_label`: rows that wait for the person who asked. `today`: rows that they decided today.
    """

    rows: int = 0
    settled: int = 0
    conflicts: int = 0
    to_label: int = 0
    today: int = 0
    certify: dict[str, int] = field(default_factory=lambda: {"pass": 0, "fail": 0})

    @property
    def undecided(self) -> int:
        """Rows of which nobody has said anything that counts."""
        return self.rows - self.settled - self.conflicts


def counts_of(user: User, criteria_sets: "QuerySet[CriteriaSet]") -> dict[int, Counts]:
    """The counts of each set, by its id."""
    found = {pk: Counts() for pk in criteria_sets.values_list("pk", flat=True)}
    for criteria_set, split, truth, rows in _truths(criteria_sets):
        counts = found[criteria_set]
        counts.rows += rows
        if truth in ("pass", "fail"):
            counts.settled += rows
            if split == Candidate.Split.CERTIFY:
                counts.certify[truth] += rows
        elif truth == "unresolved":
            counts.conflicts += rows
    now = timezone.now()
    for criteria_set, rows in _to_label(user, criteria_sets, now).items():
        found[criteria_set].to_label = rows
    for criteria_set, rows in _today(user, criteria_sets, now).items():
        found[criteria_set].today = rows
    return found


type _Truths = QuerySet[Candidate, tuple[int, str, str | None, int]]


def _truths(criteria_sets: "QuerySet[CriteriaSet]") -> "_Truths":
    rows: _Truths = (
        Candidate.objects.filter(criteria_set__in=criteria_sets)
        .for_people()
        .with_truth(OuterRef("criteria_set__live_version"))
        .order_by()
        .values_list("criteria_set", "split", "truth")
        .annotate(n=Count("pk"))
    )
    return rows


def _to_label(user: User, criteria_sets: "QuerySet[CriteriaSet]", now: datetime) -> Counter[int]:
    """Rows of open slots, and the hidden repeats that are due: the page that hands them out counts both."""
    live = criteria_sets.filter(archived_at=None).values("live_version")
    open_ones = Slot.objects.filter(state=Slot.State.OPEN, version__in=live).new_to(user)
    free = open_ones.free(now) | open_ones.filter(labeler=user)
    counts = free.order_by().values("version__criteria_set").annotate(n=Count("candidate", distinct=True))
    due = Repeat.objects.waiting(now).filter(label__labeler=user, label__version__in=live)
    again = due.order_by().values("label__version__criteria_set").annotate(n=Count("pk"))
    found = Counter(dict(counts.values_list("version__criteria_set", "n")))
    found.update(dict(again.values_list("label__version__criteria_set", "n")))
    return found


def _today(user: User, criteria_sets: "QuerySet[CriteriaSet]", now: datetime) -> Counter[int]:
    """Rows decided on the page since midnight of their zone, as the page itself counts them for one set."""
    midnight = timezone.localtime(now).replace(hour=0, minute=0, second=0, microsecond=0)
    mine = {"labeler": user, "version__criteria_set__in": criteria_sets}
    labels = Label.objects.decided_on_page().filter(**mine, created_at__gte=midnight)
    repeats = Repeat.objects.filter(
        **{f"label__{name}": value for name, value in mine.items()},
        withdrawn_at=None,
        answered_at__gte=midnight,
    )
    of_labels = labels.order_by().values("version__criteria_set").annotate(n=Count("pk"))
    of_repeats = repeats.order_by().values("label__version__criteria_set").annotate(n=Count("pk"))
    found = Counter(dict(of_labels.values_list("version__criteria_set", "n")))
    found.update(dict(of_repeats.values_list("label__version__criteria_set", "n")))
    return found
