"""Suspensions: a certificate that is taken away between runs, and given back."""

from datetime import datetime

from django.db import transaction

from judging.domain.certificate_states import SUSPENDING
from judging.domain.reasons import Reason
from judging.models import Certificate
from judging.services.certificates import carry_on, lock, suspensions
from labeling.access import AnyUser
from labeling.services.audit import record


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
    return carry_on(current, (reason, *current.against), cause=cause, moment=now)


@transaction.atomic
def reinstate(
    *, judge_version_id: int, criteria_version_id: int, now: datetime, note: str, actor: AnyUser | None = None
) -> Certificate:
    """Lift the suspension of these versions: what stood before stands again, until it would have expired.

    What came to stand against the judge meanwhile stays. `note` says why, such as a lead's reason. Raises
    `CannotReinstate`.
    """
    lock(judge_version_id)
    current = _current(judge_version_id, criteria_version_id)
    if current is None or not suspensions(current):
        raise CannotReinstate("This judge is not suspended, so there is nothing to lift.")
    if not note.strip():
        raise CannotReinstate("Say why the suspension is lifted: whoever reads the history will ask.")
    cause, kept = Certificate.Cause.REINSTATED, _others(current)
    lifted = carry_on(current, kept, cause=cause, moment=now, actor=actor, note=note.strip())
    _record(current, lifted, actor)
    return lifted


def _others(certificate: Certificate) -> list[Reason]:
    return [reason for reason in certificate.against if reason.code not in SUSPENDING]


def _record(before: Certificate, lifted: Certificate, actor: AnyUser | None) -> None:
    record(
        actor=actor,
        action="suspension_lifted",
        subject=f"{before.judge_version} on {before.criteria_version}",
        criteria_set=before.criteria_version.criteria_set,
        certificate=lifted.pk,
        suspended_for=[str(reason) for reason in suspensions(before)],
        reason=lifted.note,
    )


def _current(judge_version_id: int, criteria_version_id: int) -> Certificate | None:
    found = Certificate.objects.current().of_pair(judge_version_id, criteria_version_id)
    return found.with_names().first()
