"""Who labelled how much, how fast, and how far others and rulings agree: for leads, never for colleagues."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.db.models import Case, Count, OuterRef, Subquery, Sum, Value, When
from django.db.models.functions import TruncDate
from django.utils import timezone

from labeling.domain.agreement import Table, Undefined
from labeling.domain.labelers import (
    CHANCE,
    Change,
    Compared,
    Pace,
    change_between_halves,
    compared,
    is_hurried,
    pace_of,
)
from labeling.models import CriteriaVersion, Label, Membership, Ruling, Skip
from labeling.services.heard import heard_blind
from labeling.services.self_agreement import self_agreement

DAYS = 14  # of which the number of labels is told for each
_WEEK = 7


class Tally(NamedTuple):
    """So many labels of one kind: whose, of which day, and what others and a ruling say of their rows.

    `others`: the verdict of most of the others who labelled blind, "tie" or None. `ruling`: of somebody else.
    """

    labeler: int
    day: date
    verdict: str
    blind: bool
    by_hand: bool
    others: str | None
    ruling: str | None
    n: int


@dataclass(frozen=True, slots=True)
class Labeler:
    """One labeler under one criteria version. Numbers are of labels that count today.

    `days`: labels given here on each of the last 14 days, the oldest first. `idle`: seconds in which nobody
    touched the page, None where no label knows them. `change` is None where it cannot be told, `changed`
    whether it is more than chance would show among all labelers.
    """

    pk: int
    name: str
    labels: int = 0
    passes: int = 0
    skips: int = 0
    days: list[tuple[date, int]] = field(default_factory=list)
    pace: Pace | None = None
    hurried: bool = False
    idle: int | None = None
    others: Compared | None = None
    rulings: Compared | None = None
    again: Compared | None = None
    change: Change | None = None
    changed: bool = False

    @property
    def today(self) -> int:
        """Labels given today, in the reader's zone."""
        return self.days[-1][1] if self.days else 0

    @property
    def week(self) -> int:
        """Labels given on the last seven days, today among them."""
        return sum(n for _, n in self.days[-_WEEK:])

    @property
    def idle_words(self) -> str:
        """Time away, such as “2 min”."""
        seconds = self.idle or 0
        if seconds < 60:
            return f"{seconds} s"
        return f"{seconds // 60} min" if seconds < 3_600 else f"{seconds / 3_600:.1f} h"

    @property
    def pass_share(self) -> float | None:
        """Share of their labels that say pass, 0 to 1."""
        return self.passes / self.labels if self.labels else None


def labelers_of(version: CriteriaVersion, now: datetime) -> list[Labeler]:
    """Everybody who labelled or skipped a row under `version`, who labelled most first.

    A handful of statements, each counting in SQL, however many rows and people there are.
    """
    tallies: dict[int, list[Tally]] = defaultdict(list)
    for tally in _tallies(version):
        tallies[tally.labeler].append(tally)
    skips = dict(
        Skip.objects.current().filter(version=version).values_list("labeler").annotate(n=Count("pk"))
    )
    paces, idle, again = dict(_paces(version)), _idle(version), self_agreement(version).by_labeler
    changes = {pk: change for pk, of_one in tallies.items() if (change := _change(of_one))}
    today = timezone.localdate(now)
    found = [
        Labeler(
            pk=pk,
            name=name,
            labels=sum(each.n for each in tallies[pk]),
            passes=sum(each.n for each in tallies[pk] if each.verdict == "pass"),
            skips=skips.get(pk, 0),
            days=_days(tallies[pk], today),
            pace=paces.get(pk),
            hurried=pk in paces and is_hurried(paces[pk], {k: v for k, v in paces.items() if k != pk}),
            idle=idle.get(pk),
            others=_against(tallies[pk], "others"),
            rulings=_against(tallies[pk], "ruling"),
            again=again.get(pk),
            change=changes.get(pk),
            # As many chances of a false alarm as there are comparisons (Bonferroni; Dunn 1961): of two
            # people both have the same.
            changed=pk in changes and changes[pk].p * len({*changes.values()}) < CHANCE,
        )
        for pk, name in _names({*tallies, *skips}).items()
    ]
    return sorted(found, key=lambda each: (-each.labels, each.name))


