"""Suspensions: a certificate that is taken away between runs, and given back."""

from datetime import datetime

from django.db import transaction

from judging.domain.reasons import Reason
from judging.models import Certificate
from judging.services.certificates import append, lock, policy_then, suspensions
from judging.services.deciding import against, decision_on
from labeling.access import AnyUser


class CannotReinstate(ValueError):
    """Nothing to lift, or no reason given; the message is a sentence."""


@transaction.atomic
def suspend(
    *,
    judge_version_id: int,
    criteria_version_id: int,
    reason: Reason,
    cause: Certificate.Cause,
    now: datetime,
) -> Certificate | None:
    """Take the certificate of these versions away for `reason`; its numbers, policy and expiry stay.

    None where there is none that certifies, or where it is suspended for the same reason already.
    """
    lock(judge_version_id)
    current = _current(judge_version_id, criteria_version_id)
    if current is None or any(each.code == reason.code for each in suspensions(current)):
        return None
    if not current.is_certified(now) and not suspensions(current):
        return None
    return _decided_again(current, (reason, *suspensions(current)), cause=cause, moment=now)


@transaction.atomic
def reinstate(
    *, judge_version_id: int, criteria_version_id: int, now: datetime, note: str, actor: AnyUser | None = None
) -> Certificate:
    """Lift the suspension of these versions: what stood before stands again, until it would have expired.

    `note` says why, such as a lead's reason. Raises `CannotReinstate`.
    """
    lock(judge_version_id)
    current = _current(judge_version_id, criteria_version_id)
    if current is None or not suspensions(current):
        raise CannotReinstate("This judge is not suspended, so there is nothing to lift.")
    if not note.strip():
        raise CannotReinstate("Say why the suspension is lifted: whoever reads the history will ask.")
    cause = Certificate.Cause.REINSTATED
    return _decided_again(current, (), cause=cause, moment=now, actor=actor, note=note.strip())


def _current(judge_version_id: int, criteria_version_id: int) -> Certificate | None:
    found = Certificate.objects.current().with_names()
    return found.filter(judge_version=judge_version_id, criteria_version=criteria_version_id).first()


def _decided_again(
    current: Certificate,
    reasons: tuple[Reason, ...],
    *,
    cause: Certificate.Cause,
    moment: datetime,
    actor: AnyUser | None = None,
    note: str = "",
) -> Certificate:
    policy = policy_then(current)
    decision = decision_on(policy, current.calibration, calibrated_at=current.calibrated_at, moment=moment)
    return append(
        current.calibration,
        policy,
        against(decision, reasons),
        cause=cause,
        calibrated_at=current.calibrated_at,
        moment=moment,
        actor=actor,
        note=note,
    )
