"""Counting how steady the judges of runs with repeats are: in SQL, never from rows pulled into Python."""

from collections import defaultdict
from collections.abc import Collection
from typing import Any

from django.contrib.auth.models import User
from django.db import connection
from django.db.models import Avg, Count, F, FloatField, Max, Min, Q, QuerySet, StdDev
from django.db.models.functions import Cast, NullIf, Sqrt

from judging.domain.consistency import Moves, Repeats
from judging.models import CriterionScore, JudgeVersion, Run, Verdict
from judging.services.disagreements import closed_to, visible_to
from labeling.models import CriteriaSet

_PASS, _FAIL = Count("pk", filter=Q(outcome="pass")), Count("pk", filter=Q(outcome="fail"))


def repeats_of(runs: Collection[int]) -> dict[tuple[int, int], Repeats]:
    """By run and judge version (ids): how many rows came out how, for the run's judge and each juror.

    Rows are counted twice over, first by candidate and then by what came out; the ORM has no GROUP BY over
    a GROUP BY.
    """
    if not runs:
        return {}
    rows = Verdict.objects.filter(run__in=runs).exclude(outcome__in=["pending", "not_asked"])
    by_row = rows.order_by().values("run_id", "judge_version_id", "candidate_id")
    inner, parameters = by_row.annotate(passes=_PASS, fails=_FAIL).query.sql_with_params()
    found: dict[tuple[int, int], dict[tuple[int, int], int]] = defaultdict(dict)
    with connection.cursor() as cursor:
        names = "run_id, judge_version_id, passes, fails"
        # Only names of columns are put into the statement.
        statement = f"SELECT {names}, COUNT(*) FROM ({inner}) AS by_row GROUP BY {names}"  # noqa: S608
        cursor.execute(statement, parameters)
        for run, judge, passes, fails, number in cursor.fetchall():
            found[run, judge][passes, fails] = number
    return dict(found)


def moves_of(run: Run, judge: JudgeVersion) -> list[Moves]:
    """How the scores on each criterion move, in the criteria's order: one query for all."""
    criteria = list(run.criteria_version.criteria.order_by("position"))
    scores = CriterionScore.objects.filter(verdict__run=run, verdict__judge_version=judge)
    by_row = scores.order_by().values(row=F("verdict__candidate"), of=F("criterion"))
    spread = StdDev("score") * Sqrt(Cast("n", FloatField()) / NullIf(F("n") - 1, 0))  # of a sample
    counted = by_row.annotate(n=Count("pk"), lowest=Min("score"), highest=Max("score"))
    compared = counted.annotate(spread=spread).filter(n__gte=2)
    wanted: dict[str, Any] = {}
    for each in criteria:
        mine = Q(of=each.pk)
        wanted |= {
            f"rows_{each.pk}": Count("row", filter=mine),
            f"moved_{each.pk}": Count("row", filter=mine & Q(highest__gt=F("lowest"))),
            f"spread_{each.pk}": Avg("spread", filter=mine),
        }
    found = compared.aggregate(**wanted)
    return [
        Moves(
            name=each.name,
            rows=found[f"rows_{each.pk}"],
            moved=found[f"moved_{each.pk}"],
            spread=found[f"spread_{each.pk}"] or 0.0,
        )
        for each in criteria
    ]


def measured(judges: Collection[int], sets: QuerySet[CriteriaSet]) -> list[Run]:
    """The finished runs with repeats of these judge versions, or of panels they sit in, on these criteria
    sets: of each judge version the newest on each criteria version, the newest first.
    """
    about = Q(judge_version__in=judges) | Q(judge_version__seats__juror__in=judges)
    finished = Run.objects.filter(about, kind=Run.Kind.CONSISTENCY, state=Run.State.FINISHED)
    newest = finished.filter(criteria_version__criteria_set__in=sets).order_by()
    ids = newest.values("judge_version", "criteria_version").annotate(newest=Max("pk")).values("newest")
    named = Run.objects.select_related("judge_version__judge", "criteria_version__criteria_set")
    return list(named.filter(pk__in=ids).order_by("-pk"))


def flips(run: Run) -> QuerySet[Verdict]:
    """The rows that the run's own judge passed and failed, each by the verdict of its first repeat."""
    own = Verdict.objects.own().filter(run=run)
    both = own.order_by().values("candidate").annotate(passes=_PASS, fails=_FAIL)
    rows = own.filter(repeat=0, candidate__in=both.filter(passes__gt=0, fails__gt=0).values("candidate"))
    return rows.select_related("candidate").order_by("pk")


def answers_on(run: Run, candidates: Collection[int]) -> dict[int, list[Verdict]]:
    """What the run's own judge said of these candidates, in the order of the repeats."""
    own = Verdict.objects.own().filter(run=run, candidate__in=candidates)
    found: dict[int, list[Verdict]] = defaultdict(list)
    for verdict in own.order_by("repeat").defer("raw_reply", "rejected_reply"):
        found[verdict.candidate_id].append(verdict)
    return found


def visible_flips(run: Run, reader: User) -> QuerySet[Verdict]:
    """Those for tuning and those that `reader` has opened."""
    return visible_to(flips(run), reader, run.criteria_version)


def closed_flips(run: Run, reader: User) -> QuerySet[Verdict]:
    """The others, which certify or may yet."""
    return closed_to(flips(run), reader, run.criteria_version)
