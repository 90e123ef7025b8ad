"""What speaks against a judge, and what to know beside the answer: a function for each demand of a policy."""

import math
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from decimal import ROUND_FLOOR, Decimal
from fractions import Fraction

from judging.domain.evidence import Evidence, Policy
from judging.domain.figures import counted, many, percent, plain, rounded, shown_kappa
from judging.domain.measured import Measured, defined
from judging.domain.reasons import CertificateReason, Reason, certificate_reason, not_measured
from labeling.domain.agreement import Undefined

# Agreement between people under which a judge's agreement with them says little, and under which nothing.
_WEAK_CEILING, _LOW_CEILING = 0.60, 0.42
_ALONE = (
    "Asked again about the same rows, people agree with themselves only to kappa {have}: sharpen the "
    "criteria before judging by them. With others they would hardly agree better, and against the labels of "
    "one person even a perfect judge would reach no more than about {reach}."
)
# It blocks by the figure whatever the number of rows, and under so many says how rough that is.
_ROUGH, _ENOUGH = (
    " It is the figure of {rows} only, so it may be another of all: have more rows labelled {how}.",
    30,
)
# Coverage of the rows that people pass and of those they fail that lies so far apart is said.
_APART = Fraction(1, 10)


def guards(policy: Policy, evidence: Evidence, now: datetime) -> Iterator[Reason]:
    """What blocks under either rule."""
    if not evidence.run_complete:
        yield certificate_reason(CertificateReason.RUN_INCOMPLETE)
    yield from _row_reasons(policy, evidence.measured)
    yield from _kappa_reasons(policy, evidence.measured)
    yield from _coverage_reasons(policy, evidence)
    yield from _demanded(policy, evidence)
    expires_at = evidence.expires_at(policy)
    if now >= expires_at:
        yield expired(expires_at)


def _row_reasons(policy: Policy, measured: Measured) -> Iterator[Reason]:
    have, need = measured.counts_like(), policy.min_rows
    if have < need:
        yield _few_rows(measured, need)
    passed, failed = measured.counts_like(human=True), measured.counts_like(human=False)
    name, fewest = ("pass", passed) if passed < failed else ("fail", failed)
    if fewest < policy.min_per_class:
        yield _few_of_one_class(measured, fewest, policy.min_per_class, name)


def _few_rows(measured: Measured, need: int) -> Reason:
    code, have, missing = CertificateReason.TOO_FEW_ROWS, measured.counts_like(), measured.missing(need)
    if not measured.weighted:
        return _too_few(code, have, need, missing=missing)
    message = (
        f"Golden rows were not equally likely to be chosen: {counted(measured.n, have)} are scored, and the "
        f"policy asks for {need}. Label about {missing} more, drawn as these were, and calibrate again."
    )
    return Reason(code, f"{have} of {need}", message)


def _few_of_one_class(measured: Measured, have: int, need: int, name: str) -> Reason:
    code = CertificateReason.TOO_FEW_OF_ONE_CLASS
    if not measured.weighted:
        return _too_few(code, have, need, name=name)
    rows = measured.table.n_pass if name == "pass" else measured.table.n_fail
    message = (
        f"Golden rows were not equally likely to be chosen: people {name} {counted(rows, have)} and are "
        f"scored, and the policy asks for {need}. Label more rows that people {name}."
    )
    return Reason(code, f"{have} of {need}", message)


def _too_few(code: CertificateReason, have: int, need: int, **more: object) -> Reason:
    return certificate_reason(code, f"{have} of {need}", have=have, need=need, **more)


def _kappa_reasons(policy: Policy, measured: Measured) -> Iterator[Reason]:
    try:
        if not measured.meets(policy.bar):
            yield _below(CertificateReason.BELOW_BAR, measured.kappa(), policy.bar)
    except Undefined:
        yield certificate_reason(CertificateReason.UNDEFINED_KAPPA)


def _below(code: CertificateReason, kappa: Fraction, bar: Decimal, **more: object) -> Reason:
    have, need = shown_kappa(kappa, bar), plain(bar)
    return certificate_reason(code, f"{have} of {need}", have=have, need=need, **more)


def _coverage_reasons(policy: Policy, evidence: Evidence) -> Iterator[Reason]:
    coverage = evidence.coverage
    if coverage is None or coverage >= Fraction(policy.min_coverage):
        return
    # Rounded down, so that a coverage just under the demand never reads as if it had met it.
    have = f"{rounded(coverage * 100, 1, ROUND_FLOOR)}%"
    need = f"{plain(policy.min_coverage * 100)}%"
    yield certificate_reason(CertificateReason.LOW_COVERAGE, f"{have} of {need}", have=have, need=need)


