"""Whether a judge may be trusted: every reason against it, and what to know beside the answer."""

from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction

from judging.domain.attempts import Attempt, Finding, find
from judging.domain.certificate_reasons import beside, bound_warnings, expired, guards, worst_case_reasons
from judging.domain.evidence import Evidence, Policy
from judging.domain.figures import plain, rounded, shown_kappa
from judging.domain.look_reasons import look_reasons
from judging.domain.looks import Plan
from judging.domain.measured import Measured, defined
from judging.domain.reasons import CertificateReason, Reason, certificate_reason
from labeling.domain.agreement import Interval, Table

__all__ = [
    "Decision",
    "Evidence",
    "Policy",
    "Status",
    "UnknownRule",
    "agreement_of",
    "decide",
    "effective_status",
    "expired",
    "summary_line",
]


class Status(StrEnum):
    """What a certificate says."""

    CERTIFIED = "certified"
    UNCERTIFIED = "uncertified"


class UnknownRule(ValueError):
    """The policy names a rule that this version cannot apply."""


@dataclass(frozen=True, slots=True)
class Decision:
    """The answer with its doubt. A number that does not exist is None. `reasons` are empty when certified.

    `interval` is two-sided, `lower_bound` one-sided, both at 95 %. `finding`: of the rule `bound`.
    """

    certified: bool
    reasons: tuple[Reason, ...]
    warnings: tuple[Reason, ...]
    kappa: Fraction | None
    interval: Interval | None
    lower_bound: float | None
    kappa_worst_case: Fraction | None
    agreement: Fraction | None
    coverage: Fraction | None
    n: int
    n_pass: int
    n_fail: int
    expires_at: datetime | None
    finding: Finding = field(default_factory=Finding)

    @property
    def status(self) -> Status:
        return Status.CERTIFIED if self.certified else Status.UNCERTIFIED


def decide(policy: Policy, evidence: Evidence | None, now: datetime) -> Decision:
    """Certified or not, with every reason that applies.

    `evidence` is None for a judge that was never calibrated. Raises `UnknownRule` for a rule other than
    "point" and "bound": a policy that cannot be applied certifies nobody.
    """
    if policy.rule not in ("point", "bound"):
        raise UnknownRule(
            f"The rule “{policy.rule}” cannot be applied. Set the policy's rule to “point” or “bound”."
        )
    if evidence is None:
        return _uncalibrated()
    if policy.rule == "bound":
        return _by_bound(policy, evidence, now)
    reasons = tuple(guards(policy, evidence, now))
    warnings = (
        *bound_warnings(policy, evidence),
        *worst_case_reasons(policy, evidence),
        *beside(policy, evidence),
    )
    return _decision(policy, evidence, reasons, warnings)


def _by_bound(policy: Policy, evidence: Evidence, now: datetime) -> Decision:
    """At planned looks kappa must be shown to be above the bar; between them a state may only fall."""
    attempt = evidence.attempt or Attempt(Plan(policy.looks, policy.n_max))
    finding = find(attempt, evidence.measured, policy.bar)
    reasons = (
        *guards(policy, evidence, now),
        *look_reasons(attempt, finding, evidence.measured, policy.bar),
        *worst_case_reasons(policy, evidence),
    )
    return _decision(policy, evidence, reasons, tuple(beside(policy, evidence)), finding)


def _uncalibrated() -> Decision:
    nothing = Table(0, 0, 0, 0)
    return Decision(
        certified=False,
        reasons=(certificate_reason(CertificateReason.NEVER_CALIBRATED),),
        warnings=(),
        kappa=None,
        interval=None,
        lower_bound=None,
        kappa_worst_case=None,
        agreement=None,
        coverage=None,
        n=nothing.n,
        n_pass=nothing.n_pass,
        n_fail=nothing.n_fail,
        expires_at=None,
    )


def _decision(
    policy: Policy,
    evidence: Evidence,
    reasons: tuple[Reason, ...],
    warnings: tuple[Reason, ...],
    finding: Finding | None = None,
) -> Decision:
    table, measured = evidence.table, evidence.measured
    return Decision(
        certified=not reasons,
        reasons=reasons,
        warnings=warnings,
        kappa=defined(measured.kappa),
        interval=defined(measured.interval),
        lower_bound=defined(measured.lower_bound),
        kappa_worst_case=defined(evidence.worst.kappa),
        agreement=agreement_of(measured),
        coverage=evidence.coverage,
        n=table.n,
        n_pass=table.n_pass,
        n_fail=table.n_fail,
        expires_at=evidence.expires_at(policy),
        finding=finding or Finding(),
    )


def agreement_of(measured: Measured) -> Fraction | None:
    """Share of rows on which people and judge agree, exact where rows count alike; None without a row."""
    table = measured.table
    if not table.n:
        return None
    return Fraction(measured.agreement()) if measured.weighted else Fraction(table.a + table.d, table.n)


def effective_status(status: str, expires_at: datetime | None, now: datetime) -> Status:
    """A stored status as it stands now: a certificate is over in the very second it expires."""
    alive = expires_at is None or now < expires_at
    return Status.CERTIFIED if status == Status.CERTIFIED and alive else Status.UNCERTIFIED


def summary_line(decision: Decision, bar: Decimal) -> str:
    """The one line of `calibrate`: answer, rows, kappa, agreement, then the reasons as `code: detail`."""
    parts = [
        str(decision.status).upper(),
        f"n={decision.n}",
        f"kappa={shown_kappa(decision.kappa, bar)} ({_doubt(decision, bar)})",
    ]
    if decision.agreement is not None:
        parts.append(f"agree={rounded(decision.agreement * 100, 0)}%")
    if decision.reasons:
        parts.append("; ".join(map(str, decision.reasons)))
    return "  ".join(parts)


def _doubt(decision: Decision, bar: Decimal) -> str:
    """The bar, and the lower bound where there are rows enough for it to say something."""
    codes = {reason.code for reason in decision.reasons}
    if decision.lower_bound is None or CertificateReason.TOO_FEW_ROWS in codes:
        return f"bar {plain(bar)}"
    return f"bar {plain(bar)}, 95% lower bound {shown_kappa(Fraction(decision.lower_bound), bar)}"
