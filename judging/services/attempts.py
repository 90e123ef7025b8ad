"""Where a judge version stands in its plan of looks, read from the certificates it had."""

from dataclasses import replace
from datetime import datetime

from django.db.models import Exists, Min, OuterRef

from judging.domain.attempts import Attempt, Event
from judging.domain.certification import Policy
from judging.domain.looks import Plan
from judging.models import Calibration, Certificate, JudgeVersion, Run, Verdict
from judging.models.certificates import CertificateQuerySet
from labeling.models import CriteriaSet, CriteriaVersion


def keeping_its_plan(policy: Policy, calibration: Calibration) -> Policy:
    """The policy with the plan that this judge version began by, if it took a look under the rule `bound`.

    A run that took none, such as one over more rows than were planned, proves nothing by its plan.
    """
    if policy.rule != CriteriaSet.Rule.BOUND:
        return policy
    begun = _by_bound(calibration).filter(cause=Certificate.Cause.RUN, look__isnull=False)
    first = begun.order_by("pk").values_list("policy", flat=True).first()
    if first is None or "looks" not in first:
        return policy
    return replace(policy, looks=tuple(first["looks"]), n_max=first["n_max"])


def attempt_of(policy: Policy, calibration: Calibration, *, takes_look: bool) -> Attempt:
    """The looks that were taken and what was found since. `takes_look`: a calibration run has just ended."""
    plan = Plan(policy.looks, policy.n_max, calibration.attempt)
    earlier = _by_bound(calibration).select_related("calibration").order_by("pk")
    return Attempt(plan, [_event(each) for each in earlier], takes_look)


def _event(told: Certificate) -> Event:
    """Only runs look: what only carries another event's figures on took no look of its own."""
    look = told.look if told.cause == Certificate.Cause.RUN else None
    return Event(told.calibration.measured.counts_like(), look, told.z, told.boundary)


def _of_these(calibration: Calibration) -> CertificateQuerySet:
    return Certificate.objects.of_pair(calibration.judge_version_id, calibration.criteria_version_id)


def _by_bound(calibration: Calibration) -> CertificateQuerySet:
    """The certificates of these versions that the rule `bound` decided, superseded or not."""
    return _of_these(calibration).filter(rule=CriteriaSet.Rule.BOUND)


def attempt_number(version: JudgeVersion, criteria: CriteriaVersion) -> int:
    """Which attempt of its judge this version is: 1 and as many others as were scored before it was.

    Scored: by a run of its own on rows that certify; one that was only asked repeatedly was not compared with
    people. So the number is fixed at its first scoring, whatever is tried later; a certificate that was
    decided by it is asked first.
    """
    told = Certificate.objects.of_pair(version.pk, criteria.pk).filter(n__gt=0).order_by("pk")
    fixed = told.values_list("attempt", flat=True).first()
    return _place(version, criteria) if fixed is None else fixed


def _place(version: JudgeVersion, criteria: CriteriaVersion) -> int:
    began = {pk: _began(pk, criteria) for pk in version.judge.versions.values_list("pk", flat=True)}
    own = began.pop(version.pk)
    return 1 + sum(each is not None and (own is None or each < own) for each in began.values())


def _began(version_id: int, criteria: CriteriaVersion) -> tuple[datetime, int] | None:
    """The first run that scored a row, after the time at which it did; None where none did."""
    scored = Verdict.objects.filter(
        judge_version=version_id, panel_verdict=None, candidate__split="certify", outcome__in=["pass", "fail"]
    )
    runs = Run.objects.filter(judge_version=version_id, criteria_version=criteria)
    counted = runs.exclude(kind=Run.Kind.CONSISTENCY).filter(Exists(scored.filter(run=OuterRef("pk"))))
    first = counted.order_by("pk").values_list("pk", flat=True).first()
    return None if first is None else (scored.filter(run=first).aggregate(at=Min("filled_at"))["at"], first)