def silent_members(version: CriteriaVersion) -> list[str]:
    """Names of the members who may label and have given no label under `version`."""
    members = Membership.objects.filter(criteria_set=version.criteria_set_id, user__is_active=True)
    spoke = Label.objects.current().filter(version=version).values("labeler")
    silent = members.filter(role=Membership.Role.LABELER).exclude(user__in=spoke)
    return list(silent.order_by("user__username").values_list("user__username", flat=True))


def _names(ids: set[int]) -> dict[int, str]:
    return dict(User.objects.filter(pk__in=ids).values_list("pk", "username"))


def _tallies(version: CriteriaVersion) -> Iterator[Tally]:
    """All that is told of labels, in one statement: what is said of its row is looked up once for each."""
    row = {"candidate": OuterRef("candidate")}
    others = heard_blind(version).filter(**row).exclude(labeler=OuterRef("labeler")).values("candidate")
    lead = others.annotate(lead=Sum(Case(When(verdict="pass", then=1), default=-1)))
    word = Case(
        When(lead__gt=0, then=Value("pass")), When(lead__lt=0, then=Value("fail")), default=Value("tie")
    )
    rulings = Ruling.objects.current().filter(**row, version=version, verdict__in=["pass", "fail"])
    # One's own ruling is no second opinion, and one that settles nothing is none at all.
    of_others = rulings.exclude(ruled_by=OuterRef("labeler")).exclude(candidate__split="certify", blind=False)
    counted = (
        Label.objects.current()
        .filter(version=version)
        .annotate(
            day=TruncDate("created_at"),
            by_hand=Case(When(source=Label.Source.BROWSER, then=True), default=False),
            others=Subquery(lead.annotate(word=word).values("word")),
            ruling=Subquery(of_others.values("verdict")[:1]),
        )
        .order_by()
        .values_list("labeler", "day", "verdict", "blind", "by_hand", "others", "ruling")
        .annotate(n=Count("pk"))
    )
    return (Tally(*each) for each in counted)


def _days(tallies: list[Tally], today: date) -> list[tuple[date, int]]:
    counts = Counter[date]()
    for each in tallies:
        counts[each.day] += each.n if each.by_hand else 0
    return [(day, counts[day]) for day in (today - timedelta(days=ago) for ago in range(DAYS - 1, -1, -1))]


def _against(tallies: list[Tally], whose: str) -> Compared:
    cells = Counter[tuple[str | None, str]]()
    for each in tallies:
        if each.blind:
            cells[getattr(each, whose), each.verdict] += each.n
    return compared(Table(*(cells[one, other] for one in ("pass", "fail") for other in ("pass", "fail"))))


def _change(tallies: list[Tally]) -> Change | None:
    """By what most of the others say, never by rulings: those come later and mostly for rows in dispute, so
    that a backlog of them, ruled on up to some day, would look like a change of that day.
    """
    days: dict[date, Any] = defaultdict(lambda: (0, 0))
    for each in tallies:
        if each.blind and each.others in ("pass", "fail"):
            same, rows = days[each.day]
            days[each.day] = same + each.n * (each.others == each.verdict), rows + each.n
    try:
        return change_between_halves(days)
    except Undefined:
        return None


def _paces(version: CriteriaVersion) -> Iterator[tuple[int, Pace]]:
    timed = Label.objects.current().filter(version=version, seconds__isnull=False).order_by()
    seconds: dict[int, dict[int, int]] = defaultdict(dict)
    for labeler, lasted, n in timed.values_list("labeler", "seconds").annotate(n=Count("pk")):
        seconds[labeler][lasted or 0] = n
    return ((labeler, pace_of(counts)) for labeler, counts in seconds.items())


def _idle(version: CriteriaVersion) -> Mapping[int, int]:
    known = Label.objects.current().filter(version=version, idle_seconds__isnull=False).order_by()
    return dict(known.values_list("labeler").annotate(idle=Sum("idle_seconds")))
