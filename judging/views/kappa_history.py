"""How kappa went over time: every calibration of a judge on a criteria set, over the versions of both.

A golden replay is a mark too, and one of its own kind: it decided nothing.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Literal

from django.db.models import F
from django.utils import timezone

from judging.domain.figures import plain, shown_kappa
from judging.domain.measured import Measured
from judging.models import Calibration, Certificate, JudgeVersion, Run
from judging.services.standing import Standing
from labeling.domain.agreement import Interval, Undefined
from labeling.models import CriteriaVersion
from vera_site.charts import Axis, line_path, linear_axis, order_axis, spread_out, step_path, time_axis

_MOST = 40  # the newest, so that page and query stay the same however long a judge is in use
_LEAST_SPAN = timedelta(hours=1)
_WORDS = 34.0  # per cent that the words of a new version take on a narrow screen

type State = Literal["certified", "uncertified", "replay"]


@dataclass(frozen=True, slots=True)
class _Counted:
    """A calibration and what was decided from it, or a replay's, which decides nothing."""

    created_at: datetime
    judge_version: JudgeVersion
    criteria_version: CriteriaVersion
    kappa: float | None
    interval_low: float | None
    interval_high: float | None
    bar: Decimal
    value: str
    n: int
    state: State
    why: str


@dataclass(frozen=True, slots=True)
class Point:
    """One calibration as it was decided then. Positions in per cent; None where kappa did not exist."""

    x: float
    kappa: float | None
    low: float | None
    high: float | None
    when: datetime
    versions: str
    query: str  # of the page of these versions
    value: str
    interval: str
    bar: str
    n: int
    state: State
    why: str
    is_here: bool  # of the versions that the page is about

    @property
    def says(self) -> str:
        """What it decided, in words."""
        return "golden replay" if self.state == "replay" else self.state


@dataclass(frozen=True, slots=True)
class VersionMark:
    """Before a judge version or criteria version is calibrated for the first time; `words` may be empty."""

    x: float
    words: str

    @property
    def anchor(self) -> str:
        return "end" if self.x > 100 - _WORDS else "start"


@dataclass(frozen=True, slots=True)
class KappaOverTime:
    """Everything that the drawing needs. `by_time` is false where only the order of the marks is to scale."""

    points: list[Point]
    y_axis: Axis
    x_axis: Axis
    by_time: bool
    lines: list[str]
    bar_path: str
    bar_at: float  # of the newest bar, from the top
    bar: str
    changes: list[VersionMark]
    zone: str
    cut: bool

    @property
    def ends(self) -> str:
        """How the first and the last moment are written: two dates have no room on a phone."""
        days = {timezone.localdate(point.when) for point in (self.points[0], self.points[-1])}
        return "H:i" if len(days) == 1 else "j M Y"

    @property
    def undefined(self) -> int:
        return sum(point.kappa is None for point in self.points)

    @property
    def replays(self) -> int:
        return sum(point.state == "replay" for point in self.points)


def kappa_over_time(standing: Standing) -> KappaOverTime | None:
    """The newest forty calibrations, oldest first, in two queries; None where there was none."""
    these = {
        "judge_version__judge": standing.judge_version.judge_id,
        "criteria_version__criteria_set": standing.criteria_version.criteria_set_id,
    }
    decided = list(Certificate.objects.filter(**these).with_names().order_by("-pk")[: _MOST + 1])
    of_replays = Calibration.objects.filter(
        **these, run__kind=Run.Kind.REPLAY, run__judge_version=F("judge_version"), is_current=True
    )
    named = of_replays.select_related("judge_version__judge", "criteria_version__criteria_set")
    replays = list(named.order_by("-pk")[: _MOST + 1])
    if not decided and not replays:
        return None
    events = list(_counted(decided[::-1], replays[::-1], standing.bar))
    return _chart(events[-_MOST:], standing, len(events) > _MOST)


def _counted(
    decided: Sequence[Certificate], replays: Sequence[Calibration], bar: Decimal
) -> Iterator[_Counted]:
    """Both in the order of time. A replay stands against the bar of the certificate before it, else `bar`."""
    every: list[Certificate | Calibration] = [*decided, *replays]
    for event in sorted(every, key=lambda each: each.created_at):
        if isinstance(event, Certificate):
            bar = event.bar
            yield _decided(event)
        else:
            yield _replayed(event, bar)


def _decided(event: Certificate) -> _Counted:
    return _Counted(
        created_at=event.created_at,
        judge_version=event.judge_version,
        criteria_version=event.criteria_version,
        kappa=event.kappa,
        interval_low=event.interval_low,
        interval_high=event.interval_high,
        bar=event.bar,
        value=event.shown_kappa,
        n=event.n,
        state="certified" if event.status == Certificate.Status.CERTIFIED else "uncertified",
        why=event.get_cause_display(),
    )


