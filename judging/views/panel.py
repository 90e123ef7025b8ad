"""What a panel's jurors are worth alone, without each other and together."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from judging.domain.aggregation import OnSplit
from judging.domain.figures import shown_kappa
from judging.domain.panel_errors import Judged, SharedErrors, Without, leave_one_out, shared_errors
from judging.domain.panel_worth import spare_words, votes_words
from judging.models import Calibration, Certificate, JudgeVersion
from judging.services.judges import with_jurors
from judging.services.panel_agreement import judged_by_seats
from judging.services.standing import Standing
from judging.views.dashboard import standing_or_404
from judging.views.figures import defined
from judging.views.interval import IntervalDrawing, table_drawing
from judging.views.judge_facts import warnings_here
from judging.views.pairs import worth_of
from judging.views.seats import seats_of
from judging.views.tabs import page_about
from labeling.domain.agreement import kappa_exact
from vera_site.http import Request

# Rows are drawn again in the same way each time, so that a page opened twice says the same.
_SEED = 20_260_101


@dataclass(frozen=True, slots=True)
class Rest:
    """The panel without one of its jurors."""

    juror: JudgeVersion
    without: Without
    shown_kappa: str
    drawing: IntervalDrawing | None


@dataclass(frozen=True, slots=True)
class Errors:
    """How far two jurors err together; "undefined" where one of them is never or always wrong."""

    one: JudgeVersion
    other: JudgeVersion
    shown: str


@login_required
@require_safe
def panel(request: Request, judge: str, criteria: str) -> HttpResponse:
    """Each juror alone, the panel without each, and how far they err together."""
    standing = standing_or_404(request, judge, criteria)
    is_panel = standing.judge_version.kind == JudgeVersion.Kind.PANEL
    context = page_about(standing, "panel") | {"is_panel": is_panel}
    if is_panel and standing.certificate is not None:
        context |= worth_of_panel(standing, standing.certificate)
    return render(request, "judging/panel.html", context)


def worth_of_panel(standing: Standing, certificate: Certificate) -> dict[str, Any]:
    """Template context: what the jurors of a panel are worth alone, without each other and together."""
    version = with_jurors(JudgeVersion.objects.filter(pk=standing.judge_version.pk)).get()
    jurors, calibration = version.jurors(), certificate.calibration
    judged, seats = judged_by_seats(calibration, jurors), seats_of(certificate)
    rests = [_rest(jurors, each, certificate) for each in leave_one_out(judged, _on_split(calibration))]
    return {
        "calibration": calibration,
        "seats": seats,
        "worth": worth_of(certificate, [seat.line for seat in seats[1:]]),
        "rests": rests,
        "spare": _spare(calibration, rests),
        "warnings": warnings_here(version, standing),
        **_errors(jurors, judged),
    }


def _spare(calibration: Calibration, rests: Sequence[Rest]) -> str:
    """Which juror could be left out; of rows that weigh unequally only why that is not said."""
    if calibration.strata:
        return (
            "The rows were not equally likely to be chosen, and kappa of the rest counts each of them once: "
            "it cannot be held against the panel's own."
        )
    return spare_words(calibration.table, [(str(each.juror), each.without) for each in rests])


def _on_split(calibration: Calibration) -> OnSplit:
    return "human" if calibration.run.on_split == "human" else "majority"


def _rest(jurors: Sequence[JudgeVersion], without: Without, certificate: Certificate) -> Rest:
    kappa = defined(lambda: kappa_exact(without.table))
    drawing = table_drawing(without.table, certificate.bar)
    return Rest(jurors[without.seat], without, shown_kappa(kappa, certificate.bar), drawing)


def _errors(jurors: Sequence[JudgeVersion], judged: Judged) -> dict[str, Any]:
    found = defined(lambda: shared_errors(judged, _SEED)) if judged else None
    return {"shared": found, "votes": votes_words(found), "pairs": _pairs(jurors, found)} if found else {}


def _pairs(jurors: Sequence[JudgeVersion], found: SharedErrors) -> list[Errors]:
    return [
        Errors(jurors[one], jurors[other], "undefined" if value is None else f"{value:.2f}".replace("-", "−"))
        for (one, other), value in found.pairs.items()
    ]
