"""Whether a judge still agrees with people on live rows; where it does not, its certificate is suspended."""

import logging
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.db import DatabaseError, transaction
from django.db.models import Exists, Max, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from judging.domain.drift import Cusum, Watch, cusum_for, watch
from judging.domain.figures import many, percent
from judging.domain.reasons import CertificateReason, Reason
from judging.models import Certificate, Run, Verdict
from judging.services.audits import audit_rows
from judging.services.certificates import lock
from judging.services.suspending import suspend
from labeling.domain.agreement import Undefined
from labeling.models import Candidate, CriteriaVersion, Draw, DrawnRow, Label, Ruling

log = logging.getLogger(__name__)

STARTS = (Certificate.Cause.RUN, Certificate.Cause.REINSTATED)


@dataclass(frozen=True, slots=True)
class Audited:
    """A live row that was drawn and that both have decided: `truth` people, `outcome` the judge."""

    candidate_id: int
    settled_at: datetime
    truth: str
    outcome: str

    @property
    def agreed(self) -> bool:
        return self.truth == self.outcome


@dataclass(frozen=True)
class Watched:
    """A certificate under watch since `start`. `cusum` is None where it cannot be, and `problem` says why."""

    certificate: Certificate
    start: datetime
    rows: list[Audited]
    cusum: Cusum | None
    problem: str = ""

    @property
    def seen(self) -> Watch | None:
        """Where the running sum stands; None where nothing can be watched."""
        return watch(self.cusum, (row.agreed for row in self.rows)) if self.cusum else None

    @property
    def disagreed(self) -> int:
        return sum(not row.agreed for row in self.rows)


def watched(certificate: Certificate) -> Watched:
    """What the audit has shown since the certificate was earned or given back, in the order of settling.

    `certificate` is the event in force, with its names. Rows that were judged before do not count: they say
    nothing of the judge that was measured since.
    """
    start = _start(certificate)
    return Watched(certificate, start, audited(certificate, since=start), *_cusum(certificate))


def _cusum(certificate: Certificate) -> tuple[Cusum | None, str]:
    """What the certificate is watched by; None with a sentence where it cannot be watched."""
    try:
        return cusum_for(certificate.calibration.measured, float(certificate.bar)), ""
    except Undefined:
        return None, "The certificate rests on no scored row, so there is no agreement that could fall."
    except ValueError:
        return None, (
            "The judge agreed with people so seldom when it was measured that it can hardly get worse: a "
            "fall could not be told. Watch its kappa in golden replays instead."
        )


def _start(certificate: Certificate) -> datetime:
    """When the judge was last measured by a run, or its suspension lifted: the watch begins anew."""
    events = Certificate.objects.of_pair(certificate.judge_version_id, certificate.criteria_version_id)
    began = events.filter(cause__in=STARTS, pk__lte=certificate.pk).order_by("-pk").first()
    return (began or certificate).created_at


def audited(certificate: Certificate, *, since: datetime) -> list[Audited]:
    """Drawn rows that people have settled and the judge has decided since, in the order of settling."""
    version = certificate.criteria_version
    drawn = audit_rows(str(certificate.judge_version), version.pk)
    said = Verdict.objects.own().filter(
        candidate=OuterRef("pk"),
        judge_version=certificate.judge_version_id,
        run__criteria_version=version,
        run__kind=Run.Kind.SCORING,
        outcome__in=("pass", "fail"),
        filled_at__gte=since,
    )
    rows = Candidate.objects.filter(Exists(drawn.filter(candidate=OuterRef("pk")))).golden(version)
    decided = rows.annotate(
        outcome=Subquery(said.order_by("pk").values("outcome")[:1]), settled_at=_settled_at(version)
    )
    found = decided.filter(outcome__isnull=False).order_by("settled_at", "pk")
    return [
        Audited(pk, settled_at, str(truth), outcome)
        for pk, settled_at, truth, outcome in found.values_list("pk", "settled_at", "truth", "outcome")
    ]


