"""How the golden set grew towards the marks at which a certificate begins to mean something."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Case, Exists, F, Min, OuterRef, Sum, Value, When
from django.utils import timezone

from labeling.models import Candidate, CriteriaSet, CriteriaVersion, Label, Ruling
from vera_site.charts import Axis, linear_axis, step_path, time_axis

# What a measured kappa of 0.80 is worth at each mark, where people pass half of the rows; a test holds them.
MEANINGS = {
    30: "the least by which judges are certified, unless the settings say otherwise; a kappa of 0.80 then "
    "means anything from 0.48 to 0.93",
    100: "a kappa of 0.80 then means 0.65 to 0.89: about what it takes to see it above a bar of 0.65",
    300: "a kappa of 0.80 then means 0.72 to 0.86; a smaller change of a judge can be seen",
}
MILESTONES = tuple(MEANINGS)
_SURER = {100: "0.65 to 0.89", 300: "0.72 to 0.86"}
_LAST = "The last mark is passed; every further row makes the figures a little surer."
_STILL = "What each judge still needs stands on the dashboard."
_DAYS = 10  # marks on the line

type Settled = tuple[datetime, str]


@dataclass(frozen=True, slots=True)
class Milestone:
    """A mark on the way. `from_top` in per cent, None above the drawing; `when` it was reached, or None."""

    rows: int
    meaning: str
    from_top: float | None
    when: datetime | None


@dataclass(frozen=True, slots=True)
class Stage:
    """How many rows were settled by a moment. Positions in per cent."""

    x: float
    y: float
    when: datetime
    rows: int
    passes: int

    @property
    def fails(self) -> int:
        return self.rows - self.passes


@dataclass(frozen=True, slots=True)
class Growth:
    """Everything that the drawing needs."""

    rows: int
    milestones: list[Milestone]
    stages: list[Stage]
    x_axis: Axis | None
    y_axis: Axis
    path: str
    pass_path: str
    fail_path: str
    zone: str


def growth_of(version: CriteriaVersion, rows: int) -> Growth:
    """The first 300 settled `certify` rows in their order, of `rows` that there are.

    Never more is read than that, however many there are: nothing is drawn beyond the last mark.
    """
    settled = first_settled(version, MILESTONES[-1])
    y_axis = linear_axis(0, next((mark for mark in MILESTONES if rows < mark), MILESTONES[-1]))
    milestones = [_milestone(mark, meaning, settled, y_axis) for mark, meaning in MEANINGS.items()]
    x_axis = _x_axis(settled, rows)
    paths = _paths(settled, x_axis, y_axis) if x_axis else ("", "", "")
    return Growth(
        rows=rows,
        milestones=milestones,
        stages=_stages(settled, x_axis, y_axis) if x_axis else [],
        x_axis=x_axis,
        y_axis=y_axis,
        path=paths[0],
        pass_path=paths[1],
        fail_path=paths[2],
        zone=timezone.get_current_timezone_name().replace("_", " "),
    )


def first_settled(version: CriteriaVersion, most: int) -> list[Settled]:
    """When the first `most` settled `certify` rows were settled, and how, the earliest first.

    By the rulings and labels that count today: a row is settled from its ruling, else from its first label.
    """
    both = [*_ruled(version)[:most], *_labelled(version)[:most]]
    return sorted((row["since"], row["word"]) for row in both)[:most]


def _ruled(version: CriteriaVersion) -> Any:
    found = Ruling.objects.current().filter(
        version=version, candidate__split=Candidate.Split.CERTIFY, blind=True, verdict__in=["pass", "fail"]
    )
    return found.order_by("created_at").values(since=F("created_at"), word=F("verdict"))


def _labelled(version: CriteriaVersion) -> Any:
    """The rows that labels settle, one each; SQL groups, sorts and cuts."""
    rulings = Ruling.objects.current().filter(version=version)
    labels = Label.objects.current().filter(
        version=version, blind=True, candidate__split=Candidate.Split.CERTIFY
    )
    if rulings.exists():
        labels = labels.exclude(Exists(rulings.filter(candidate=OuterRef("candidate"))))
    lead = Sum(Case(When(verdict="pass", then=1), default=-1))
    grouped = labels.order_by().values("candidate").annotate(lead=lead, since=Min("created_at"))
    word = Case(When(lead__gt=0, then=Value("pass")), default=Value("fail"))
    return grouped.exclude(lead=0).annotate(word=word).order_by("since").values("since", "word")


def _milestone(mark: int, meaning: str, settled: Sequence[Settled], axis: Axis) -> Milestone:
    reached = settled[mark - 1][0] if len(settled) >= mark else None
    return Milestone(mark, meaning, axis.from_top(mark) if mark <= axis.high else None, reached)


def _x_axis(settled: Sequence[Settled], rows: int) -> Axis | None:
    """From the first settled row to now, or to where the last mark was passed."""
    if not settled:
        return None
    end = settled[-1][0] if rows > MILESTONES[-1] else timezone.now()
    return time_axis(settled[0][0], max(end, settled[-1][0]), zone=timezone.get_current_timezone())


def _paths(settled: Sequence[Settled], x_axis: Axis, y_axis: Axis) -> tuple[str, str, str]:
    def path(wanted: str) -> str:
        moments = [moment for moment, word in settled if not wanted or word == wanted]
        points = [
            (x_axis.at(moment.timestamp()), y_axis.from_top(number))
            for number, moment in enumerate(moments, start=1)
        ]
        return step_path([(x_axis.at(x_axis.low), 100.0), *points], end=x_axis.at(x_axis.high))

    return path(""), path("pass"), path("fail")


def _stages(settled: Sequence[Settled], x_axis: Axis, y_axis: Axis) -> list[Stage]:
    """The end of each day, or of some of them where they are many, and always the last."""
    ends = list(_day_ends(settled))
    every = -(-len(ends) // _DAYS)
    chosen = ends[::-1][::every][::-1]
    stages, passes, done = [], Counter[str](), 0
    for number in chosen:
        passes.update(word for _, word in settled[done:number])
        done = number
        when = settled[number - 1][0]
        place = x_axis.at(when.timestamp()), y_axis.from_top(number)
        stages.append(Stage(*place, when, number, passes["pass"]))
    return stages


def _day_ends(settled: Sequence[Settled]) -> Iterator[int]:
    """After how many rows a day ends."""
    days = [timezone.localdate(moment) for moment, _ in settled]
    for number, day in enumerate(days, start=1):
        if number == len(days) or days[number] != day:
            yield number


def needed_next(criteria_set: CriteriaSet, counts: dict[str, Any], *, leads: bool) -> str:
    """One sentence: what the golden set needs next. How rows were decided is told to leads only."""
    rows, least = counts["certify"], criteria_set.min_rows
    if rows < least:
        return (
            f"{_more(least - rows, 'settled row')} and there are {least}, the fewest by which a judge can be "
            "certified here."
        )
    short = {
        word: criteria_set.min_per_class - counts[f"certify_{word}"]
        for word in ("pass", "fail")
        if counts[f"certify_{word}"] < criteria_set.min_per_class
    }
    if short:
        asked = [
            _more(number, f"row that people {word}", f"rows that people {word}")
            for word, number in short.items()
        ]
        wanted = " and ".join(asked) if leads else "more rows of the rarer verdict"
        return f"Enough rows, but a certificate needs {criteria_set.min_per_class} of each verdict: {wanted}."
    ahead = " and ".join(f"at {mark} rows {says}" for mark, says in _SURER.items() if rows < mark)
    surer = f"More make every figure surer: a kappa of 0.80 means {ahead}." if ahead else _LAST
    return " ".join(["Enough rows to certify.", surer, *([_STILL] if leads else [])])


def _more(number: int, thing: str, things: str = "") -> str:
    return f"{number} more {thing}" if number == 1 else f"{number} more {things or thing + 's'}"
