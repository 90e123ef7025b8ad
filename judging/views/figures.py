"""The statistics beside kappa on the detail page, each with its doubt and a sentence for a stranger."""

from collections.abc import Callable, Iterator

from judging.domain.figures import many, percent_interval, plain
from judging.domain.figures import percent as written
from judging.models import Certificate
from judging.views.demands import coverage_lines, demand_lines
from judging.views.lines import Line
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

_BY_CHANCE = 0.05  # rarer than this is not put down to chance


def lines_of(certificate: Certificate) -> list[Line]:
    """What stands beside the kappa of a certificate."""
    return [
        _bound(certificate),
        *demand_lines(certificate),
        *table_lines(certificate.calibration.table),
    ]


def table_lines(table: Table) -> list[Line]:
    """What any table of people against a judge says beside its kappa."""
    return [*_per_class(table), _leaning_line(table)]


def more_lines_of(certificate: Certificate) -> list[Line]:
    """What skips and broken rows could hide, and what only a statistician asks for."""
    return [*_gaps(certificate), *_more(certificate.calibration.table)]


def defined[T](compute: Callable[[], T]) -> T | None:
    """The value, or None where it does not exist."""
    try:
        return compute()
    except Undefined:
        return None


def percent(share: float | None) -> str:
    """A share as a percentage with one decimal, so that 94.9 % is not read as 95 %."""
    return "–" if share is None else written(share)


def _per_class(table: Table) -> Iterator[Line]:
    means = "Rows on which the judge says what people say."
    if table.n:
        means += f" Guessing at the same pass rates would agree on {percent(_chance_agreement(table))}."
    yield _share("Agreement", defined(lambda: agreement_rate(table)), means)
    yield _share(
        "Of rows people pass, judge passes",
        defined(lambda: recall(table, HumanVerdict.PASS)),
        "The rest is good work that it would refuse: 100% is best.",
    )
    yield _share(
        "Of rows people fail, judge fails",
        defined(lambda: recall(table, HumanVerdict.FAIL)),
        "The rest is bad work that it would let through: 100% is best.",
    )


def _chance_agreement(table: Table) -> float:
    human, judge = table.margins
    return human * judge + (1 - human) * (1 - judge)


def _share(name: str, estimate: Estimate | None, means: str) -> Line:
    if estimate is None:
        return Line(name, "undefined", "no such rows", means)
    doubt = f"95% interval {percent_interval(estimate.low, estimate.high)}, {many(estimate.n, 'row')}"
    return Line(name, percent(estimate.value), doubt, means)


def _gaps(certificate: Certificate) -> Iterator[Line]:
    """What skips and Layer 1 could hide."""
    calibration, bar = certificate.calibration, float(certificate.bar)
    asked = calibration.table.n + calibration.skipped
    needed = float(certificate.policy["min_coverage"])
    yield Line(
        "Coverage: rows with a verdict",
        "–" if certificate.coverage is None else written(certificate.coverage, needed),
        f"{calibration.table.n} of {asked} rows have a verdict",
        f"A judge that skips the hard rows looks better than it is. The policy asks for {percent(needed)}"
        + _judged(certificate.coverage, needed),
    )
    yield from coverage_lines(calibration)
    worst = certificate.kappa_worst_case
    yield Line(
        "Kappa if every skip were wrong",
        _number(worst),
        many(calibration.skipped, "row") + " skipped",
        f"How low kappa could be with an answer to each row. The bar is {plain(certificate.bar)}"
        + _judged(worst, bar),
    )
    unkilled = calibration.unkilled_table
    estimate = defined(lambda: estimate_kappa(unkilled))
    killed = many(calibration.table.n - unkilled.n, "row") + " left out that Layer 1 kills"
    yield Line(
        "Kappa without the evidently broken rows",
        _number(estimate.value if estimate else None),
        killed,
        "Layer 1, the checks before any model, tells those without a judge. This is the agreement on the rest"
        + _judged(estimate.value if estimate else None, bar),
    )


def _judged(value: float | None, needed: float) -> str:
    if value is None:
        return "."
    return ": enough." if value >= needed else ": too low."


def _bound(certificate: Certificate) -> Line:
    return Line(
        "95% sure that kappa is above",
        certificate.shown_bound,
        f"bar {plain(certificate.bar)}",
        f"The lower bound, one way only, as API and shell give it. {_bound_says(certificate)}",
    )


def _bound_says(certificate: Certificate) -> str:
    bound, kappa = certificate.lower_bound, certificate.exact_kappa
    if bound is None or kappa is None:
        return "It does not exist here."
    if bound >= certificate.bar:
        return "It is above the bar: a judge below the bar would hardly come so far by luck."
    if kappa >= certificate.bar:
        return "It is below the bar: a judge just under the bar could have come so far by luck."
    if bound > 0:
        return "The judge agrees with people beyond luck, but too little: kappa itself is below the bar."
    return "It is not above 0: these rows do not even show that the judge does better than luck."


def _leaning_line(table: Table) -> Line:
    return Line(
        "Leaning",
        _leaning(table),
        f"{table.b} too strict, {table.c} too lenient",
        f"Do its errors fall to one side? {_lopsided(table)} (McNemar's exact test: p {_chance(table)}.)",
    )


def _more(table: Table) -> Iterator[Line]:
    yield Line(
        "Largest kappa at these pass rates",
        _number(defined(lambda: kappa_max(table))),
        "",
        "Judge and people pass different shares of these rows, so kappa on them cannot reach 1. Its interval "
        "ends there too: other rows would have other shares."
        if table.b != table.c
        else "Judge and people pass the same share of the rows, so nothing caps kappa.",
    )
    yield Line(
        "Matthews correlation",
        _number(mcc(table)),
        "",
        "Another measure of agreement, from −1 to 1, where 0 is luck. It should be near kappa.",
    )


def _lopsided(table: Table) -> str:
    if _leans(table):
        return "So uneven a split is hardly chance."
    return "A split like this one may well be chance." if table.b + table.c else "It made none."


def _leans(table: Table) -> bool:
    return mcnemar_exact(table.b, table.c) < _BY_CHANCE


def _chance(table: Table) -> str:
    """The p value; never a bare zero, which no chance is."""
    p = mcnemar_exact(table.b, table.c)
    return "< 0.001" if p < 0.001 else f"= {p:.3f}"


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"


def _leaning(table: Table) -> str:
    if not table.n or not _leans(table):
        return "no lean shown"
    return "stricter than people" if bias_index(table) > 0 else "more lenient than people"
