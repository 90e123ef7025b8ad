"""Where a judge version stands in its plan of looks, read from the certificates it had."""

from dataclasses import replace

from judging.domain.attempts import Attempt, Event
from judging.domain.certification import Policy
from judging.domain.looks import Plan
from judging.models import Calibration, Certificate
from judging.models.certificates import CertificateQuerySet
from labeling.models import CriteriaSet


def keeping_its_plan(policy: Policy, calibration: Calibration) -> Policy:
    """The policy with the plan that this judge version began by, if it began one under the rule `bound`."""
    if policy.rule != CriteriaSet.Rule.BOUND:
        return policy
    begun = _by_bound(calibration).filter(cause=Certificate.Cause.RUN)
    first = begun.order_by("pk").values_list("policy", flat=True).first()
    if first is None or "looks" not in first:
        return policy
    return replace(policy, looks=tuple(first["looks"]), n_max=first["n_max"])


def attempt_of(policy: Policy, calibration: Calibration, *, takes_look: bool) -> Attempt:
    """The looks that were taken and what was found since. `takes_look`: a calibration run has just ended."""
    plan = Plan(policy.looks, policy.n_max, _number(calibration))
    return Attempt(plan, [_event(each) for each in _by_bound(calibration).order_by("pk")], takes_look)


def _event(told: Certificate) -> Event:
    """Only runs look: what only carries another event's figures on took no look of its own."""
    look = told.look if told.cause == Certificate.Cause.RUN else None
    return Event(told.n, look, told.z, told.boundary)


def _of_these(calibration: Calibration) -> CertificateQuerySet:
    return Certificate.objects.of_pair(calibration.judge_version_id, calibration.criteria_version_id)


def _by_bound(calibration: Calibration) -> CertificateQuerySet:
    """The certificates of these versions that the rule `bound` decided, superseded or not."""
    return _of_these(calibration).filter(rule=CriteriaSet.Rule.BOUND)


def _number(calibration: Calibration) -> int:
    """Which attempt this judge version is: as many versions as had been scored when it first was."""
    first = _of_these(calibration).order_by("pk").values_list("attempt", flat=True).first()
    return calibration.attempt if first is None else first
