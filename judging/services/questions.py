"""Claimed rows as plain values, with the questions that are still open in each."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain

from judging.domain.aggregation import score_by_rules
from judging.domain.families import family_key
from judging.domain.precheck import Layer1, criteria_text_of
from judging.domain.prompt import flags
from judging.domain.verdicts import Score
from judging.models import Verdict
from judging.services.layer1 import examine
from judging.services.plans import Plan
from judging.services.recorded_answers import Recorded, recorded_answers
from judging.services.reusing import Earlier, earlier_answers
from labeling.models import Candidate, Submission

_TEXTS = ("request", "output", "grounding", "criteria_text")
_READ = ("kind", "outcome", "judge_version", *(f"candidate__{text}" for text in _TEXTS))
_SAID = ("candidate", "generator_family", "truncated")


@dataclass(frozen=True, slots=True)
class Row:
    """One candidate of a run. `verdict_id` is the run's own verdict, which carries the claim.

    `rule_scores`: the criteria that code decides. `families`: the generators' families, "" where unknown.
    `cut_off`: every submission of it is marked truncated. `killed`: why Layer 1 spares the jurors this row.
    `said`: the outcomes of those of a panel's jurors that had answered before the row was claimed.
    """

    verdict_id: int
    request: str
    output: str
    grounding: str
    criteria_text: str
    rule_scores: tuple[Score, ...]
    flags: tuple[str, ...]
    families: frozenset[str]
    cut_off: bool
    killed: str = ""
    said: tuple[str, ...] = ()


@dataclass(slots=True)
class Sent:
    """How many requests were sent for a question, and how many of them after a transport failure.

    A response format that was refused is sent, too, and is no resend. `most`: how many the run's budget lets
    it take; None where there is none. `counted`: those that the run has counted without an answer.
    """

    calls: int = 0
    resends: int = 0
    most: int | None = None
    counted: int = 0

    @property
    def is_spent(self) -> bool:
        """Whether the budget allows this question no further request."""
        return self.most is not None and self.calls >= self.most


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """One juror's pending verdict on one row. Each is itself: two are never equal.

    `earlier`: what this juror said to the very same question before, where that may be taken over.
    `recorded`: what a file says that it said, where it is a recorded judge and the file knows the row.
    `sent`: what was sent for it so far; the one part that changes.
    """

    verdict_id: int
    juror_id: int
    row: Row
    earlier: Earlier | None = None
    recorded: Recorded | None = None
    sent: Sent = field(default_factory=Sent)


def is_independent(judge_family: str, generator_families: Collection[str]) -> bool | None:
    """False where the judge's family wrote the candidate; None where it is not known who wrote it."""
    judge, generators = family_key(judge_family), {family_key(family) for family in generator_families}
    if judge and judge in generators:
        return False
    return None if not judge or not generators or "" in generators else True


def open_questions(plan: Plan, claimed: Sequence[int]) -> list[Question]:
    """The questions still pending in the claimed rows, row by row in the order of the claim."""
    own = Verdict.objects.select_related("candidate").only(*_READ).in_bulk(claimed)
    submissions = _submissions([verdict.candidate_id for verdict in own.values()])
    killed = _killed(plan, [verdict.candidate_id for verdict in own.values()])
    beneath: dict[int, list[Verdict]] = defaultdict(list)
    jurors = Verdict.objects.filter(panel_verdict__in=claimed)
    for juror in jurors.only("panel_verdict", "judge_version", "candidate", "outcome").order_by("pk"):
        beneath[juror.panel_verdict_id or 0].append(juror)
    earlier = (
        earlier_answers(plan, _pending([*own.values(), *chain(*beneath.values())])) if plan.reuses else {}
    )
    recorded = recorded_answers(plan, _pending([*own.values(), *chain(*beneath.values())]))
    questions = []
    for verdict in (own[pk] for pk in claimed if pk in own):
        seats = beneath[verdict.pk] if verdict.kind == Verdict.Kind.PANEL else [verdict]
        row = _row(
            plan,
            verdict,
            submissions[verdict.candidate_id],
            killed.get(verdict.candidate_id, ""),
            tuple(juror.outcome for juror in seats if juror.outcome != Verdict.Outcome.PENDING),
        )
        questions += [
            Question(juror.pk, juror.judge_version_id, row, earlier.get(juror.pk), recorded.get(juror.pk))
            for juror in _pending(seats)
        ]
    return questions


def _pending(verdicts: Iterable[Verdict]) -> list[Verdict]:
    return [verdict for verdict in verdicts if verdict.outcome == Verdict.Outcome.PENDING]


def _killed(plan: Plan, candidate_ids: Collection[int]) -> dict[int, str]:
    """Candidate id → why Layer 1 kills it, in a run that spares its jurors such rows."""
    if not plan.spares_killed:
        return {}
    stated = criteria_text_of(
        {"name": each.name, "description": each.description} for each in plan.criteria.criteria
    )
    found = examine(stated, candidate_ids)
    return {pk: f"{each.check}: {each.reason}" for pk, each in found if each.verdict is Layer1.KILL}


def _submissions(candidate_ids: Collection[int]) -> dict[int, list[Submission]]:
    found: dict[int, list[Submission]] = defaultdict(list)
    for submission in Submission.objects.filter(candidate__in=candidate_ids).only(*_SAID):
        found[submission.candidate_id].append(submission)
    return found


def _row(
    plan: Plan, verdict: Verdict, submissions: Sequence[Submission], killed: str, said: tuple[str, ...]
) -> Row:
    candidate: Candidate = verdict.candidate
    return Row(
        verdict_id=verdict.pk,
        request=candidate.request,
        output=candidate.output,
        grounding=candidate.grounding,
        criteria_text=candidate.criteria_text,
        rule_scores=score_by_rules(plan.criteria, candidate.output),
        flags=tuple(flags(candidate.output)),
        families=frozenset(submission.generator_family for submission in submissions),
        cut_off=bool(submissions) and all(submission.truncated for submission in submissions),
        killed=killed,
        said=said,
    )