def _settled_at(version: CriteriaVersion) -> Coalesce:
    """When people last said what settles a row: the ruling, else the newest of the labels that count."""
    mine = {"candidate": OuterRef("pk"), "version": version}
    rulings = Ruling.objects.current().filter(**mine).values("created_at")
    labels = Label.objects.current().filter(**mine, blind=True).order_by().values("candidate")
    newest = labels.annotate(newest=Max("created_at")).values("newest")
    return Coalesce(Subquery(rulings[:1]), Subquery(newest))


@transaction.atomic
def check_drift(*, judge_version_id: int, criteria_version_id: int, now: datetime) -> Certificate | None:
    """Suspend the certificate of these versions if the audit raised the alarm; the new event, or None."""
    lock(judge_version_id)  # before reading: a run that is being certified starts the watch anew
    events = Certificate.objects.of_pair(judge_version_id, criteria_version_id)
    found = events.current().with_names().first()
    if found is None or not found.is_certified(now):
        return None
    start = _start(found)
    rows = audited(found, since=start)
    if all(row.agreed for row in rows):
        return None
    under_watch = Watched(found, start, rows, *_cusum(found))
    seen = under_watch.seen
    if seen is None or seen.alarm_at is None:
        return None
    return suspend(
        judge_version_id=judge_version_id,
        criteria_version_id=criteria_version_id,
        reason=_alarm(under_watch, seen.alarm_at),
        cause=Certificate.Cause.DRIFT,
        now=now,
    )


def _alarm(under_watch: Watched, alarm_at: int) -> Reason:
    """The alarm in words. `alarm_at`: the row that raised it."""
    until = under_watch.rows[:alarm_at]
    wrong = sum(not row.agreed for row in until)
    certified = under_watch.certificate.calibration.measured.agreement()
    return Reason(
        CertificateReason.DRIFT_ALARM,
        f"{wrong} of {len(until)}",
        f"The judge drifted away from the people: they disagreed with it on {wrong} of "
        f"{many(len(until), 'audited live row')}. When it was measured they agreed on {percent(certified)}. "
        "Look at its page Drift. Two passed golden replays in a row lift this, a lead with a reason, or a "
        "new calibration.",
    )


def audits_settled(version: CriteriaVersion, candidate_ids: Collection[int]) -> None:
    """Listener of `labeling.services.truth`: look again at the judges that these rows were drawn to check."""
    drawn = DrawnRow.objects.filter(
        draw__version=version, draw__strategy=Draw.Strategy.AUDIT, candidate__in=list(candidate_ids)
    )
    judges = set(drawn.values_list("draw__judge", flat=True))
    if judges:
        _check(_certified(timezone.now()).filter(criteria_version=version), judges, timezone.now())


def check_every_drift(*, now: datetime) -> int:
    """Look at every certified judge that is audited; how many were suspended. The workers' timer calls it.

    Labels are heard of at once; this finds what came the other way round, such as a verdict that was asked
    for again after people had settled its row.
    """
    audits = Draw.objects.filter(strategy=Draw.Strategy.AUDIT, version=OuterRef("criteria_version"))
    judges = set(Draw.objects.filter(strategy=Draw.Strategy.AUDIT).values_list("judge", flat=True))
    return _check(_certified(now).filter(Exists(audits)), judges, now)


def _certified(now: datetime) -> QuerySet[Certificate]:
    return Certificate.objects.current().certified(now).with_versions()


def _check(certificates: QuerySet[Certificate], judges: set[str], now: datetime) -> int:
    # A second's import that an alarm needs; within the transaction every other writer on SQLite would wait.
    import scipy.optimize  # noqa: F401

    suspended = 0
    for each in certificates.order_by("judge_version"):
        if str(each.judge_version) in judges:
            ids = {
                "judge_version_id": each.judge_version_id,
                "criteria_version_id": each.criteria_version_id,
            }
            suspended += _checked(ids, now)
    return suspended


def _checked(ids: dict[str, int], now: datetime) -> bool:
    """Whether it was suspended. One that cannot be looked at holds up no other."""
    try:
        return check_drift(**ids, now=now) is not None
    except DatabaseError:
        raise
    except Exception:
        log.exception("Whether judge version %(judge_version_id)s drifted cannot be told.", ids)
        return False
