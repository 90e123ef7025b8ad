"""How well a judge agrees with people on each criterion alone, and each juror of a panel beside it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from judging.models import Calibration, Certificate, JudgeVersion
from judging.services.criterion_agreement import Key, Marked, marks_of, shares_requests
from judging.views.dashboard import standing_or_404
from judging.views.marks import Agreement, Grid, agreement_on, grid_of, is_binary, left_out
from judging.views.pairs import jurors_of
from judging.views.tabs import page_about
from labeling.models import Criterion
from vera_site.http import Request


@dataclass(frozen=True, slots=True)
class OfCriterion:
    """One criterion: the judge of the certificate on it, and each of a panel's jurors.

    `agreement` is None where code decides, or where nobody marked a row that the judge scored.
    """

    criterion: Criterion
    agreement: Agreement | None
    grid: Grid | None
    left_out: list[str]
    jurors: list[tuple[JudgeVersion, Agreement | None]]

    @property
    def is_graded(self) -> bool:
        return not is_binary(self.criterion)

    @property
    def is_rule(self) -> bool:
        return self.criterion.strategy != "judge"


@login_required
@require_safe
def by_criterion(request: Request, judge: str, criteria: str) -> HttpResponse:
    """People's marks against the judge's scores, for the calibration behind the certificate."""
    standing = standing_or_404(request, judge, criteria)
    context = page_about(standing, "by_criterion")
    if standing.certificate is not None:
        context |= marks_behind(standing.certificate)
    return render(request, "judging/by_criterion.html", context)


def marks_behind(certificate: Certificate) -> dict[str, Any]:
    """Template context: each criterion of the calibration behind the certificate, and who sat beside."""
    jurors = [line.calibration for line in jurors_of([certificate]).get(certificate.calibration.run_id, [])]
    marked = marks_of(certificate.calibration)
    criteria = certificate.criteria_version.criteria.order_by("position")
    found = [_of_criterion(each, certificate.calibration, jurors, marked) for each in criteria]
    return {
        "calibration": certificate.calibration,
        "jurors": [each.judge_version for each in jurors],
        "criteria": found,
        "nothing_marked": not marked,
        "shares_requests": bool(marked) and shares_requests(certificate.calibration),
    }


def _of_criterion(
    criterion: Criterion,
    calibration: Calibration,
    jurors: Sequence[Calibration],
    marked: Mapping[Key, Marked],
) -> OfCriterion:
    own = marked.get((calibration.judge_version_id, criterion.pk))
    beside = [(each.judge_version, marked.get((each.judge_version_id, criterion.pk))) for each in jurors]
    return OfCriterion(
        criterion,
        agreement_on(criterion, own) if own else None,
        grid_of(own.counts) if own else None,
        left_out(criterion, own, calibration.table.n) if own else [],
        [(juror, agreement_on(criterion, each) if each else None) for juror, each in beside],
    )
