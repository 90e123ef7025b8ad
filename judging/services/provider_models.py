"""Another model under the same alias: what is done about names that no certified run answered by.

What was noted with the answers (`AnsweredAs`) is compared by the workers' timer, some seconds later: so
saving answers costs nothing, and a worker that is killed leaves a row that the next one compares.
"""

import logging
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from django.db import transaction
from django.db.models import Max, Q, QuerySet

from judging.domain.reasons import CertificateReason, Reason, SkipReason, certificate_reason
from judging.models import AnsweredAs, Certificate, JudgeVersion, PanelMember, Run, Verdict
from judging.services.aside import Aside
from judging.services.certificates import certifies_but_for_suspension
from judging.services.runs import CannotRun, start_run
from judging.services.suspending import suspend

log = logging.getLogger(__name__)

_AT_ONCE = 200  # names compared in one round of the timer
_MOST_NAMED = 3
_aside = Aside("The name in row %s cannot be compared; it is tried again.")


@dataclass(frozen=True, slots=True)
class Names:
    """By which names a juror answered in the run behind a certificate, or before a suspension was lifted."""

    models: frozenset[str]
    fingerprints: frozenset[str]

    def know_model(self, name: str) -> bool:
        """Whether the name is one of them. Where none was told, or none is, there is nothing to compare."""
        return not name or not self.models or name.casefold() in {each.casefold() for each in self.models}

    def know_fingerprint(self, fingerprint: str) -> bool:
        """The same of a fingerprint."""
        return not fingerprint or not self.fingerprints or fingerprint in self.fingerprints


def check_names(*, now: datetime) -> list[int]:
    """Compare the names noted since the last time; the ids of the replays that were started.

    Any number of workers may call this at once: each name is compared once, in one transaction with what is
    done about it. The caller wakes workers up for the replays.
    """
    unchecked = AnsweredAs.objects.filter(checked_at=None).exclude(pk__in=_aside.rows(now))
    names = list(unchecked.values_list("pk", flat=True)[:_AT_ONCE])
    return [run.pk for pk in names for run in _aside.tried(pk, now, partial(_check, pk, now)) or ()]


@transaction.atomic
def _check(pk: int, now: datetime) -> list[Run]:
    free = AnsweredAs.objects.select_for_update(skip_locked=True)  # who is held is being compared
    seen = free.filter(pk=pk, checked_at=None).first()
    if seen is None:
        return []
    runs = [_acted(seen, certificate, now) for certificate in _concerned(seen, now)]
    seen.checked_at = now
    seen.save(update_fields=["checked_at"])
    return [run for run in runs if run is not None]


def _concerned(seen: AnsweredAs, now: datetime) -> list[Certificate]:
    """Certificates in force, or suspended, of this judge version and of the panels in which it sits."""
    panels = PanelMember.objects.filter(juror=seen.judge_version_id).values("panel")
    of_these = Q(judge_version=seen.judge_version_id) | Q(judge_version__in=panels)
    found = Certificate.objects.current().filter(of_these).with_names().order_by("judge_version", "pk")
    return [each for each in found if certifies_but_for_suspension(each, now)]


def _acted(seen: AnsweredAs, certificate: Certificate, now: datetime) -> Run | None:
    """Another model suspends, and the golden set is replayed; another fingerprint alone is replayed."""
    known = names_known(certificate, seen.judge_version)
    if not known.know_model(seen.model):
        suspended = suspend(
            judge_version_id=certificate.judge_version_id,
            criteria_version_id=certificate.criteria_version_id,
            reason=_reason(seen, known),
            cause=Certificate.Cause.PROVIDER_MODEL,
            now=now,
        )
        return _replay(certificate) if suspended else None
    if not known.know_fingerprint(seen.provider_fingerprint) and _is_first(seen, certificate):
        return None if _replays(certificate, seen.run_id) else _replay(certificate)
    return None


def names_known(certificate: Certificate, juror: JudgeVersion) -> Names:
    """What the juror's answers may be called without anything having changed.

    All names of the run behind the certificate, and, where a suspension was lifted since, those that it was
    lifted under: whoever lifts one has accepted the model that answers by then. Of a pinned juror only the
    model that it is pinned to: no other can be accepted.
    """
    measured = Verdict.objects.filter(run=certificate.calibration.run_id, judge_version=juror).order_by()
    is_pinned = "expect_model" in juror.params
    if is_pinned:
        measured = measured.exclude(reason=SkipReason.WRONG_MODEL)
    told = set(measured.values_list("answered_model", "provider_fingerprint").distinct())
    if not is_pinned:
        told |= _accepted(certificate, juror.pk)
    return Names(
        frozenset(model for model, _ in told if model),
        frozenset(fingerprint for _, fingerprint in told if fingerprint),
    )


def _accepted(certificate: Certificate, juror_id: int) -> set[tuple[str, str]]:
    events = Certificate.objects.of_pair(certificate.judge_version_id, certificate.criteria_version_id)
    lifted = events.filter(
        calibration__run=certificate.calibration.run_id, cause=Certificate.Cause.REINSTATED
    ).aggregate(at=Max("created_at"))["at"]
    if lifted is None:
        return set()
    by_then = _noted_since(certificate, juror_id).filter(checked_at__lte=lifted)
    return set(by_then.values_list("model", "provider_fingerprint"))


def _noted_since(certificate: Certificate, juror_id: int) -> QuerySet[AnsweredAs]:
    return AnsweredAs.objects.filter(judge_version=juror_id, seen_at__gte=certificate.calibrated_at)


def _reason(seen: AnsweredAs, known: Names) -> Reason:
    before = sorted(known.models)[:_MOST_NAMED]
    return certificate_reason(
        CertificateReason.PROVIDER_MODEL_CHANGED,
        f"{', '.join(before)} → {seen.model}",
        juror=seen.judge_version,
        before=" or ".join(f"“{name}”" for name in before),
        now=f"“{seen.model}”",
    )


def _is_first(seen: AnsweredAs, certificate: Certificate) -> bool:
    """Whether no such fingerprint was looked at since the certificate was measured: one replay is enough."""
    earlier = _noted_since(certificate, seen.judge_version_id).exclude(checked_at=None)
    return not earlier.filter(provider_fingerprint=seen.provider_fingerprint).exists()


def _replays(certificate: Certificate, run_id: int) -> bool:
    """Whether the run is itself a replay of these versions, which says more than another one would."""
    return _runs_of(certificate).filter(pk=run_id, kind=Run.Kind.REPLAY).exists()


def _runs_of(certificate: Certificate) -> QuerySet[Run]:
    return Run.objects.filter(
        judge_version=certificate.judge_version_id, criteria_version=certificate.criteria_version_id
    )


def _replay(certificate: Certificate) -> Run | None:
    """A golden replay of live versions; None for drafts, and beside a calibration, which says more."""
    by, of = certificate.judge_version, certificate.criteria_version
    is_live = by.judge.live_version_id == by.pk and of.criteria_set.live_version_id == of.pk
    at_work = _runs_of(certificate).filter(kind=Run.Kind.CALIBRATION, state=Run.State.RUNNING)
    if not is_live or at_work.exists():
        return None
    try:
        with transaction.atomic():
            return start_run(judge_version=by, criteria_version=of, kind=Run.Kind.REPLAY)
    except CannotRun as refused:
        log.warning("%s answers otherwise and cannot be replayed on %s: %s", by, of, refused)
        return None
