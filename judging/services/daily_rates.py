"""What a judge says of live rows: counts by day, by span and by generator, each in one GROUP BY."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo

from django.db.models import Case, Count, F, QuerySet, Value, When
from django.db.models.functions import TruncDate

from judging.domain.control_charts import Counted
from judging.domain.live_consequences import Live
from judging.models import JudgeVersion, Run, Verdict
from judging.models.runs import VerdictQuerySet
from judging.services.standing import Standing
from labeling.models import CriteriaVersion

_MONTH = 30  # days
_VERDICTS = ("pass", "fail")
_ANSWERED = (*_VERDICTS, "skipped", "escalated")


@dataclass(frozen=True, slots=True)
class Passed:
    """Of `n` live verdicts `passed` are passes; on `skipped` rows more the judge gave none."""

    passed: int
    n: int
    skipped: int = 0


def live_verdicts(judge_version: int, criteria_version: int, since: datetime) -> VerdictQuerySet:
    """What the judge's scoring runs said since, row by row; rows that Layer 1 killed were not asked about."""
    own = Verdict.objects.own().filter(
        judge_version=judge_version,
        run__criteria_version=criteria_version,
        run__kind=Run.Kind.SCORING,
        filled_at__gte=since,
    )
    return own.filter(outcome__in=_ANSWERED).order_by()


def passed_since(judge_version: int, criteria_version: int, since: datetime) -> Passed:
    """The live verdicts since then, counted."""
    return _passed(_outcomes(live_verdicts(judge_version, criteria_version, since)))


def live_of(standing: Standing) -> Live | None:
    """The pass rate of the last month that consequences go by; None where nothing was judged."""
    since = standing.now - timedelta(days=_MONTH)
    counted = passed_since(standing.judge_version.pk, standing.criteria_version.pk, since)
    return Live(counted.passed, counted.n, _MONTH) if counted.n else None


def passed_in(run: Run) -> Passed:
    """The verdicts of one run, counted."""
    return _passed(_outcomes(run_verdicts(run)))


def run_verdicts(run: Run) -> VerdictQuerySet:
    """What the judge of a run said of each of its rows."""
    return Verdict.objects.own().filter(run=run, repeat=0, outcome__in=_ANSWERED).order_by()


def _outcomes(verdicts: VerdictQuerySet) -> dict[str, int]:
    return dict(verdicts.values_list("outcome").annotate(rows=Count("pk")))


def _passed(counts: dict[str, int]) -> Passed:
    both = sum(counts.get(each, 0) for each in _VERDICTS)
    return Passed(counts.get("pass", 0), both, counts.get("skipped", 0))


def passed_by_generator(verdicts: VerdictQuerySet) -> dict[str, Passed]:
    """By the model that wrote the output, "" where nobody said which; the most frequent first.

    The same text from two generators counts for both.
    """
    decided = verdicts.filter(outcome__in=_VERDICTS)
    by = decided.values_list("candidate__submissions__generator_model", "outcome")
    found: dict[str, dict[str, int]] = {}
    for generator, outcome, rows in by.annotate(rows=Count("pk", distinct=True)):
        of_this = found.setdefault(generator or "", {})
        of_this[outcome] = of_this.get(outcome, 0) + rows
    counted = {generator: _passed(counts) for generator, counts in found.items()}
    return dict(sorted(counted.items(), key=lambda each: (-each[1].n, each[0])))


@dataclass(frozen=True, slots=True)
class Days:
    """Shares by day: of passes among verdicts, of rows without a verdict, of pairs of jurors that agree."""

    passes: list[Counted]
    skips: list[Counted]
    agreements: list[Counted]


def by_day(judge: JudgeVersion, criteria: CriteriaVersion, since: datetime, zone: tzinfo) -> Days:
    """The live verdicts by the day, in `zone`, on which they were given."""
    own = live_verdicts(judge.pk, criteria.pk, since)
    counts: dict[date, dict[str, int]] = {}
    days = own.annotate(day=TruncDate("filled_at", tzinfo=zone)).values_list("day", "outcome")
    for day, outcome, rows in days.annotate(rows=Count("pk")):
        counts.setdefault(day, {})[outcome] = rows
    return Days(
        passes=[Counted(day, one.passed, one.n) for day, one in _each(counts)],
        skips=[Counted(day, one.skipped, sum(counts[day].values())) for day, one in _each(counts)],
        agreements=_agreements(judge, own, zone) if judge.kind == JudgeVersion.Kind.PANEL else [],
    )


def _each(counts: dict[date, dict[str, int]]) -> Iterable[tuple[date, Passed]]:
    return ((day, _passed(each)) for day, each in sorted(counts.items()))


def _agreements(panel: JudgeVersion, own: VerdictQuerySet, zone: tzinfo) -> list[Counted]:
    """Of the pairs of jurors that both gave a verdict on a row, how many gave the same one, by day.

    Only of the jurors who are asked about every row: a majority of the seats, in their order. A later one may
    be asked just where those differ, and would make the panel look more divided on the days when it is.
    """
    jurors = panel.jurors()
    asked = [juror.pk for juror in jurors[: len(jurors) // 2 + 1]]
    pairs = Verdict.objects.filter(
        panel_verdict__in=own, judge_version__in=asked, outcome__in=_VERDICTS
    ).filter(
        panel_verdict__juror_verdicts__judge_version__in=asked,
        panel_verdict__juror_verdicts__outcome__in=_VERDICTS,
        panel_verdict__juror_verdicts__pk__gt=F("pk"),
    )
    return _counted(pairs, zone)


def _counted(pairs: QuerySet[Verdict], zone: tzinfo) -> list[Counted]:
    same = Case(When(outcome=F("panel_verdict__juror_verdicts__outcome"), then=Value(1)), default=Value(0))
    day = TruncDate("panel_verdict__filled_at", tzinfo=zone)
    grouped = pairs.order_by().annotate(day=day, same=same).values_list("day", "same")
    found: dict[date, list[int]] = {}
    for on, agreed, rows in grouped.annotate(rows=Count("pk")):
        counts = found.setdefault(on, [0, 0])
        counts[0] += rows if agreed else 0
        counts[1] += rows
    return [Counted(on, *counts) for on, counts in sorted(found.items())]
