"""What the detail page shows behind a standing."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db.models import Count, QuerySet

from judging.domain.figures import shown_kappa
from judging.domain.reasons import SKIP_SENTENCES, SkipReason
from judging.models import Calibration, CalibrationRow, Certificate
from judging.services.standing import Standing
from judging.views.figures import defined, lines_of, percent
from labeling.domain.agreement import Estimate, band, estimate_kappa, kappa, kappa_exact, labels_needed

_HISTORY = 20  # events shown


@dataclass(frozen=True)
class Skips:
    """How often a judge gave no verdict, and why."""

    reason: str
    sentence: str
    rows: int


@dataclass(frozen=True)
class Seat:
    """A juror, or the panel itself, on the same rows."""

    calibration: Calibration
    kappa: Estimate | None
    shown_kappa: str
    skips: list[Skips]


def evidence_of(standing: Standing) -> dict[str, Any]:
    """Template context: table, figures, jurors, history and other versions."""
    context: dict[str, Any] = {"others": _others(standing)}
    if standing.certificate is None:
        return context
    certificate = standing.certificate
    calibration = certificate.calibration
    return context | {
        "calibration": calibration,
        "lines": lines_of(certificate),
        "coverage": percent(certificate.coverage),
        "band": defined(lambda: band(kappa(calibration.table))),
        "labels_needed": _labels_needed(calibration, float(standing.bar)),
        "seats": _seats(calibration, standing.bar),
        "history": _history(standing),
    }


def _labels_needed(calibration: Calibration, bar: float) -> int | None:
    """Rows in all that would settle it at this kappa; None where there are enough, or no number would."""
    table = calibration.table
    needed = defined(lambda: labels_needed(table, kappa(table), bar))
    return needed if needed and needed > table.n else None


def _seats(calibration: Calibration, bar: Decimal) -> list[Seat]:
    """The judge of the run first, then its jurors in the order of their seats."""
    same_run = Calibration.objects.filter(run=calibration.run_id, is_current=True)
    found = list(same_run.select_related("judge_version__judge").order_by("pk"))
    skips = _skips(found)
    return [_seat(each, bar, skips.get(each.pk, [])) for each in found]


def _seat(calibration: Calibration, bar: Decimal, skips: list[Skips]) -> Seat:
    table = calibration.table
    shown = shown_kappa(defined(lambda: kappa_exact(table)), bar)
    return Seat(calibration, defined(lambda: estimate_kappa(table)), shown, skips)


def _skips(calibrations: list[Calibration]) -> dict[int, list[Skips]]:
    skipped = CalibrationRow.objects.filter(calibration__in=calibrations, outcome="skipped")
    counted = skipped.values("calibration", "verdict__reason").annotate(rows=Count("pk"))
    found: dict[int, list[Skips]] = {}
    for group in counted.order_by("-rows"):
        reason = group["verdict__reason"]
        sentence = SKIP_SENTENCES[SkipReason(reason)]
        found.setdefault(group["calibration"], []).append(Skips(reason, sentence, group["rows"]))
    return found


def _history(standing: Standing) -> QuerySet[Certificate]:
    events = Certificate.objects.filter(
        judge_version=standing.judge_version, criteria_version=standing.criteria_version
    )
    return events.select_related("actor", "calibration").order_by("-pk")[:_HISTORY]


def _others(standing: Standing) -> list[Standing]:
    """Other versions of the judge or of the criteria, as they stand now."""
    found = Certificate.objects.current().filter(
        judge_version__judge=standing.judge_version.judge_id,
        criteria_version__criteria_set=standing.criteria_version.criteria_set_id,
    )
    if standing.certificate:
        found = found.exclude(pk=standing.certificate.pk)
    newest = found.with_names().order_by("-criteria_version__number", "-judge_version__number")[:_HISTORY]
    return [Standing(each.judge_version, each.criteria_version, each, standing.now) for each in newest]
