"""What a golden replay does to a certificate in the transaction that ends it: suspend, lift, or nothing."""

import logging
from dataclasses import replace
from datetime import datetime, timedelta

from judging.domain.drift_words import REPLAY_DAYS
from judging.domain.figures import plain, shown_kappa
from judging.domain.reasons import CertificateReason, Reason
from judging.domain.replay_findings import (
    PASSES_TO_LIFT,
    ReplayFinding,
    Replays,
    alarm,
    passed_in_a_row,
    said,
)
from judging.models import Calibration, Certificate, Run
from judging.services.certificates import in_force, lock, policy_then, suspensions
from judging.services.deciding import decision_on
from judging.services.replays import changes
from judging.services.runs import CannotRun
from judging.services.starting import start_once
from judging.services.suspending import reinstate, suspend

log = logging.getLogger(__name__)

_MOST = 10  # replays shown: the newest
_TO_ALARM = 2  # replays that an alarm goes by; each is compared row by row while other writers wait

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
    certificate = in_force(run).with_names().first()
    if certificate is None:
        return None
    if suspensions(certificate):
        return _lift(certificate, now)
    return _suspend(certificate, now)


def _suspend(certificate: Certificate, now: datetime) -> Certificate | None:
    found = alarm(findings_since_certified(certificate, _TO_ALARM))
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
    found = findings_since_suspended(certificate, PASSES_TO_LIFT)
    passed = passed_in_a_row(found)
    if len(passed) < PASSES_TO_LIFT:
        if passed and passed == found:
            _replay_once_more(certificate)
        return None
    last, before = passed[0], passed[1]
    return reinstate(
        judge_version_id=certificate.judge_version_id,
        criteria_version_id=certificate.criteria_version_id,
        now=now,
        note=f"Two golden replays in a row were passed: run {before.run_id} and run {last.run_id}.",
    )


def _replay_once_more(certificate: Certificate) -> None:
    """After another model answered Vera starts the first replay itself, so the second that it takes as well.

    Called after the first alone. The workers find it by themselves: who ends a replay looks for work next.
    """
    event = suspended_by(certificate)
    if event is None or event.cause != Certificate.Cause.PROVIDER_MODEL:
        return
    by, of = certificate.judge_version, certificate.criteria_version
    try:
        start_once(judge_version=by, criteria_version=of, kind=Run.Kind.REPLAY)
    except CannotRun as refused:
        log.warning("%s cannot be replayed a second time on %s: %s", by, of, refused)


def findings_since_certified(certificate: Certificate, most: int = _MOST) -> list[ReplayFinding]:
    """What replays found since the run behind the certificate, or since a suspension was last lifted.

    The newest first. Those that lifted it themselves are among them.
    """
    return _findings(certificate, _begin(certificate), most)


def findings_since_suspended(certificate: Certificate, most: int = _MOST) -> list[ReplayFinding]:
    """What replays found that began after the certificate was last suspended; the newest first."""
    return _findings(certificate, suspended_by(certificate), most)


def said_by_replays(certificate: Certificate, found: list[ReplayFinding], now: datetime) -> Replays:
    """What replays since it was certified say of its judge; every page that tells of them goes by this.

    What they took away is gone until the suspension is lifted, whatever the next one says.
    """
    last = _newest(certificate, (*_BEGINS, Certificate.Cause.REPLAY))
    if last is not None and last.cause == Certificate.Cause.REPLAY:
        return "worse"
    if not found or now - found[0].at > timedelta(days=REPLAY_DAYS + 1):
        return "missing"
    codes = {reason.code for reason in certificate.against}
    return said(found, reached_bar=CertificateReason.BELOW_BAR not in codes)


def suspended_by(certificate: Certificate) -> Certificate | None:
    """The event that suspended it last."""
    return _newest(certificate, _SUSPENDS)


def _begin(certificate: Certificate) -> Certificate | None:
    begun = _newest(certificate, _BEGINS)
    if begun is not None and begun.cause == Certificate.Cause.REINSTATED and begun.actor_id is None:
        return _newest(certificate, _SUSPENDS, before=begun.pk)
    return begun


def _newest(
    certificate: Certificate, causes: tuple[Certificate.Cause, ...], before: int | None = None
) -> Certificate | None:
    of_pair = Certificate.objects.of_pair(certificate.judge_version_id, certificate.criteria_version_id)
    events = of_pair.filter(calibration__run=certificate.calibration.run_id, cause__in=causes)
    earlier = events if before is None else events.filter(pk__lt=before)
    return earlier.order_by("-pk").first()


def _findings(certificate: Certificate, since: Certificate | None, most: int) -> list[ReplayFinding]:
    if since is None:
        return []
    replays = Calibration.objects.replays_of(certificate).filter(run__created_at__gte=since.created_at)
    return [_finding(certificate, replay) for replay in replays[:most]]


def _finding(certificate: Certificate, replay: Calibration) -> ReplayFinding:
    policy = replace(policy_then(certificate), rule="point")  # a replay is no look of the plan
    decision = decision_on(policy, replay, calibrated_at=replay.as_of, moment=replay.as_of)
    return ReplayFinding(
        run_id=replay.run_id,
        at=replay.as_of,
        rows=decision.n,
        kappa=shown_kappa(decision.kappa, certificate.bar),
        interval="{:.2f} to {:.2f}".format(*decision.interval) if decision.interval else "",
        bar=plain(certificate.bar),
        codes={reason.code for reason in decision.reasons},
        changes=changes(certificate.calibration, replay),
    )
