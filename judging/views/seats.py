"""The judge of a certificate and its jurors, each alone on the same rows, with the rows they left open."""

from dataclasses import dataclass

from django.db.models import Count

from judging.domain.figures import shown_kappa
from judging.domain.reasons import SKIP_SENTENCES, SkipReason
from judging.models import Calibration, Certificate
from judging.views.figures import defined
from judging.views.pairs import JurorLine, jurors_of, line_of
from labeling.domain.agreement import kappa_exact


@dataclass(frozen=True, slots=True)
class Skips:
    """How often a judge gave no verdict, and why."""

    reason: str
    sentence: str
    rows: int


@dataclass(frozen=True, slots=True)
class Seat:
    """A juror, or the judge of the run itself, with its skips. `unkilled`: without what Layer 1 kills."""

    line: JurorLine
    skips: list[Skips]
    unkilled: str


def seats_of(certificate: Certificate) -> list[Seat]:
    """The judge of the run first, then its jurors in the order of their seats."""
    run, bar = certificate.calibration.run_id, certificate.bar
    lines = [line_of(certificate.calibration, bar), *jurors_of([certificate]).get(run, [])]
    return [Seat(line, skips_of(line.calibration), _unkilled(line, certificate)) for line in lines]


def _unkilled(line: JurorLine, certificate: Certificate) -> str:
    if line.calibration.strata:
        return "–"  # counted by plain rows, it would stand beside a kappa that weighs them
    table = line.calibration.unkilled_table
    return shown_kappa(defined(lambda: kappa_exact(table)), certificate.bar)


def skips_of(calibration: Calibration) -> list[Skips]:
    """The reasons, most frequent first. `truth` is always one of the two; naming them lets the index find
    just these rows."""
    skipped = calibration.rows.filter(truth__in=["pass", "fail"], outcome="skipped")
    counted = skipped.values("verdict__reason").annotate(rows=Count("pk"))
    return [_skips_for(**group) for group in counted.order_by("-rows")]


def _skips_for(verdict__reason: str, rows: int) -> Skips:
    return Skips(verdict__reason, SKIP_SENTENCES[SkipReason(verdict__reason)], rows)
