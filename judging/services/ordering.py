"""Ordering: a judge is asked about reference sets, and it is counted how many it puts in the wrong order."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from judging.domain.ordering import Ordering, Placed, ordering
from judging.domain.reasons import CertificateReason
from judging.models import Certificate, JudgeVersion, OrderingResult, ReferenceCandidate, Run, Verdict
from judging.services.certificates import append, in_force, lock, policy_then
from judging.services.deciding import decided_again
from judging.services.examples import without_examples
from judging.services.reference_sets import usable_sets
from judging.services.runs import CannotRun, start_run
from labeling.access import AnyUser
from labeling.domain.agreement import Undefined
from labeling.models import Candidate, CriteriaVersion

# Scores are fractions of small numbers, stored as floats: what differs by less than this is the same score.
_DIGITS = 9
_VERDICTS = (Verdict.Outcome.PASS, Verdict.Outcome.FAIL)

type Members = Mapping[int, Sequence[tuple[int, bool]]]  # by set: its candidates, and whether each is good
type Said = Mapping[int, tuple[str, float | None]]  # by candidate: outcome and score


@transaction.atomic
def start_ordering(
    *,
    judge_version: JudgeVersion,
    criteria_version: CriteriaVersion,
    max_calls: int | None = None,
    max_cost: Decimal | None = None,
    actor: AnyUser | None = None,
) -> tuple[Run, bool]:
    """A run over the reference sets, or the one that is at work for these versions; and whether it is new.

    Every juror is asked afresh. The caller tells the workers, on commit. Raises `CannotRun`.
    """
    lock(judge_version.pk)  # two who press at once take turns
    if at_work := _at_work(judge_version.pk, criteria_version.pk).first():
        return at_work, False
    candidates = candidates_to_order(judge_version, criteria_version)
    if not candidates.exists():
        raise CannotRun(
            "There is no reference set to judge. Make one of golden rows or import pairs, then order."
        )
    run = start_run(
        judge_version=judge_version,
        criteria_version=criteria_version,
        kind=Run.Kind.ORDERING,
        candidates=candidates,
        max_calls=max_calls,
        max_cost=max_cost,
        actor=actor,
    )
    return run, True


def _at_work(judge_version_id: int, criteria_version_id: int) -> QuerySet[Run]:
    of_pair = Run.objects.filter(judge_version=judge_version_id, criteria_version=criteria_version_id)
    return of_pair.filter(kind=Run.Kind.ORDERING, state=Run.State.RUNNING)


def ordering_at_work(run: Run) -> QuerySet[Run]:
    """The run over reference sets that is at work beside a calibration of the same versions, if there is."""
    return _at_work(run.judge_version_id, run.criteria_version_id)


def order_where_demanded(*, run: Run, actor: AnyUser | None = None) -> Run | None:
    """With a calibration whose policy demands it: a run over the reference sets, within the same budgets.

    None where it is not demanded or there is nothing to judge; the certificate then says so.
    """
    if run.kind != Run.Kind.CALIBRATION or not run.criteria_version.criteria_set.demand_ordering:
        return None
    try:
        ordering_run, _ = start_ordering(
            judge_version=run.judge_version,
            criteria_version=run.criteria_version,
            max_calls=run.max_calls,
            max_cost=run.max_cost,
            actor=actor,
        )
    except CannotRun:
        return None
    return ordering_run


def candidates_to_order(
    judge_version: JudgeVersion, criteria_version: CriteriaVersion
) -> QuerySet[Candidate]:
    """The candidates of the sets in use, but for those that the judge is shown as examples."""
    members = ReferenceCandidate.objects.filter(reference_set__in=usable_sets(criteria_version))
    rows = Candidate.objects.filter(pk__in=members.values("candidate"))
    return without_examples(rows, judge_version, criteria_version)


def count_ordering(*, run: Run, now: datetime | None = None) -> list[OrderingResult]:
    """The results of an ordering run that has ended: of its judge first, then of each juror; none of others.

    Called in the transaction that ends the run. One that ends again, because skipped rows were asked again,
    is counted again. The certificate of the run's judge is decided again.
    """
    if run.kind != Run.Kind.ORDERING:
        return []
    moment = now or timezone.now()
    lock(run.judge_version_id)
    members, decisive = _members(run)
    judged = {each.pk: each for each in (run.judge_version, *run.judge_version.jurors())}
    results = [_counted(run, each, members, decisive, moment) for each in judged.values()]
    _decide_again(run, moment)
    return results


def _members(run: Run) -> tuple[Members, set[int]]:
    """The sets that the run asked about, and the ids of those among them that count for certificates."""
    asked = Verdict.objects.own().filter(run=run).values("candidate")
    sets = usable_sets(run.criteria_version, run.created_at).filter(members__candidate__in=asked).distinct()
    decisive = dict(sets.values_list("pk", "decides"))
    members: dict[int, list[tuple[int, bool]]] = defaultdict(list)
    rows = ReferenceCandidate.objects.filter(reference_set__in=sets).order_by("pk")
    for of_set, candidate, is_good in rows.values_list("reference_set_id", "candidate_id", "is_good"):
        members[of_set].append((candidate, is_good))
    return members, {pk for pk, decides in decisive.items() if decides}


def _counted(
    run: Run, judge_version: JudgeVersion, members: Members, decisive: set[int], moment: datetime
) -> OrderingResult:
    answers = Verdict.objects.filter(run=run, judge_version=judge_version, repeat=0)
    said = {
        pk: (outcome, score) for pk, outcome, score in answers.values_list("candidate", "outcome", "score")
    }
    sets = {str(pk): [_placed(*member, said) for member in rows] for pk, rows in members.items()}
    try:
        found = ordering(sets)
    except Undefined:
        figures: dict[str, Any] = {
            "sets": 0,
            "violated": 0,
            "left_out": len(sets),
            "high": None,
            "auc": None,
            "pairs": 0,
        }
        figures |= {"violations": {"violated": {}, "right": [], "left_out": sorted(members)}}
    else:
        figures = _figures(found, sets, decisive)
    result, _ = OrderingResult.objects.update_or_create(
        run=run,
        judge_version=judge_version,
        defaults={"criteria_version": run.criteria_version, "as_of": moment, **figures},
    )
    return result


def _placed(candidate: int, is_good: bool, said: Said) -> Placed:
    """A candidate with what the judge says of it. Without a verdict, or without a score, it says nothing."""
    outcome, score = said.get(candidate, ("", None))
    if outcome not in _VERDICTS or score is None:
        return Placed(str(candidate), is_good)
    return Placed(str(candidate), is_good, round(score, _DIGITS), outcome == Verdict.Outcome.PASS)


def _figures(found: Ordering, sets: Mapping[str, Any], decisive: set[int]) -> dict[str, Any]:
    left_out = {int(pk) for pk in found.left_out}
    violated = {int(pk) for pk in found.violated}
    right = sorted(int(pk) for pk in sets if int(pk) not in left_out | violated)
    return {
        "sets": found.n,
        "violated": len(violated),
        "left_out": len(left_out),
        "deciding_sets": len(decisive - left_out),
        "deciding_violated": len(decisive & violated),
        "high": found.high,
        "auc": found.auc,
        "pairs": found.pairs,
        "violations": {
            "violated": {pk: [_told(each) for each in pairs] for pk, pairs in found.violated.items()},
            "right": right,
            "left_out": sorted(left_out),
        },
    }


def _told(violation: Any) -> dict[str, Any]:
    return {"good": int(violation.good), "deficient": int(violation.deficient), "fault": violation.fault}


def _decide_again(run: Run, moment: datetime) -> Certificate | None:
    """The certificate in force with this run's order; nothing else about it changes, so only the reason of
    ordering may come or go. None where there is none, or where nothing comes of it.
    """
    current = in_force(run).with_names().first()
    if current is None:
        return None
    policy = policy_then(current)
    decision = decided_again(
        current, policy, current.calibration, anew={CertificateReason.ORDERING_VIOLATED}, moment=moment
    )
    if (decision.reasons, decision.warnings) == (current.against, current.beside):
        return None
    return append(
        current.calibration,
        policy,
        decision,
        cause=Certificate.Cause.ORDERING,
        calibrated_at=current.calibrated_at,
        moment=moment,
    )
