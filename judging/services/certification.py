"""From a calibration run to a certificate, and what becomes of it when people correct themselves."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from datetime import datetime
from itertools import batched

from django.db import transaction
from django.utils import timezone

from judging.domain.reasons import CertificateReason
from judging.models import Certificate, Run, Verdict
from judging.services.attempts import attempt_number, keeping_its_plan
from judging.services.calibration import calibrate, golden_truths, layer1
from judging.services.certificates import (
    append,
    certifies_but_for_suspension,
    in_force,
    lock,
    policy_of,
    policy_then,
    tells,
)
from judging.services.deciding import EVERY_REASON, decided_again, decision_on
from judging.services.recounting import Moved, changes_anything, count_again, moved_since, people_where
from judging.services.retried import asked_again
from labeling.models import CriteriaVersion
from labeling.services.human_agreement import human_agreement


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
    lock(run.judge_version_id)
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


def _is_certified(run: Run, moment: datetime) -> bool:
    """Or suspended: then, too, there is a whole run that half of one says nothing against."""
    found = in_force(run).first()
    return found is not None and certifies_but_for_suspension(found, moment)


def _certify(run: Run, known: Mapping[int, str], complete: bool, moment: datetime) -> Certificate:
    truths = golden_truths(run)
    killed_by = _completed(known, run, truths)
    seats = run.judge_version.seats.select_related("juror__judge")
    judged = [run.judge_version, *(seat.juror for seat in seats)]
    people = human_agreement(run.criteria_version)
    calibrations = [
        calibrate(
            run=run,
            judge_version=judge_version,
            truths=truths,
            killed_by=killed_by,
            as_of=moment,
            run_complete=complete,
            attempt=attempt_number(judge_version, run.criteria_version),
            people=people,
        )
        for judge_version in judged
    ]
    policy = keeping_its_plan(policy_of(run.criteria_version.criteria_set), calibrations[0])
    calibrated_at = run.finished_at or moment
    decision = decision_on(
        policy, calibrations[0], calibrated_at=calibrated_at, moment=moment, takes_look=complete
    )
    return append(
        calibrations[0],
        policy,
        decision,
        cause=Certificate.Cause.RUN,
        calibrated_at=calibrated_at,
        moment=moment,
    )


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
    only_falls = bool(corrected) or tells(before, CertificateReason.GOLDEN_SET_CHANGED)
    return _recertify(before, answered, moment, cause=Certificate.Cause.RETRY, corrected=only_falls)


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
    lock(judge_version_id)  # before reading: a run that is being certified has read the old truth
    events = Certificate.objects.of_pair(judge_version_id, criteria_version.pk)
    current = events.current().with_names().first()
    if current is None:
        return None
    moved = moved_since(current.calibration, candidate_ids)
    if not changes_anything(current.calibration, moved):
        return None
    return _recertify(current, moved, moment, cause=Certificate.Cause.GOLDEN_SET, corrected=True)


def _recertify(
    before: Certificate, moved: Moved, moment: datetime, *, cause: Certificate.Cause, corrected: bool
) -> Certificate:
    """The certificate by the same policy and other counts. `corrected`: as in `decided_again`."""
    policy, run = policy_then(before), before.calibration.run
    calibration = count_again(run, moved, moment, people=people_where(policy, before.criteria_version))[0]
    decision = decided_again(
        before, policy, calibration, anew=EVERY_REASON, moment=moment, corrected=corrected
    )
    return append(
        calibration, policy, decision, cause=cause, calibrated_at=before.calibrated_at, moment=moment
    )


def _completed(known: Mapping[int, str], run: Run, truths: Mapping[int, str]) -> dict[int, str]:
    """What Layer 1 says of every row in `truths`: as known already, else as it says now."""
    return {**known, **layer1(run.criteria_version, truths.keys() - known.keys())}
