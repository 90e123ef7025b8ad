"""Whether a judge may be trusted: every reason against it, and what to know beside the answer."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import ROUND_FLOOR, Decimal
from enum import StrEnum
from fractions import Fraction

from judging.domain.figures import plain, rounded, shown_kappa
from judging.domain.reasons import CertificateReason, Reason, certificate_reason, not_measured
from labeling.domain.agreement import (
    Interval,
    Table,
    Undefined,
    kappa_exact,
    meets_bar,
    score_interval,
    score_lower_bound,
    worst_case,
)

# Agreement between people under which a judge's agreement with them says little, and under which nothing.
_WEAK_CEILING, _LOW_CEILING = 0.60, 0.42


class Status(StrEnum):
    """What a certificate says."""

    CERTIFIED = "certified"
    UNCERTIFIED = "uncertified"


class UnknownRule(ValueError):
    """The policy names a rule that this version cannot apply."""


@dataclass(frozen=True, slots=True)
class Policy:
    """What a criteria set demands of its judges. Shares and kappas are 0–1; ages are days."""

    bar: Decimal = Decimal("0.65")
    min_rows: int = 30
    min_per_class: int = 5
    min_coverage: Decimal = Decimal("0.95")
    rule: str = "point"
    max_age_days: int = 30
    demand_ordering: bool = False
    demand_human_ceiling: bool = False


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a calibration run found on the golden rows of the `certify` split.

    `table`: scored rows. `skipped_pass`, `skipped_fail`: rows without a verdict, by the people's verdict.
    Split rows sent to people are in none of them: they are outside table and coverage. `unresolved`: rows on
    which people disagree. `human_kappa` and `ordering_violations` are None until measured.
    """

    table: Table
    calibrated_at: datetime
    skipped_pass: int = 0
    skipped_fail: int = 0
    unresolved: int = 0
    run_complete: bool = True
    human_kappa: float | None = None
    ordering_violations: int | None = None

    @property
    def coverage(self) -> Fraction | None:
        """Share of the rows asked about that got a verdict; None when there are none."""
        asked = self.table.n + self.skipped_pass + self.skipped_fail
        return Fraction(self.table.n, asked) if asked else None


