"""What a panel's jurors said of each golden row, by what people say of it: counted in one statement."""

from typing import Any

from django.db.models import Count, FilteredRelation, Q, QuerySet

from judging.domain.panel_errors import Judged
from judging.domain.verdicts import Outcome
from judging.models import Calibration, JudgeVersion


def judged_by_seats(calibration: Calibration, jurors: list[JudgeVersion]) -> Judged:
    """Rows of a panel's calibration by truth and the outcomes of `jurors`, in that order.

    A juror without a verdict on a row, as in a run that was cancelled, counts as skipped there.
    """
    seats = [f"seat_{position}" for position, _ in enumerate(jurors)]
    joined = {
        seat: FilteredRelation(
            "verdict__juror_verdicts", condition=Q(verdict__juror_verdicts__judge_version=juror.pk)
        )
        for seat, juror in zip(seats, jurors, strict=True)
    }
    said = [f"{seat}__outcome" for seat in seats]
    grouped: QuerySet[Any, Any] = calibration.rows.order_by().annotate(**joined).values_list("truth", *said)
    found: dict[tuple[str, tuple[str, ...]], int] = {}
    for truth, *outcomes, rows in grouped.annotate(rows=Count("pk")):
        found[truth, tuple(outcome or Outcome.SKIPPED for outcome in outcomes)] = rows
    return found
