"""How kappa went over time: every calibration of a judge on a criteria set, over the versions of both."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from django.utils import timezone

from judging.domain.figures import plain
from judging.models import Certificate
from judging.services.standing import Standing
from vera_site.charts import Axis, line_path, linear_axis, order_axis, spread_out, step_path, time_axis

_MOST = 40  # the newest, so that page and query stay the same however long a judge is in use
_LEAST_SPAN = timedelta(hours=1)
_WORDS = 34.0  # per cent that the words of a new version take on a narrow screen


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
    certified: bool
    why: str
    is_here: bool  # of the versions that the page is about

    @property
    def state(self) -> str:
        return "certified" if self.certified else "uncertified"


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


def kappa_over_time(standing: Standing) -> KappaOverTime | None:
    """The newest forty calibrations, oldest first, in one query; None where there was none."""
    found = list(
        Certificate.objects.filter(
            judge_version__judge=standing.judge_version.judge_id,
            criteria_version__criteria_set=standing.criteria_version.criteria_set_id,
        )
        .with_names()
        .order_by("-pk")[: _MOST + 1]
    )
    if not found:
        return None
    return _chart(found[_MOST - 1 :: -1] if len(found) > _MOST else found[::-1], standing, len(found) > _MOST)


def _chart(events: Sequence[Certificate], standing: Standing, cut: bool) -> KappaOverTime:
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


def _point(event: Certificate, x: float, axis: Axis, standing: Standing) -> Point:
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
        value=event.shown_kappa,
        interval="" if low is None or high is None else f"{low:.2f} to {high:.2f}",
        bar=_bar(event.bar),
        n=event.n,
        certified=event.status == Certificate.Status.CERTIFIED,
        why=event.get_cause_display(),
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


def _changes(events: Sequence[Certificate], at: Sequence[float]) -> list[VersionMark]:
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
