"""Marks of people and scores of judges on the rows of a run, written straight into the tables."""

from collections.abc import Sequence

from django.contrib.auth.models import User

from judging.models import CriterionScore, JudgeVersion, Run
from labeling.models import CriteriaVersion, Criterion, Label, Mark


def make_criterion(
    version: CriteriaVersion, name: str, low: int = 0, high: int = 1, **more: object
) -> Criterion:
    """A further criterion of a version, that need not be met."""
    return Criterion.objects.create(
        version=version,
        position=version.criteria.count() + 1,
        name=name,
        description=f"About {name}.",
        scale_min=low,
        scale_max=high,
        required=False,
        **more,
    )


def mark_rows(run: Run, criterion: Criterion, marks: Sequence[int | None], *people: User) -> None:
    """Each of `people` marks the run's rows, in their order, blind; None: this row has no mark."""
    own = run.verdicts.filter(panel_verdict=None).order_by("pk")
    wanted = [(row, mark) for row, mark in zip(own, marks, strict=False) if mark is not None]
    for person in people:
        known = {each.candidate_id: each for each in Label.objects.filter(labeler=person)}
        missing = [row for row, _ in wanted if row.candidate_id not in known]
        made = Label.objects.bulk_create(
            Label(
                candidate_id=row.candidate_id,
                version=run.criteria_version,
                labeler=person,
                verdict="pass",
                source="import",
            )
            for row in missing
        )
        known |= {each.candidate_id: each for each in made}
        Mark.objects.bulk_create(
            Mark(label=known[row.candidate_id], criterion=criterion, score=mark) for row, mark in wanted
        )


def score_rows(
    run: Run, criterion: Criterion, scores: Sequence[float | None], judge: JudgeVersion | None = None
) -> None:
    """The run's judge, or one of its jurors, scores the rows in their order; None: it gave no score."""
    of_judge = run.verdicts.filter(judge_version=judge or run.judge_version).order_by("pk")
    CriterionScore.objects.bulk_create(
        CriterionScore(verdict=verdict, criterion=criterion, score=score)
        for verdict, score in zip(of_judge, scores, strict=False)
        if score is not None
    )
