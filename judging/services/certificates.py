"""The events in a certificate's life: only added to, one in force for each pair of versions."""

from dataclasses import asdict
from datetime import datetime
from decimal import Decimal
from typing import Any

from judging.domain.certification import Decision, Policy
from judging.domain.reasons import CertificateReason, Reason
from judging.models import Calibration, Certificate, JudgeVersion, Run
from judging.models.certificates import CertificateQuerySet
from judging.services.calibration import opened_rows
from judging.services.webhooks import certificate_changed
from labeling.access import AnyUser
from labeling.models import CriteriaSet

# What suspends: it stays with a certificate until a calibration run, or until somebody lifts it.
SUSPENDING = (CertificateReason.DRIFT_ALARM, CertificateReason.PROVIDER_MODEL_CHANGED)


def lock(judge_version_id: int) -> None:
    """One writer at a time for the certificates of a judge version, until the transaction ends."""
    JudgeVersion.objects.select_for_update(no_key=True).get(pk=judge_version_id)


def in_force(source: Run | Calibration | Certificate) -> CertificateQuerySet:
    """The event in force for the versions that `source` is of."""
    return Certificate.objects.current().filter(
        judge_version=source.judge_version_id, criteria_version=source.criteria_version_id
    )


def policy_of(criteria_set: CriteriaSet) -> Policy:
    """What the criteria set demands of judges now."""
    return Policy(**{name: getattr(criteria_set, name) for name in Policy.__dataclass_fields__})


def policy_then(certificate: Certificate) -> Policy:
    """What it demanded when this certificate was decided; what was not demanded yet has its default."""
    then = {name: given for name, given in certificate.policy.items() if name in Policy.__dataclass_fields__}
    return Policy(**then | {name: Decimal(then[name]) for name in ("bar", "min_coverage")})


def append(
    calibration: Calibration,
    policy: Policy,
    decision: Decision,
    *,
    cause: Certificate.Cause,
    calibrated_at: datetime,
    moment: datetime,
    actor: AnyUser | None = None,
    note: str = "",
) -> Certificate:
    """Supersede the event in force and add the next; the constraint refuses a second one in force.

    Called in the caller's transaction, under `lock`. Whoever wants to hear of it is told in the same one.
    """
    before = in_force(calibration).first()
    in_force(calibration).update(superseded_at=moment)
    assert decision.expires_at is not None  # there is evidence, so there is an expiry
    added = Certificate.objects.create(
        judge_version=calibration.judge_version,
        criteria_version=calibration.criteria_version,
        calibration=calibration,
        status=decision.status,
        reasons=[asdict(reason) for reason in decision.reasons],
        warnings=[asdict(reason) for reason in decision.warnings],
        policy=_snapshot(policy),
        rule=policy.rule,
        bar=policy.bar,
        attempt=calibration.attempt,
        opened_rows=opened_rows(calibration.criteria_version),
        calibrated_at=calibrated_at,
        expires_at=decision.expires_at,
        cause=cause,
        actor=actor if actor is not None and actor.is_authenticated else None,
        note=note,
        **_figures(decision),
    )
    certificate_changed(before=before, after=added, moment=moment)
    return added


def _snapshot(policy: Policy) -> dict[str, Any]:
    return {name: str(v) if isinstance(v, Decimal) else v for name, v in asdict(policy).items()}


def _figures(decision: Decision) -> dict[str, Any]:
    """The decision's numbers as a certificate stores them."""
    low, high = decision.interval or (None, None)
    exact = {
        name: None if (value := getattr(decision, name)) is None else float(value)
        for name in ("kappa", "agreement", "coverage", "kappa_worst_case")
    }
    return exact | {
        "interval_low": low,
        "interval_high": high,
        "lower_bound": decision.lower_bound,
        "n": decision.n,
        "n_pass": decision.n_pass,
        "n_fail": decision.n_fail,
    }


def tells(certificate: Certificate, code: CertificateReason) -> bool:
    """Whether it names this reason, against the judge or beside the answer."""
    return any(told["code"] == code for told in (*certificate.reasons, *certificate.warnings))


def suspensions(certificate: Certificate) -> tuple[Reason, ...]:
    """The reasons for which it is suspended; empty where it is not."""
    return tuple(
        Reason(CertificateReason(told["code"]), told["detail"], told["message"])
        for told in certificate.reasons
        if told["code"] in SUSPENDING
    )
