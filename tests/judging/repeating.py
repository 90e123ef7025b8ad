"""Finished runs that asked each question several times, written straight into the tables."""

from collections.abc import Sequence

from django.utils import timezone

from judging.models import CriterionScore, JudgeVersion, Run, Verdict
from labeling.models import CriteriaSet
from tests.factories import live, make_candidate

_OUTCOMES = {"P": "pass", "F": "fail", "S": "skipped", "E": "escalated"}


def make_repeats(
    judge: JudgeVersion,
    criteria_set: CriteriaSet,
    rows: Sequence[str],
    *,
    jurors: Sequence[Sequence[str]] = (),
    split: str = "tune",
) -> Run:
    """A run with one row for each word, such as "PPF": a letter for what came of each repeat (P, F, S, E).

    `jurors`: the same of each juror of a panel, in the order of the seats.
    """
    run = Run.objects.create(
        judge_version=judge,
        criteria_version=live(criteria_set),
        kind="consistency",
        state="finished",
        finished_at=timezone.now(),
        repeats=len(rows[0]),
    )
    for number, said in enumerate(rows):
        candidate = make_candidate(criteria_set, split=split)
        for repeat, letter in enumerate(said):
            own = _verdict(run, judge, candidate.pk, repeat, letter, None)
            for seat, answers in zip(judge.jurors(), jurors, strict=bool(jurors)):
                _verdict(run, seat, candidate.pk, repeat, answers[number][repeat], own)
    return run


def _verdict(
    run: Run, judge: JudgeVersion, candidate: int, repeat: int, letter: str, above: Verdict | None
) -> Verdict:
    verdict = Verdict.objects.create(
        run=run,
        judge_version=judge,
        candidate_id=candidate,
        repeat=repeat,
        kind=judge.kind if judge.kind == "panel" else "juror",
        panel_verdict=above,
        outcome=_OUTCOMES[letter],
        reason="timeout" if letter == "S" else "",
        filled_at=timezone.now(),
    )
    if letter in "PF":
        criterion = run.criteria_version.criteria.get()
        CriterionScore.objects.create(verdict=verdict, criterion=criterion, score=letter == "P")
    return verdict
