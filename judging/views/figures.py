"""The statistics beside kappa on the detail page, each with its doubt, computed when the page is read."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from judging.models import Certificate
from labeling.domain.agreement import (
    Estimate,
    Table,
    Undefined,
    agreement_rate,
    bias_index,
    estimate_kappa,
    kappa_max,
    mcc,
    mcnemar_exact,
    recall,
)
from labeling.domain.verdicts import HumanVerdict


@dataclass(frozen=True)
class Line:
    """One statistic as it is read: its name, its value, and how far that may be trusted."""

    name: str
    value: str
    doubt: str = ""


def lines_of(certificate: Certificate) -> list[Line]:
    """What stands beside the kappa of a certificate."""
    calibration = certificate.calibration
    return [*_per_class(calibration.table), *_gaps(certificate), *_more(calibration.table)]


def defined[T](compute: Callable[[], T]) -> T | None:
    """The value, or None where it does not exist."""
    try:
        return compute()
    except Undefined:
        return None


def percent(share: float | None) -> str:
    """A share as a percentage; one decimal, so that 94.9 % is not read as 95 %."""
    return "–" if share is None else f"{int(share * 1000) / 10:g}%"


def _per_class(table: Table) -> Iterator[Line]:
    yield _share("Agreement", defined(lambda: agreement_rate(table)))
    yield _share("Of rows people pass, judge passes", defined(lambda: recall(table, HumanVerdict.PASS)))
    yield _share("Of rows people fail, judge fails", defined(lambda: recall(table, HumanVerdict.FAIL)))


def _share(name: str, estimate: Estimate | None) -> Line:
    if estimate is None:
        return Line(name, "undefined", "no such rows")
    doubt = f"95% interval {percent(estimate.low)} to {percent(estimate.high)}, {estimate.n} rows"
    return Line(name, percent(estimate.value), doubt)


def _gaps(certificate: Certificate) -> Iterator[Line]:
    """What skips and Layer 1 could hide."""
    calibration = certificate.calibration
    asked = calibration.table.n + calibration.skipped
    yield Line(
        "Coverage", percent(certificate.coverage), f"{calibration.table.n} of {asked} rows have a verdict"
    )
    worst = certificate.kappa_worst_case
    yield Line(
        "Kappa if every skip were wrong", _number(worst), _counted(calibration.skipped, "row") + " skipped"
    )
    unkilled = calibration.unkilled_table
    estimate = defined(lambda: estimate_kappa(unkilled))
    killed = _counted(calibration.table.n - unkilled.n, "row") + " left out"
    yield Line("Kappa without what Layer 1 kills", _number(estimate.value if estimate else None), killed)


def _more(table: Table) -> Iterator[Line]:
    doubt = f"{table.b} too strict, {table.c} too lenient; McNemar exact p {_chance(table)}"
    yield Line("Leaning", _leaning(table), doubt)
    yield Line("Largest kappa at these pass rates", _number(defined(lambda: kappa_max(table))))
    yield Line("Matthews correlation", _number(mcc(table)))


def _chance(table: Table) -> str:
    """The p value; never a bare zero, which no chance is."""
    p = mcnemar_exact(table.b, table.c)
    return "< 0.001" if p < 0.001 else f"= {p:.3f}"


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def _leaning(table: Table) -> str:
    if not table.n or not bias_index(table):
        return "neither lenient nor strict"
    return "stricter than people" if bias_index(table) > 0 else "more lenient than people"