@dataclass(frozen=True, slots=True)
class Decision:
    """The answer with its doubt. A number that does not exist is None. `reasons` are empty when certified.

    `interval` is two-sided, `lower_bound` one-sided, both at 95 %.
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

    @property
    def status(self) -> Status:
        return Status.CERTIFIED if self.certified else Status.UNCERTIFIED


def decide(policy: Policy, evidence: Evidence | None, now: datetime) -> Decision:
    """Certified or not, with every reason that applies.

    `evidence` is None for a judge that was never calibrated. Raises `UnknownRule` for a rule other than
    "point": a policy that cannot be applied certifies nobody.
    """
    if policy.rule != "point":
        raise UnknownRule(f"The rule “{policy.rule}” cannot be applied. Set the policy's rule to “point”.")
    if evidence is None:
        return _decision(policy, None, (certificate_reason(CertificateReason.NEVER_CALIBRATED),), ())
    reasons = (
        *_run_reasons(evidence),
        *_row_reasons(policy, evidence.table),
        *_kappa_reasons(policy, evidence.table),
        *_coverage_reasons(policy, evidence),
        *_demanded(policy, evidence),
        *_expiry_reasons(policy, evidence, now),
    )
    return _decision(policy, evidence, reasons, _warnings(policy, evidence))


def _decision(
    policy: Policy, evidence: Evidence | None, reasons: tuple[Reason, ...], warnings: tuple[Reason, ...]
) -> Decision:
    table = evidence.table if evidence else Table(0, 0, 0, 0)
    return Decision(
        certified=not reasons,
        reasons=reasons,
        warnings=warnings,
        kappa=_defined(lambda: kappa_exact(table)),
        interval=_defined(lambda: score_interval(table)),
        lower_bound=_defined(lambda: score_lower_bound(table)),
        kappa_worst_case=_worst_kappa(evidence) if evidence else None,
        agreement=Fraction(table.a + table.d, table.n) if table.n else None,
        coverage=evidence.coverage if evidence else None,
        n=table.n,
        n_pass=table.n_pass,
        n_fail=table.n_fail,
        expires_at=_expiry(policy, evidence) if evidence else None,
    )


def _defined[T](compute: Callable[[], T]) -> T | None:
    try:
        return compute()
    except Undefined:
        return None


def _worst_kappa(evidence: Evidence) -> Fraction | None:
    worst = worst_case(evidence.table, evidence.skipped_pass, evidence.skipped_fail)
    return _defined(lambda: kappa_exact(worst))


def _expiry(policy: Policy, evidence: Evidence) -> datetime:
    return evidence.calibrated_at + timedelta(days=policy.max_age_days)


def _run_reasons(evidence: Evidence) -> list[Reason]:
    return [] if evidence.run_complete else [certificate_reason(CertificateReason.RUN_INCOMPLETE)]


def _row_reasons(policy: Policy, table: Table) -> list[Reason]:
    reasons = []
    if table.n < policy.min_rows:
        missing = policy.min_rows - table.n
        reasons.append(_too_few(CertificateReason.TOO_FEW_ROWS, table.n, policy.min_rows, missing=missing))
    name, fewest = ("pass", table.n_pass) if table.n_pass < table.n_fail else ("fail", table.n_fail)
    if fewest < policy.min_per_class:
        code = CertificateReason.TOO_FEW_OF_ONE_CLASS
        reasons.append(_too_few(code, fewest, policy.min_per_class, name=name))
    return reasons


def _too_few(code: CertificateReason, have: int, need: int, **more: object) -> Reason:
    return certificate_reason(code, f"{have} of {need}", have=have, need=need, **more)


def _kappa_reasons(policy: Policy, table: Table) -> list[Reason]:
    try:
        if meets_bar(table, policy.bar):
            return []
    except Undefined:
        return [certificate_reason(CertificateReason.UNDEFINED_KAPPA)]
    return [_below(CertificateReason.BELOW_BAR, kappa_exact(table), policy.bar)]


def _below(code: CertificateReason, kappa: Fraction, bar: Decimal) -> Reason:
    have, need = shown_kappa(kappa, bar), plain(bar)
    return certificate_reason(code, f"{have} of {need}", have=have, need=need)


def _coverage_reasons(policy: Policy, evidence: Evidence) -> list[Reason]:
    coverage = evidence.coverage
    if coverage is None or coverage >= Fraction(policy.min_coverage):
        return []
    # Rounded down, so that a coverage just under the demand never reads as if it had met it.
    have = f"{rounded(coverage * 100, 1, ROUND_FLOOR)}%"
    need = f"{plain(policy.min_coverage * 100)}%"
    return [certificate_reason(CertificateReason.LOW_COVERAGE, f"{have} of {need}", have=have, need=need)]


def _demanded(policy: Policy, evidence: Evidence) -> list[Reason]:
    """What blocks only where the policy demands it; unmeasured is as good as failed there."""
    reasons = []
    if policy.demand_ordering:
        if evidence.ordering_violations is None:
            reasons.append(not_measured(CertificateReason.ORDERING_VIOLATED))
        reasons += _ordering_reasons(evidence)
    if policy.demand_human_ceiling:
        if evidence.human_kappa is None:
            reasons.append(not_measured(CertificateReason.HUMAN_CEILING_LOW))
        reasons += _ceiling_reasons(evidence, _LOW_CEILING)
    return reasons


def _ordering_reasons(evidence: Evidence) -> list[Reason]:
    violations = evidence.ordering_violations
    if not violations:
        return []
    return [certificate_reason(CertificateReason.ORDERING_VIOLATED, str(violations), have=violations)]


def _ceiling_reasons(evidence: Evidence, least: float) -> list[Reason]:
    ceiling = evidence.human_kappa
    if ceiling is None or ceiling >= least:
        return []
    return [certificate_reason(CertificateReason.HUMAN_CEILING_LOW, f"{ceiling:.2f}", have=f"{ceiling:.2f}")]


def _expiry_reasons(policy: Policy, evidence: Evidence, now: datetime) -> list[Reason]:
    expires_at = _expiry(policy, evidence)
    return [expired(expires_at)] if now >= expires_at else []


def expired(expires_at: datetime) -> Reason:
    """The reason of a certificate whose time has run out."""
    return certificate_reason(CertificateReason.EXPIRED, have=f"{expires_at:%Y-%m-%d %H:%M %Z}".strip())


def effective_status(status: str, expires_at: datetime | None, now: datetime) -> Status:
    """A stored status as it stands now: a certificate is over in the very second it expires."""
    alive = expires_at is None or now < expires_at
    return Status.CERTIFIED if status == Status.CERTIFIED and alive else Status.UNCERTIFIED


def _warnings(policy: Policy, evidence: Evidence) -> tuple[Reason, ...]:
    """What the rule `point` lets pass and a reader should know; what already blocks is not repeated."""
    warnings = [*_bound_warning(policy, evidence.table), *_worst_case_warning(policy, evidence)]
    if not policy.demand_ordering:
        warnings += _ordering_reasons(evidence)
    blocked = policy.demand_human_ceiling and _ceiling_reasons(evidence, _LOW_CEILING)
    if not blocked:
        warnings += _ceiling_reasons(evidence, _WEAK_CEILING)
    if evidence.unresolved:
        code, count = CertificateReason.UNRESOLVED_LABELS, evidence.unresolved
        warnings.append(certificate_reason(code, str(count), have=_left_out(count)))
    return tuple(warnings)


def _left_out(count: int) -> str:
    return "1 row is" if count == 1 else f"{count} rows are"


def _bound_warning(policy: Policy, table: Table) -> list[Reason]:
    bound = _defined(lambda: score_lower_bound(table))
    if bound is None or bound >= policy.bar or not meets_bar(table, policy.bar):
        return []
    return [_below(CertificateReason.BOUND_BELOW_BAR, Fraction(bound), policy.bar)]


def _worst_case_warning(policy: Policy, evidence: Evidence) -> list[Reason]:
    worst = _worst_kappa(evidence)
    skipped = evidence.skipped_pass + evidence.skipped_fail
    if not skipped or worst is None or worst >= Fraction(policy.bar):
        return []
    return [_below(CertificateReason.SKIPS_WORST_CASE, worst, policy.bar)]


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
