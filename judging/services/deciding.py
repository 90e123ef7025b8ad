"""From stored counts to a decision: all that a certificate rests on, gathered in one place."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from judging.domain.certification import Decision, Evidence, Policy, decide
from judging.domain.reasons import CertificateReason, Reason, certificate_reason
from judging.models import Calibration
from labeling.models import CriteriaSet

_BOUND_NOT_APPLIED = Reason(
    CertificateReason.BOUND_BELOW_BAR,
    "not measured",
    "The policy demands the rule “bound”, which this version cannot apply. Set the policy's rule to “point”.",
)


def decision_on(
    policy: Policy, calibration: Calibration, *, calibrated_at: datetime, moment: datetime
) -> Decision:
    """What the policy says of these counts at `moment`."""
    evidence = Evidence(
        table=calibration.table,
        calibrated_at=calibrated_at,
        skipped_pass=calibration.skipped_pass,
        skipped_fail=calibration.skipped_fail,
        unresolved=calibration.unresolved,
        run_complete=calibration.run_complete,
    )
    if policy.rule == CriteriaSet.Rule.BOUND:  # what is demanded and was not computed certifies nobody
        decision = decide(replace(policy, rule="point"), evidence, moment)
        return replace(decision, certified=False, reasons=(*decision.reasons, _BOUND_NOT_APPLIED))
    return decide(policy, evidence, moment)


def only_fallen(decision: Decision, *, was_certified: bool) -> Decision:
    """The decision once labels were corrected: until the next run the state may only fall."""
    changed = certificate_reason(CertificateReason.GOLDEN_SET_CHANGED)
    if decision.certified and was_certified:
        return replace(decision, warnings=(changed, *decision.warnings))
    return against(decision, (changed,))


def against(decision: Decision, reasons: Iterable[Reason]) -> Decision:
    """The decision with further reasons against the judge, before the others; as it was without any."""
    further = tuple(reasons)
    if not further:
        return decision
    return replace(decision, certified=False, reasons=(*further, *decision.reasons))