def _replayed(event: Calibration, bar: Decimal) -> _Counted:
    found, exact = _measured(event.measured) or (None, None)
    return _Counted(
        created_at=event.created_at,
        judge_version=event.judge_version,
        criteria_version=event.criteria_version,
        kappa=None if exact is None else float(exact),
        interval_low=found.low if found else None,
        interval_high=found.high if found else None,
        bar=bar,
        value=shown_kappa(exact, bar),
        n=event.table.n,
        state="replay",
        why="a golden replay ended",
    )


@lru_cache(maxsize=4096)  # a pure function of the counts, and every visit draws every replay
def _measured(measured: Measured) -> tuple[Interval, Fraction] | None:
    try:
        return measured.interval(), measured.kappa()
    except Undefined:
        return None


def _chart(events: Sequence[_Counted], standing: Standing, cut: bool) -> KappaOverTime:
    moments = [event.created_at for event in events]
    by_time = spread_out(moments) and _says_something(moments)
    zone = timezone.get_current_timezone()
    x_axis = time_axis(moments[0], moments[-1], zone=zone) if by_time else order_axis(len(events))
    at = [x_axis.at(moment.timestamp() if by_time else number) for number, moment in enumerate(moments)]
    y_axis = linear_axis(min([0.0, *(event.interval_low or 0.0 for event in events)]), 1.0)
    points = [_point(event, x, y_axis, standing) for event, x in zip(events, at, strict=True)]
    bars = [y_axis.from_top(float(event.bar)) for event in events]
    return KappaOverTime(
        points=points,
        y_axis=y_axis,
        x_axis=x_axis,
        by_time=by_time,
        lines=_lines(points),
        bar_path=step_path([(0.0, bars[0]), *zip(at[1:], bars[1:], strict=True)], end=100),
        bar_at=bars[-1],
        bar=_bar(events[-1].bar),
        changes=_changes(events, at),
        zone=timezone.get_current_timezone_name().replace("_", " "),
        cut=cut,
    )


def _says_something(moments: Sequence[datetime]) -> bool:
    """An axis of a few minutes tells nobody anything: the order of the marks says as much."""
    return len(moments) < 2 or moments[-1] - moments[0] >= _LEAST_SPAN


def _point(event: _Counted, x: float, axis: Axis, standing: Standing) -> Point:
    low, high = event.interval_low, event.interval_high
    drawn = {
        name: None if value is None else axis.from_top(value)
        for name, value in {"kappa": event.kappa, "low": low, "high": high}.items()
    }
    judge, criteria = event.judge_version, event.criteria_version
    return Point(
        x=x,
        **drawn,
        when=event.created_at,
        versions=f"judge @{judge.number} on criteria @{criteria.number}",
        query=f"?judge_version={judge.number}&version={criteria.number}",
        value=event.value,
        interval="" if low is None or high is None else f"{low:.2f} to {high:.2f}",
        bar=_bar(event.bar),
        n=event.n,
        state=event.state,
        why=event.why,
        is_here=(judge.pk, criteria.pk) == (standing.judge_version.pk, standing.criteria_version.pk),
    )


def _lines(points: Sequence[Point]) -> list[str]:
    """A line through the kappas of each pair of versions; an undefined kappa leaves a gap in it."""
    strokes: dict[str, list[list[tuple[float, float]]]] = defaultdict(lambda: [[]])
    for point in points:
        if point.kappa is None:
            strokes[point.versions].append([])
        else:
            strokes[point.versions][-1].append((point.x, point.kappa))
    return [path for parts in strokes.values() for part in parts if (path := line_path(part))]


def _changes(events: Sequence[_Counted], at: Sequence[float]) -> list[VersionMark]:
    """Between the last mark before something new was calibrated and its first.

    Words that would run into those before them are left out.
    """
    seen: set[tuple[str, int]] = set()
    marks: list[VersionMark] = []
    free = 0.0
    for event, before, after in zip(events, [at[0], *at], at, strict=False):
        x = round((before + after) / 2, 2)
        here = {("judge", event.judge_version.number), ("criteria", event.criteria_version.number)}
        new = sorted(here - seen, reverse=True) if seen else []
        seen |= here
        if new:
            mark = VersionMark(x, ", ".join(f"{of} @{number}" for of, number in new))
            start = x - _WORDS if mark.anchor == "end" else x
            marks.append(mark if start >= free else VersionMark(x, ""))
            free = start + _WORDS if start >= free else free
    return marks


def _bar(bar: Decimal) -> str:
    return plain(bar)
