"""From stored counts to a decision: all that a certificate rests on, gathered in one place."""

from collections.abc import Collection, Iterable
from dataclasses import replace
from datetime import datetime

from judging.domain.certificate_states import SUSPENDING
from judging.domain.certification import Decision, Evidence, Policy, decide
from judging.domain.reasons import CertificateReason, Reason, certificate_reason
from judging.models import Calibration, Certificate, OrderingResult
from judging.services.attempts import attempt_of
from judging.services.certificates import certifies_but_for_suspension, suspensions
from labeling.models import CriteriaSet

EVERY_REASON = frozenset(CertificateReason)


def decision_on(
    policy: Policy,
    calibration: Calibration,
    *,
    calibrated_at: datetime,
    moment: datetime,
    takes_look: bool = False,
) -> Decision:
    """What the policy says of these counts at `moment`.

    `takes_look`: a calibration run has just ended, so the rule `bound` takes the look that is due. For all
    else the state may only fall: the counts are held against the boundary of the last look.
    """
    evidence = _evidence(calibration, calibrated_at)
    if policy.rule == CriteriaSet.Rule.BOUND:
        evidence = replace(evidence, attempt=attempt_of(policy, calibration, takes_look=takes_look))
    return decide(policy, evidence, moment)


def _evidence(calibration: Calibration, calibrated_at: datetime) -> Evidence:
    return Evidence(
        table=calibration.table,
        calibrated_at=calibrated_at,
        skipped_pass=calibration.skipped_pass,
        skipped_fail=calibration.skipped_fail,
        unresolved=calibration.unresolved,
        run_complete=calibration.run_complete,
        human_kappa=calibration.human_kappa,
        human_rows=calibration.human_rows,
        people_alone=calibration.people_alone,
        ordering_violations=OrderingResult.objects.violations(
            calibration.judge_version_id, calibration.criteria_version_id
        ),
        strata=calibration.measured.strata,
        worst_strata=calibration.worst_strata,
        design_effect=calibration.design_effect or 1.0,
    )


def decided_again(
    before: Certificate,
    policy: Policy,
    calibration: Calibration,
    *,
    anew: Collection[CertificateReason],
    moment: datetime,
    corrected: bool = False,
) -> Decision:
    """The decision on a certificate that has to be decided again between runs, and what of it stands on.

    `anew`: the reasons that this event may take back, because their matter was measured again; whatever else
    stood against the judge still does. A suspension always stays: only a run, or whoever lifts it, ends it.
    So does the notice that labels were corrected. `corrected`: they are by now, so the state may only fall.
    """
    decision = decision_on(policy, calibration, calibrated_at=before.calibrated_at, moment=moment)
    open_again = {reason.code for reason in decision.reasons} | SUSPENDING | set(anew)
    decision = against(decision, [each for each in before.against if each.code not in open_again])
    if corrected:
        was_certified = certifies_but_for_suspension(before, moment)
        decision = _only_fallen(decision, was_certified=was_certified)
    else:
        noticed = [each for each in before.beside if each.code == CertificateReason.GOLDEN_SET_CHANGED]
        decision = replace(decision, warnings=(*noticed, *decision.warnings))
    return against(decision, suspensions(before))


def _only_fallen(decision: Decision, *, was_certified: bool) -> Decision:
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
