"""Where the jurors of a run differ: counted in SQL, and single rows only for who may see them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import (
    Avg,
    Case,
    Count,
    F,
    FilteredRelation,
    FloatField,
    IntegerField,
    Max,
    Min,
    Q,
    QuerySet,
    Sum,
    Value,
    When,
)
from django.db.models.functions import Coalesce

from judging.domain.disagreement import Patterns
from judging.models import CriterionScore, JudgeVersion, Run, Verdict
from judging.services.disclosure import opened_by
from labeling.models import CriteriaVersion, Criterion, Exposure
from labeling.services.audit import record
from labeling.services.exposures import record_exposure

_ASKED_ABOUT = ["pass", "fail", "skipped", "escalated"]


@dataclass(frozen=True, slots=True)
class CriterionGap:
    """How far jurors are apart on one criterion, over the `rows` that at least two of them scored.

    `mean` and `widest`: highest minus lowest score of a row, in points of the criterion's scale; None
    where there is no such row.
    """

    criterion: Criterion
    rows: int
    differing: int
    mean: float | None
    widest: float | None


def patterns_of(run: Run, jurors: Sequence[JudgeVersion]) -> Patterns:
    """How many rows there are of each pattern of outcomes; rows without any juror's verdict are left out."""
    seats = [f"seat_{position}" for position, _ in enumerate(jurors)]
    joined = {
        seat: FilteredRelation("juror_verdicts", condition=Q(juror_verdicts__judge_version=juror.pk))
        for seat, juror in zip(seats, jurors, strict=True)
    }
    outcomes = [f"{seat}__outcome" for seat in seats]
    grouped: QuerySet[Any, Any] = _own(run).annotate(**joined).values_list(*outcomes)
    found: dict[tuple[str, ...], int] = {}
    for *said, rows in grouped.annotate(rows=Count("pk")):
        if "pass" in said or "fail" in said:
            found[tuple(outcome or "skipped" for outcome in said)] = rows
    return found


def gaps_of(run: Run) -> list[CriterionGap]:
    """Each criterion in its order: one query for all, whatever the number of rows."""
    criteria = list(run.criteria_version.criteria.order_by("position"))
    beneath = {"verdict__run": run, "verdict__panel_verdict__isnull": False, "verdict__repeat": 0}
    scores = CriterionScore.objects.filter(**beneath)
    spread = Max("score") - Min("score")
    by_row = scores.values(row=F("verdict__panel_verdict"), of=F("criterion")).order_by()
    compared = by_row.annotate(gap=spread, scored=Count("pk")).filter(scored__gte=2)
    wanted: dict[str, Any] = {}
    for each in criteria:
        mine = Q(of=each.pk)
        wanted |= {
            f"rows_{each.pk}": Count("gap", filter=mine),
            f"differing_{each.pk}": Count("gap", filter=mine & Q(gap__gt=0)),
            f"mean_{each.pk}": Avg("gap", filter=mine),
            f"widest_{each.pk}": Max("gap", filter=mine),
        }
    found = compared.aggregate(**wanted)
    names = ("rows", "differing", "mean", "widest")
    return [CriterionGap(each, *(found[f"{name}_{each.pk}"] for name in names)) for each in criteria]


def differing(run: Run, criterion: Criterion | None = None) -> QuerySet[Verdict]:
    """The panel's verdicts on rows where jurors differ: splits first, then by how far they are apart.

    With a `criterion`, the rows on which their scores on it differ, furthest apart first.
    """
    if criterion:
        about = Q(juror_verdicts__scores__criterion=criterion)
        lowest = Min("juror_verdicts__scores__score", filter=about)
        highest = Max("juror_verdicts__scores__score", filter=about)
        return _own(run).annotate(gap=highest - lowest).filter(gap__gt=0).order_by("-gap", "pk")
    sides = [Max(Case(When(juror_verdicts__outcome=side, then=1), default=0)) for side in ("pass", "fail")]
    apart = Max("juror_verdicts__score") - Min("juror_verdicts__score")
    gap = Coalesce(apart, Value(0.0), output_field=FloatField())
    found = _own(run).annotate(split=sides[0] * sides[1], gap=gap)
    return found.filter(Q(split=1) | Q(gap__gt=0)).order_by("-split", "-gap", "pk")


def visible_to(rows: QuerySet[Verdict], reader: User, version: CriteriaVersion) -> QuerySet[Verdict]:
    """Rows for tuning, and those that the reader has opened."""
    return rows.filter(Q(candidate__split="tune") | opened_by(reader, version))


def count_open_and_closed(rows: QuerySet[Verdict], reader: User, version: CriteriaVersion) -> tuple[int, int]:
    """How many rows `visible_to` and `closed_to` find: one query, since comparing the jurors takes time."""
    shown = When(Q(candidate__split="tune") | opened_by(reader, version), then=1)
    compared = rows.order_by().annotate(shown=Max(Case(shown, default=0, output_field=IntegerField())))
    found = compared.aggregate(rows=Count("pk"), visible=Sum("shown"))
    visible = found["visible"] or 0
    return visible, found["rows"] - visible


def closed_to(rows: QuerySet[Verdict], reader: User, version: CriteriaVersion) -> QuerySet[Verdict]:
    """The other rows: they certify, or will once people label them."""
    return rows.filter(~Q(candidate__split="tune") & ~opened_by(reader, version))


@transaction.atomic
def open_differing(*, run: Run, reader: User, rows: QuerySet[Verdict], most: int) -> int:
    """Open the first `most` closed ones of `rows` to `reader`, logged; returns how many there were."""
    version = run.criteria_version
    found = closed_to(rows, reader, version)
    candidates = list(found.values_list("candidate_id", flat=True)[:most])
    if candidates:
        note_shown(reader=reader, version=version, candidate_ids=candidates)
        record(
            actor=reader,
            action="verdicts_opened",
            subject=str(run),
            criteria_set=version.criteria_set,
            run=run.pk,
            candidates=candidates,
        )
    return len(candidates)


def note_shown(*, reader: User, version: CriteriaVersion, candidate_ids: Sequence[int]) -> None:
    """Note that `reader` sees verdicts on these rows, though not what people say of them."""
    record_exposure(user=reader, version=version, candidate_ids=candidate_ids, what=Exposure.What.VERDICTS)


def _own(run: Run) -> QuerySet[Verdict]:
    own = Verdict.objects.own().filter(run=run, kind=Verdict.Kind.PANEL, outcome__in=_ASKED_ABOUT, repeat=0)
    return own.order_by()
