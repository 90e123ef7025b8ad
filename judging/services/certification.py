"""From a calibration run to a certificate, and what becomes of it when people correct themselves."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import asdict, replace
from datetime import datetime
from decimal import Decimal
from itertools import batched
from typing import Any

from django.db import transaction
from django.utils import timezone

from judging.domain.certification import Decision, Evidence, Policy, decide
from judging.domain.reasons import CertificateReason, Reason, certificate_reason
from judging.models import Calibration, Certificate, JudgeVersion, Run, Verdict
from judging.models.certificates import CertificateQuerySet
from judging.services.calibration import attempts, calibrate, golden_truths, layer1, opened_rows
from judging.services.recounting import Moved, changes_anything, count_again, moved_since
from judging.services.retried import asked_again
from labeling.models import CriteriaSet, CriteriaVersion

_BOUND_NOT_APPLIED = Reason(
    CertificateReason.BOUND_BELOW_BAR,
    "not measured",
    "The policy demands the rule “bound”, which this version cannot apply. Set the policy's rule to “point”.",
)


@transaction.atomic
def certify_run(
    *, run: Run, known: Mapping[int, str] | None = None, now: datetime | None = None
) -> Certificate | None:
    """Count a calibration run against the golden set and append the certificate that follows.

    `known`: what `layer1_of` said of the run's rows before; rows that were settled since are looked at here.
    Called again for the same run it returns the certificate there is, or the one that follows from answers
    that came since by asking again. None while rows are still to be asked,
    for a run of another kind or over `tune` rows only, and for a cancelled run of a judge that is certified:
    half a run says nothing against the whole one before it.
    """
    moment = now or timezone.now()
    _lock(run.judge_version_id)
    run = Run.objects.select_related("judge_version__judge", "criteria_version__criteria_set").get(pk=run.pk)
    if not _may_certify(run):
        return None
    if done := Certificate.objects.filter(calibration__run=run).first():
        return _certify_retried(run, done, moment)
    complete = run.state != Run.State.CANCELLED
    if not complete and _is_certified(run, moment):
        return None
    return _certify(run, known or {}, complete, moment)


def _may_certify(run: Run) -> bool:
    own = run.verdicts.filter(panel_verdict=None)
    if run.kind != Run.Kind.CALIBRATION or not own.filter(candidate__split="certify").exists():
        return False
    return run.state == Run.State.CANCELLED or not own.filter(outcome="pending").exists()


def _lock(judge_version_id: int) -> None:
    """One writer at a time for the certificates of a judge version."""
    JudgeVersion.objects.select_for_update(no_key=True).get(pk=judge_version_id)


def _is_certified(run: Run, moment: datetime) -> bool:
    found = _in_force(run).first()
    return found is not None and found.is_certified(moment)


def _certify(run: Run, known: Mapping[int, str], complete: bool, moment: datetime) -> Certificate:
    truths = golden_truths(run)
    killed_by = _completed(known, run, truths)
    seats = run.judge_version.seats.select_related("juror__judge")
    judged = [run.judge_version, *(seat.juror for seat in seats)]
    calibrations = [
        calibrate(
            run=run,
            judge_version=judge_version,
            truths=truths,
            killed_by=killed_by,
            as_of=moment,
            run_complete=complete,
            attempt=attempts(judge_version.judge, run.criteria_version),
        )
        for judge_version in judged
    ]
    policy = policy_of(run.criteria_version.criteria_set)
    calibrated_at = run.finished_at or moment
    decision = _decide(policy, calibrations[0], calibrated_at, moment)
    return _append(calibrations[0], policy, decision, Certificate.Cause.RUN, calibrated_at, moment)


def _certify_retried(run: Run, before: Certificate, moment: datetime) -> Certificate:
    """The certificate once answers that had failed for a passing reason were asked for again.

    It is the same attempt: judge, policy, scored answers and expiry stay, so that asking again neither
    renews a certificate nor gives a second draw. Where labels were corrected too, the state may only fall.
    `before` stays where nothing came, where the retry was cancelled, or where a later run is in force.
    """
    if run.state == Run.State.CANCELLED or before.superseded_at is not None:
        return before
    answered, corrected = asked_again(before.calibration)
    if not answered:
        return before
    recounted = count_again(run, answered, moment)
    calibration = next(each for each in recounted if each.judge_version_id == run.judge_version_id)
    policy = _policy_then(before)
    decision = _decide(policy, calibration, before.calibrated_at, moment)
    if corrected or _tells(before, CertificateReason.GOLDEN_SET_CHANGED):
        decision = _only_fallen(decision, was_certified=before.is_certified(moment))
    return _append(calibration, policy, decision, Certificate.Cause.RETRY, before.calibrated_at, moment)


def _tells(certificate: Certificate, code: CertificateReason) -> bool:
    return any(told["code"] == code for told in (*certificate.reasons, *certificate.warnings))


def policy_of(criteria_set: CriteriaSet) -> Policy:
    """What the criteria set demands of judges now."""
    return Policy(**{name: getattr(criteria_set, name) for name in Policy.__dataclass_fields__})


def _snapshot(policy: Policy) -> dict[str, Any]:
    return {name: str(v) if isinstance(v, Decimal) else v for name, v in asdict(policy).items()}


def _policy_then(certificate: Certificate) -> Policy:
    then = dict(certificate.policy)
    return Policy(**then | {name: Decimal(then[name]) for name in ("bar", "min_coverage")})


def _decide(policy: Policy, calibration: Calibration, calibrated_at: datetime, moment: datetime) -> Decision:
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


def _append(
    calibration: Calibration,
    policy: Policy,
    decision: Decision,
    cause: Certificate.Cause,
    calibrated_at: datetime,
    moment: datetime,
) -> Certificate:
    """Supersede the event in force and add the next; the constraint refuses a second one in force."""
    _in_force(calibration).update(superseded_at=moment)
    assert decision.expires_at is not None  # there is evidence, so there is an expiry
    return Certificate.objects.create(
        judge_version=calibration.judge_version,
        criteria_version=calibration.criteria_version,
        calibration=calibration,
        status=decision.status,
        reasons=[asdict(reason) for reason in decision.reasons],
        warnings=[asdict(reason) for reason in decision.warnings],
        policy=_snapshot(policy),
        rule=policy.rule,
        bar=policy.bar,
        attempt=calibration.attempt,
        opened_rows=opened_rows(calibration.criteria_version),
        calibrated_at=calibrated_at,
        expires_at=decision.expires_at,
        cause=cause,
        **_figures(decision),
    )


def _figures(decision: Decision) -> dict[str, Any]:
    """The decision's numbers as a certificate stores them."""
    low, high = decision.interval or (None, None)
    exact = {
        name: None if (value := getattr(decision, name)) is None else float(value)
        for name in ("kappa", "agreement", "coverage", "kappa_worst_case")
    }
    return exact | {
        "interval_low": low,
        "interval_high": high,
        "lower_bound": decision.lower_bound,
        "n": decision.n,
        "n_pass": decision.n_pass,
        "n_fail": decision.n_fail,
    }


