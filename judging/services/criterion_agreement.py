"""How people and judges scored each criterion of a calibration's rows: counted in SQL, cell by cell."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db import connection
from django.db.models import Count, F, QuerySet, Window
from django.db.models.functions import RowNumber

from judging.models import Calibration, CalibrationRow, CriterionScore
from labeling.domain.agreement import Undefined
from labeling.domain.agreement.graded import Counts, Requests, influences
from labeling.models import Mark

type Key = tuple[int, int]  # the judge version's id and the criterion's


@dataclass(slots=True)
class Marked:
    """One judge on one criterion: rows by (people's mark, judge's score), and those marked but not scored.

    People's mark is the median of the blind labels' marks in force, a judge's score that of its jurors.
    `requests`: None on two-valued scales, for jurors, where every row answers a request of its own, and where
    kappa is undefined.
    """

    counts: dict[tuple[float, float], int] = field(default_factory=dict)
    unscored: int = 0
    requests: Requests | None = None


def marks_of(calibration: Calibration) -> dict[Key, Marked]:
    """Of the rows that the run's judge scored, by judge (jurors too) and criterion; without marks, no entry.

    Two statements, or three where several rows answer one request, whatever the number of rows.
    """
    found: dict[Key, Marked] = defaultdict(Marked)
    for judge, criterion, human, said, rows in _grouped(calibration):
        marked = found[judge, criterion]
        if said is None:
            marked.unscored += rows
        else:
            marked.counts[human, said] = rows
    if found and shares_requests(calibration):
        _add_requests(calibration, found)
    return dict(found)


def shares_requests(calibration: Calibration) -> bool:
    """Whether several scored rows answer one request, so that they are not independent."""
    own = _answered(calibration).filter(calibration__judge_version=calibration.judge_version_id)
    found = own.aggregate(rows=Count("pk"), requests=Count("candidate__request_hash", distinct=True))
    return bool(found["requests"] < found["rows"])


def _answered(calibration: Calibration) -> QuerySet[CalibrationRow]:
    """The scored rows of the run as they stand, those of its judge and of its jurors."""
    standing = CalibrationRow.objects.filter(calibration__run=calibration.run_id, ended_by=None)
    return standing.filter(outcome__in=["pass", "fail"]).order_by()


def _grouped(calibration: Calibration) -> list[tuple[Any, ...]]:
    """Judge, criterion, people's mark, the judge's score (None: it gave none) and how many such rows."""
    cells = "judge_id, criterion, human, said"
    statement = f"SELECT {cells}, COUNT(*) FROM pairs GROUP BY {cells}"  # noqa: S608 (names only)
    return _ask(calibration, _answered(calibration), statement)


def _add_requests(calibration: Calibration, found: Mapping[Key, Marked]) -> None:
    """The squares that tell how far rows of one request go wrong together: one number for each kappa."""
    several_steps = calibration.criteria_version.criteria.exclude(scale_max=F("scale_min") + 1)
    graded = set(several_steps.values_list("pk", flat=True))
    moves = [
        f"({judge}, {criterion}, {human!r}, {said!r}, CAST({move!r} AS DOUBLE PRECISION))"
        for (judge, criterion), marked in found.items()
        if criterion in graded and judge == calibration.judge_version_id
        for (human, said), move in _moves(marked.counts).items()
    ]
    if not moves:
        return
    # Only numbers that were computed here and names of columns are put into the statement.
    statement = f"""
        , moves (judge_id, criterion, human, said, move) AS (VALUES {", ".join(moves)}),
        sums AS (
            SELECT pairs.judge_id, pairs.criterion, request, SUM(move) AS total
            FROM pairs JOIN moves ON moves.judge_id = pairs.judge_id AND moves.criterion = pairs.criterion
                AND moves.human = pairs.human AND moves.said = pairs.said
            GROUP BY pairs.judge_id, pairs.criterion, request
        )
        SELECT judge_id, criterion, SUM(total * total), COUNT(*) FROM sums GROUP BY judge_id, criterion
    """  # noqa: S608
    own = _answered(calibration).filter(calibration__judge_version=calibration.judge_version_id)
    for judge, criterion, squares, number in _ask(calibration, own, statement, graded):
        found[judge, criterion].requests = Requests(squares, number)


def _moves(counts: Counts) -> Mapping[tuple[float, float], float]:
    try:
        return influences(counts)
    except Undefined:
        return {}


def _ask(
    calibration: Calibration,
    answered_rows: QuerySet[CalibrationRow],
    statement: str,
    criteria: Collection[int] | None = None,
) -> list[tuple[Any, ...]]:
    """Rows of a statement over `pairs`: each scored row with a mark, by criterion; None: of all criteria.

    Written out, since the ORM neither joins two questions nor has a GROUP BY over a GROUP BY; what it can
    say, it says. Each part is made once and by itself, which is what PostgreSQL, left to guess how few rows
    there are, does not. The middle one of an odd number of marks, the mean of the middle two of an even one.
    """
    answered, known = _sql(answered_rows.values_list(*_ANSWERED))
    ranked, more = _sql(_ranked(calibration, criteria).values_list(*_RANKED))
    scores = CriterionScore._meta.db_table
    pairs = f"""
        WITH answered (judge_id, verdict, candidate, request) AS MATERIALIZED ({answered}),
        ranked (criterion, candidate, score, place, marks) AS ({ranked}),
        settled AS MATERIALIZED (
            SELECT criterion, candidate, CAST(AVG(score) AS DOUBLE PRECISION) AS human
            FROM ranked WHERE 2 * place IN (marks, marks + 1, marks + 2) GROUP BY criterion, candidate
        ),
        pairs AS MATERIALIZED (
            SELECT judge_id, settled.criterion, request, human, said.score AS said
            FROM answered JOIN settled ON settled.candidate = answered.candidate
            LEFT JOIN {scores} said
                ON said.verdict_id = answered.verdict AND said.criterion_id = settled.criterion
        )
    """  # noqa: S608
    with connection.cursor() as cursor:
        cursor.execute(pairs + statement, (*known, *more))
        return list(cursor.fetchall())


_ANSWERED = ("calibration__judge_version_id", "verdict_id", "candidate_id", "candidate__request_hash")
_RANKED = ("criterion_id", "label__candidate_id", "score", "place", "marks")


def _ranked(calibration: Calibration, criteria: Collection[int] | None) -> QuerySet[Mark]:
    """Marks of current blind labels, each with its place among those of its row and how many there are."""
    heard = Mark.objects.filter(
        label__version=calibration.criteria_version_id,
        label__blind=True,
        label__superseded_at=None,
        label__withdrawn_at=None,
        label__candidate__split="certify",
    )
    if criteria is not None:
        heard = heard.filter(criterion__in=criteria)
    alike = [F("criterion"), F("label__candidate")]
    place = Window(RowNumber(), partition_by=alike, order_by="score")
    return heard.annotate(place=place, marks=Window(Count("pk"), partition_by=alike)).order_by()


def _sql(rows: QuerySet[Any, Any]) -> tuple[str, tuple[Any, ...]]:
    statement, parameters = rows.query.sql_with_params()
    return statement, tuple(parameters)
