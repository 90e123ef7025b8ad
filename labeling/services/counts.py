"""How far criteria sets are under their live versions: the same number of queries for however many."""

from dataclasses import dataclass, field

from django.contrib.auth.models import User
from django.db.models import Count, OuterRef, QuerySet
from django.utils import timezone

from labeling.models import Candidate, CriteriaSet, Slot


@dataclass(slots=True)
class Counts:
    """Rows of one set by what people said. `certify`: settled rows that certify, by verdict.

    `to_label`: rows that wait for the person who asked.
    """

    rows: int = 0
    settled: int = 0
    conflicts: int = 0
    to_label: int = 0
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
    for criteria_set, rows in _to_label(user, criteria_sets).items():
        found[criteria_set].to_label = rows
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


def _to_label(user: User, criteria_sets: "QuerySet[CriteriaSet]") -> dict[int, int]:
    open_ones = Slot.objects.filter(
        state=Slot.State.OPEN, version__in=criteria_sets.values("live_version")
    ).new_to(user)
    now = timezone.now()
    free = open_ones.free(now) | open_ones.filter(labeler=user)
    counts = free.order_by().values("version__criteria_set").annotate(n=Count("candidate", distinct=True))
    return dict(counts.values_list("version__criteria_set", "n"))
