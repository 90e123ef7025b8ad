"""The events in a certificate's life: only added to, one in force for each pair of versions."""

from collections.abc import Iterable
from dataclasses import asdict
from datetime import datetime
from decimal import Decimal
from typing import Any

from judging.domain.certificate_states import SUSPENDING, State, check_change, state_of
from judging.domain.certification import Decision, Policy, expired
from judging.domain.reasons import CertificateReason, Reason
from judging.models import Calibration, Certificate, JudgeVersion, Run
from judging.models.certificates import CertificateQuerySet
from judging.services.behind import behind
from judging.services.calibration import opened_rows
from judging.services.webhooks import certificate_changed
from labeling.access import AnyUser
from labeling.models import CriteriaSet


def lock(judge_version_id: int) -> None:
    """One writer at a time for the certificates of a judge version, until the transaction ends."""
    JudgeVersion.objects.select_for_update(no_key=True).get(pk=judge_version_id)


def in_force(source: Run | Calibration | Certificate) -> CertificateQuerySet:
    """The event in force for the versions that `source` is of."""
    return Certificate.objects.current().of_pair(source.judge_version_id, source.criteria_version_id)


def policy_of(criteria_set: CriteriaSet) -> Policy:
    """What the criteria set demands of judges now."""
    now = {name: getattr(criteria_set, name) for name in Policy.__dataclass_fields__}
    return Policy(**now | {"looks": tuple(now["looks"])})


def policy_then(certificate: Certificate) -> Policy:
    """What it demanded when this certificate was decided; what was not demanded yet has its default."""
    then = {name: given for name, given in certificate.policy.items() if name in Policy.__dataclass_fields__}
    if "looks" in then:
        then["looks"] = tuple(then["looks"])
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
    Raises `ForbiddenChange` where such an event may not lead to such a state.
    """
    assert decision.expires_at is not None  # there is evidence, so there is an expiry
    added = Certificate(
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
    added.behind = behind(added)
    return _put_in_force(added, moment)


def carry_on(
    before: Certificate,
    reasons: Iterable[Reason],
    *,
    cause: Certificate.Cause,
    moment: datetime,
    actor: AnyUser | None = None,
    note: str = "",
) -> Certificate:
    """The next event on the same evidence: only the reasons against the judge are others, no figure is.

    That its time has run out by `moment` is added to them. Called as `append` is.
    """
    against = tuple(reasons)
    if moment >= before.expires_at and CertificateReason.EXPIRED not in {each.code for each in against}:
        against = (*against, expired(before.expires_at))
    kept = {field.attname: getattr(before, field.attname) for field in Certificate._meta.concrete_fields}
    changed = {
        "id": None,
        "status": Certificate.Status.UNCERTIFIED if against else Certificate.Status.CERTIFIED,
        "reasons": [asdict(reason) for reason in against],
        "opened_rows": opened_rows(before.criteria_version),
        "cause": cause,
        "actor_id": actor.pk if actor is not None and actor.is_authenticated else None,
        "note": note,
        "superseded_at": None,
    }
    return _put_in_force(Certificate(**kept | changed), moment)


def _put_in_force(added: Certificate, moment: datetime) -> Certificate:
    before = in_force(added).first()
    check_change(recorded_state(before), added.cause, recorded_state(added))
    in_force(added).update(superseded_at=moment)
    added.save()
    certificate_changed(before=before, after=added, moment=moment)
    return added


def recorded_state(certificate: Certificate | None) -> State:
    """The state that an event tells, by no clock; without any event the judge was never calibrated."""
    if certificate is None:
        return State.NEVER_CALIBRATED
    return state_of(certificate.status, [told["code"] for told in certificate.reasons])


def _snapshot(policy: Policy) -> dict[str, Any]:
    then = {name: str(v) if isinstance(v, Decimal) else v for name, v in asdict(policy).items()}
    return then | {"looks": list(policy.looks)}


def _figures(decision: Decision) -> dict[str, Any]:
    """The decision's numbers as a certificate stores them."""
    low, high = decision.interval or (None, None)
    finding = decision.finding
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
        "look": finding.look,
        "z": finding.z,
        "boundary": finding.boundary,
        "bound_at_looks": finding.low,
        "next_look": finding.next_look,
    }


def tells(certificate: Certificate, code: CertificateReason) -> bool:
    """Whether it names this reason, against the judge or beside the answer."""
    return any(told.code == code for told in (*certificate.against, *certificate.beside))


def certifies_but_for_suspension(certificate: Certificate, moment: datetime) -> bool:
    """Whether it certifies at `moment`, or would if its suspension were lifted."""
    others = [reason for reason in certificate.against if reason.code not in SUSPENDING]
    return not others and moment < certificate.expires_at


def suspensions(certificate: Certificate) -> tuple[Reason, ...]:
    """The reasons for which it is suspended; empty where it is not."""
    return tuple(reason for reason in certificate.against if reason.code in SUSPENDING)
