"""What recorded judges say of the rows of a run: read from their recordings, where others are asked."""

from collections.abc import Collection
from dataclasses import dataclass

from judging.domain.recordings import whole_verdict
from judging.domain.verdicts import Outcome, Score
from judging.models import RecordedVerdict, Verdict
from judging.services.plans import Juror, Plan


@dataclass(frozen=True, slots=True)
class Recorded:
    """A recorded verdict under the run's criteria; `scores` on those criteria that they fit."""

    outcome: Outcome
    scores: tuple[Score, ...]
    score: float | None
    explanation: str


def recorded_answers(plan: Plan, asked: Collection[Verdict]) -> dict[int, Recorded]:
    """Pending verdict's id → what its juror's recording says. One query, none without a recorded juror."""
    recordings = {
        juror.version_id: juror.recording_id
        for juror in plan.jurors.values()
        if juror.recording_id is not None
    }
    mine = [verdict for verdict in asked if verdict.judge_version_id in recordings]
    if not mine:
        return {}
    found = RecordedVerdict.objects.filter(
        recording__in=recordings.values(), candidate__in={verdict.candidate_id for verdict in mine}
    )
    said = {(each.recording_id, each.candidate_id): each for each in found}
    return {
        verdict.pk: _plain(plan, plan.jurors[verdict.judge_version_id], recorded)
        for verdict in mine
        if (recorded := said.get((recordings[verdict.judge_version_id], verdict.candidate_id)))
    }


def _plain(plan: Plan, juror: Juror, recorded: RecordedVerdict) -> Recorded:
    scores = {name: score for name, score in recorded.scores.items() if name in juror.fitting}
    overall = recorded.score
    if overall is None and (whole := whole_verdict(plan.criteria, scores)) is not None:
        _, overall = whole
    ordered = [each.name for each in plan.criteria.criteria if each.name in scores]
    return Recorded(
        outcome=Outcome(recorded.outcome),
        scores=tuple(Score(name, int(scores[name]), "") for name in ordered),
        score=overall,
        explanation=recorded.explanation,
    )
