"""The statistics of the detail page, computed when it is read."""

from collections.abc import Callable
from dataclasses import dataclass

from judging.models import Calibration
from labeling.domain.agreement import (
    Estimate,
    Table,
    Undefined,
    agreement_rate,
    band,
    bias_index,
    estimate_kappa,
    kappa,
    kappa_max,
    labels_needed,
    mcc,
    mcnemar_exact,
    recall,
)
from labeling.domain.verdicts import HumanVerdict


@dataclass(frozen=True)
class Figures:
    """What stands beside kappa. None: undefined on these rows."""

    band: str | None
    agreement: Estimate | None
    recall_pass: Estimate | None
    recall_fail: Estimate | None
    unkilled_kappa: Estimate | None
    killed: int
    kappa_max: float | None
    mcc: float | None
    leaning: str
    leaning_p: float
    labels_needed: int | None


def figures_of(calibration: Calibration, bar: float) -> Figures:
    """The figures of one calibration."""
    table, unkilled = calibration.table, calibration.unkilled_table
    return Figures(
        band=defined(lambda: band(kappa(table))),
        agreement=defined(lambda: agreement_rate(table)),
        recall_pass=defined(lambda: recall(table, HumanVerdict.PASS)),
        recall_fail=defined(lambda: recall(table, HumanVerdict.FAIL)),
        unkilled_kappa=defined(lambda: estimate_kappa(unkilled)),
        killed=table.n - unkilled.n,
        kappa_max=defined(lambda: kappa_max(table)),
        mcc=mcc(table),
        leaning=_leaning(table),
        leaning_p=mcnemar_exact(table.b, table.c),
        labels_needed=defined(lambda: labels_needed(table, kappa(table), bar)),
    )


def defined[T](compute: Callable[[], T]) -> T | None:
    """The value, or None where it does not exist."""
    try:
        return compute()
    except Undefined:
        return None


def _leaning(table: Table) -> str:
    if not table.n or not bias_index(table):
        return "neither lenient nor strict"
    return "stricter than people" if bias_index(table) > 0 else "more lenient than people"