def _demanded(policy: Policy, evidence: Evidence) -> Iterator[Reason]:
    """What blocks only where the policy demands it; unmeasured is as good as failed there."""
    if policy.demand_ordering:
        if evidence.ordering_violations is None:
            yield not_measured(CertificateReason.ORDERING_VIOLATED)
        yield from _ordering_reasons(evidence)
    if policy.demand_human_ceiling:
        if evidence.human_kappa is None:
            yield not_measured(CertificateReason.HUMAN_CEILING_LOW)
        yield from _ceiling_reasons(evidence, _LOW_CEILING)


def _ordering_reasons(evidence: Evidence) -> list[Reason]:
    violations = evidence.ordering_violations
    if not violations:
        return []
    have = "1 reference set is" if violations == 1 else f"{violations} reference sets are"
    return [certificate_reason(CertificateReason.ORDERING_VIOLATED, str(violations), have=have)]


def _ceiling_reasons(evidence: Evidence, least: float) -> list[Reason]:
    ceiling = evidence.human_kappa
    if ceiling is None or ceiling >= least:
        return []
    # Rounded down, so that a ceiling just under the demand never reads as if it had met it.
    have = str(rounded(Fraction(str(ceiling)), 2, ROUND_FLOOR))
    reach = f"{math.sqrt(max(0.0, ceiling)):.2f}"
    reason = certificate_reason(CertificateReason.HUMAN_CEILING_LOW, have, have=have, reach=reach)
    message = _ALONE.format(have=have, reach=reach) if evidence.people_alone else reason.message
    if 0 < evidence.human_rows < _ENOUGH:
        how = "again" if evidence.people_alone else "by two people"
        message += _ROUGH.format(rows=many(evidence.human_rows, "row"), how=how)
    return [replace(reason, message=message)]


def expired(expires_at: datetime) -> Reason:
    """The reason of a certificate whose time has run out."""
    return certificate_reason(CertificateReason.EXPIRED, have=f"{expires_at:%Y-%m-%d %H:%M %Z}".strip())


def worst_case_reasons(policy: Policy, evidence: Evidence) -> list[Reason]:
    """Skips that could hide a judge below the bar: they block under `bound` and warn under `point`."""
    worst = defined(evidence.worst.kappa)
    skipped = evidence.skipped_pass + evidence.skipped_fail
    if not skipped or worst is None or worst >= Fraction(policy.bar):
        return []
    return [_below(CertificateReason.SKIPS_WORST_CASE, worst, policy.bar)]


def bound_warnings(policy: Policy, evidence: Evidence) -> list[Reason]:
    """What the rule `point` lets pass: a kappa at the bar whose bound is below it."""
    measured = evidence.measured
    if not defined(lambda: measured.meets(policy.bar)):
        return []
    try:
        bound = measured.lower_bound()
    except Undefined as problem:
        return [Reason(CertificateReason.BOUND_BELOW_BAR, "no bound", str(problem))]
    if bound >= policy.bar:
        return []
    more = more_labels(measured, policy)
    return [_below(CertificateReason.BOUND_BELOW_BAR, Fraction(bound), policy.bar, more=more)]


def more_labels(measured: Measured, policy: Policy) -> str:
    """How many labels would settle whether kappa is above the bar, in a sentence."""
    needed = defined(lambda: measured.labels_needed(policy.bar, policy.min_rows))
    if needed is None:
        return "Kappa is so near the bar that no number of labels would settle it."
    if needed <= measured.n:
        return "A few more labelled rows would settle it, if the judge does as well on those."
    return (
        f"About {needed - measured.n} more labelled rows ({needed} in all) would settle it, if the judge "
        "does as well on those."
    )


def beside(policy: Policy, evidence: Evidence) -> Iterator[Reason]:
    """What to know under either rule; what already blocks is not repeated."""
    if not policy.demand_ordering:
        yield from _ordering_reasons(evidence)
    blocked = policy.demand_human_ceiling and _ceiling_reasons(evidence, _LOW_CEILING)
    if not blocked:
        yield from _ceiling_reasons(evidence, _WEAK_CEILING)
    yield from _uneven_coverage(evidence)
    if evidence.unresolved:
        code, count = CertificateReason.UNRESOLVED_LABELS, evidence.unresolved
        yield certificate_reason(code, str(count), have=_left_out(count))


def _uneven_coverage(evidence: Evidence) -> Iterator[Reason]:
    """A judge that skips the bad rows, or the good ones, is measured on the others only."""
    passed, failed = evidence.coverage_pass, evidence.coverage_fail
    if passed is None or failed is None or abs(passed - failed) < _APART:
        return
    have = f"{percent(passed)} of the rows that people pass and {percent(failed)} of those that they fail"
    detail = f"{percent(passed)} of pass, {percent(failed)} of fail"
    message = (
        f"The judge gave a verdict on {have}: it leaves more of one kind unjudged, and kappa says nothing of "
        "those. Look at the rows without a verdict."
    )
    yield Reason(CertificateReason.LOW_COVERAGE, detail, message)


def _left_out(count: int) -> str:
    return "1 row is" if count == 1 else f"{count} rows are"
