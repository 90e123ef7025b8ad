"""A standing written down: the certification resource of the API, and the one line of the commands."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

from judging.domain.certification import Decision, agreement_of, decide, summary_line
from judging.domain.reasons import Reason
from judging.models import Certificate
from judging.services.behind import behind
from judging.services.certificates import policy_of
from judging.services.standing import Standing
from labeling.domain.agreement import Interval

_PLAIN_FIGURES = (
    "kappa",
    "lower_bound",
    "n",
    "n_pass",
    "n_fail",
    "agreement",
    "coverage",
    "kappa_worst_case",
)
_OF_LOOKS = ("look", "next_look", "z", "boundary")
RECORDED = "  (recorded verdicts)"  # at the end of a command's line
_BEHIND = (
    "n_effective",
    "coverage_pass",
    "coverage_fail",
    "standard_error",
    "design_effect",
    "human_kappa",
    "human_method",
    "labels_needed",
)


def resource(standing: Standing) -> dict[str, Any]:
    """The certification resource, ready for JSON. A number that does not exist is None."""
    return _names(standing) | _answer(standing) | _figures(standing.certificate)


def summary(standing: Standing) -> str:
    """The line that `calibrate` and `gate` print; it says where no model was asked."""
    mark = RECORDED if standing.judge_version.has_recorded else ""
    return f"{summary_line(_decision(standing), standing.bar)}{mark}"


def sentences(reasons: tuple[Reason, ...]) -> list[dict[str, str]]:
    """Reasons as the API names them."""
    return [{"code": str(reason.code), "message": reason.message} for reason in reasons]


def _names(standing: Standing) -> dict[str, Any]:
    return {
        "judge": standing.judge_version.judge.slug,
        "judge_version": standing.judge_version.number,
        "fingerprint": standing.judge_version.fingerprint,
        "recorded": standing.judge_version.has_recorded,
        "criteria": standing.criteria_version.criteria_set.slug,
        "criteria_version": standing.criteria_version.number,
    }


def _answer(standing: Standing) -> dict[str, Any]:
    return {
        "certified": standing.certified,
        "status": str(standing.status),
        "reasons": sentences(standing.reasons),
        "warnings": sentences(standing.warnings),
        "rule": standing.rule,
        "bar": float(standing.bar),
    }


def _figures(certificate: Certificate | None) -> dict[str, Any]:
    if certificate is None:
        nothing: dict[str, Any] = dict.fromkeys((*_PLAIN_FIGURES, *_OF_LOOKS, *_BEHIND, "interval"))
        nothing |= dict.fromkeys(("n", "n_pass", "n_fail", "escalated", "attempt", "opened_rows"), 0)
        return nothing | {"weighted": False, "calibrated_at": None, "expires_at": None}
    ends = [certificate.interval_low, certificate.interval_high]
    plain = {name: getattr(certificate, name) for name in (*_PLAIN_FIGURES, *_OF_LOOKS)}
    # What was written down before a name was added lacks it.
    nothing = dict.fromkeys(_BEHIND)
    return (plain | nothing | (certificate.behind or behind(certificate))) | {
        "interval": None if None in ends else ends,
        "attempt": certificate.attempt,
        "opened_rows": certificate.opened_rows,
        "calibrated_at": certificate.calibrated_at.isoformat(),
        "expires_at": certificate.expires_at.isoformat(),
    }


def _decision(standing: Standing) -> Decision:
    """The stored decision in the domain's form; kappa comes exact from the counts, no statistic is redone."""
    certificate = standing.certificate
    if certificate is None:
        policy = policy_of(standing.criteria_version.criteria_set)
        return replace(decide(policy, None, standing.now), reasons=standing.reasons)
    table = certificate.calibration.table
    return Decision(
        certified=standing.certified,
        reasons=standing.reasons,
        warnings=standing.warnings,
        kappa=certificate.exact_kappa,
        interval=_interval(certificate),
        lower_bound=certificate.lower_bound,
        kappa_worst_case=_fraction(certificate.kappa_worst_case),
        agreement=agreement_of(certificate.calibration.measured),
        coverage=_fraction(certificate.coverage),
        n=table.n,
        n_pass=table.n_pass,
        n_fail=table.n_fail,
        expires_at=certificate.expires_at,
    )


def _interval(certificate: Certificate) -> Interval | None:
    low, high = certificate.interval_low, certificate.interval_high
    return None if low is None or high is None else Interval(low, high)


def _fraction(number: float | None) -> Fraction | None:
    return None if number is None else Fraction(number)