def _in_force(source: Run | Calibration) -> CertificateQuerySet:
    return Certificate.objects.current().filter(
        judge_version=source.judge_version_id, criteria_version=source.criteria_version_id
    )


def golden_set_changed(version: CriteriaVersion, candidate_ids: Collection[int]) -> None:
    """Listener of `labeling.services.truth`: recount every judge that was asked about these rows."""
    asked: dict[int, set[int]] = defaultdict(set)
    for chunk in batched(candidate_ids, 500):
        own = Verdict.objects.filter(candidate__in=chunk, candidate__split="certify", panel_verdict=None)
        runs = own.filter(run__criteria_version=version, run__kind=Run.Kind.CALIBRATION)
        for judge_version_id, candidate in runs.values_list("judge_version_id", "candidate_id"):
            asked[judge_version_id].add(candidate)
    for judge_version_id, candidates in sorted(asked.items()):
        recount(judge_version_id=judge_version_id, criteria_version=version, candidate_ids=candidates)


@transaction.atomic
def recount(
    *,
    judge_version_id: int,
    criteria_version: CriteriaVersion,
    candidate_ids: Collection[int],
    now: datetime | None = None,
) -> Certificate | None:
    """Count these rows of the run behind a certificate with today's truth; None where nothing changed.

    The verdicts, the policy and the expiry stay. Until the next run the state may only fall: a certified
    judge that still meets the policy is certified anew with the new numbers, one that does not loses its
    certificate, and an uncertified one stays so however the numbers look now.
    """
    moment = now or timezone.now()
    _lock(judge_version_id)  # before reading: a run that is being certified has read the old truth
    in_force = Certificate.objects.current().filter(
        judge_version=judge_version_id, criteria_version=criteria_version
    )
    current = in_force.with_names().first()
    if current is None:
        return None
    moved = moved_since(current.calibration, candidate_ids)
    if not changes_anything(current.calibration, moved):
        return None
    return _recertify(current, moved, moment)


def _recertify(current: Certificate, moved: Moved, moment: datetime) -> Certificate:
    recounted = count_again(current.calibration.run, moved, moment)
    calibration = next(each for each in recounted if each.judge_version_id == current.judge_version_id)
    policy = _policy_then(current)
    decision = _decide(policy, calibration, current.calibrated_at, moment)
    fallen = _only_fallen(decision, was_certified=current.is_certified(moment))
    cause = Certificate.Cause.GOLDEN_SET
    return _append(calibration, policy, fallen, cause, current.calibrated_at, moment)


def _completed(known: Mapping[int, str], run: Run, truths: Mapping[int, str]) -> dict[int, str]:
    """What Layer 1 says of every row in `truths`: as known already, else as it says now."""
    return {**known, **layer1(run.criteria_version, truths.keys() - known.keys())}


def _only_fallen(decision: Decision, *, was_certified: bool) -> Decision:
    changed = certificate_reason(CertificateReason.GOLDEN_SET_CHANGED)
    if decision.certified and was_certified:
        return replace(decision, warnings=(changed, *decision.warnings))
    return replace(decision, certified=False, reasons=(changed, *decision.reasons))
