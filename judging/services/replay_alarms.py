"""What a golden replay does to a certificate in the transaction that ends it: suspend, lift, or nothing."""

from dataclasses import replace
from datetime import datetime

from django.db.models import QuerySet

from judging.domain.figures import plain, shown_kappa
from judging.domain.reasons import CertificateReason, Reason
from judging.domain.replay_findings import PASSES_TO_LIFT, Finding, alarm, passed_in_a_row
from judging.models import Calibration, Certificate, Run
from judging.services.certificates import lock, policy_then, suspensions
from judging.services.deciding import decision_on
from judging.services.replays import changes
from judging.services.suspending import reinstate, suspend

_MOST = 10  # replays looked at: the newest

_BEGINS = (Certificate.Cause.RUN, Certificate.Cause.REINSTATED)
_SUSPENDS = (Certificate.Cause.REPLAY, Certificate.Cause.DRIFT, Certificate.Cause.PROVIDER_MODEL)


def act_on_replay(*, run: Run, now: datetime) -> Certificate | None:
    """Suspend the certificate that a replay speaks against, or lift its suspension; None for neither.

    Called once `count_replay` has counted it. A replay never renews or raises anything: what it gives back is
    what a replay, the audit or the provider took away.
    """
    if run.kind != Run.Kind.REPLAY:
        return None
    lock(run.judge_version_id)
    current = Certificate.objects.current().with_names()
    certificate = current.filter(
        judge_version=run.judge_version_id, criteria_version=run.criteria_version_id
    ).first()
    if certificate is None:
        return None
    if suspensions(certificate):
        return _lift(certificate, now)
    return _suspend(certificate, now)


def _suspend(certificate: Certificate, now: datetime) -> Certificate | None:
    found = alarm(findings_since_certified(certificate))
    if found is None:
        return None
    return suspend(
        judge_version_id=certificate.judge_version_id,
        criteria_version_id=certificate.criteria_version_id,
        reason=Reason(CertificateReason.DRIFT_ALARM, found.detail, found.message),
        cause=Certificate.Cause.REPLAY,
        now=now,
    )


def _lift(certificate: Certificate, now: datetime) -> Certificate | None:
    passed = passed_in_a_row(findings_since_suspended(certificate))
    if len(passed) < PASSES_TO_LIFT:
        return None
    last, before = passed[0], passed[1]
    return reinstate(
        judge_version_id=certificate.judge_version_id,
        criteria_version_id=certificate.criteria_version_id,
        now=now,
        note=f"Two golden replays in a row were passed: run {before.run_id} and run {last.run_id}.",
    )


def findings_since_certified(certificate: Certificate) -> list[Finding]:
    """What replays found since the run behind the certificate, or since a suspension was last lifted."""
    return _findings(certificate, _newest(certificate, _BEGINS))


def findings_since_suspended(certificate: Certificate) -> list[Finding]:
    """What replays found that began after the certificate was last suspended; the newest first."""
    return _findings(certificate, suspended_by(certificate))


def suspended_by(certificate: Certificate) -> Certificate | None:
    """The event that suspended it last."""
    return _newest(certificate, _SUSPENDS)


def _newest(certificate: Certificate, causes: tuple[Certificate.Cause, ...]) -> Certificate | None:
    events = Certificate.objects.filter(
        judge_version=certificate.judge_version_id,
        criteria_version=certificate.criteria_version_id,
        calibration__run=certificate.calibration.run_id,
        cause__in=causes,
    )
    return events.order_by("-pk").first()


def _findings(certificate: Certificate, since: Certificate | None) -> list[Finding]:
    if since is None:
        return []
    counted = _replays(certificate).filter(run__created_at__gte=since.created_at)
    return [_finding(certificate, replay) for replay in counted[:_MOST]]


def _replays(certificate: Certificate) -> QuerySet[Calibration]:
    counted = Calibration.objects.filter(
        run__kind=Run.Kind.REPLAY,
        run__judge_version=certificate.judge_version_id,
        judge_version=certificate.judge_version_id,
        criteria_version=certificate.criteria_version_id,
        is_current=True,
    )
    return counted.select_related("run").order_by("-run__finished_at", "-run")


def _finding(certificate: Certificate, replay: Calibration) -> Finding:
    policy = replace(policy_then(certificate), rule="point")  # a replay is no look of the plan
    decision = decision_on(policy, replay, calibrated_at=replay.as_of, moment=replay.as_of)
    return Finding(
        run_id=replay.run_id,
        kappa=shown_kappa(decision.kappa, certificate.bar),
        bar=plain(certificate.bar),
        codes={reason.code for reason in decision.reasons},
        chance=changes(certificate.calibration, replay).chance_of_worse,
    )
