"""What a calibration report tells beside the certificate: whose labels it rests on, and who answered."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Max, Min

from judging.models import Calibration, Certificate, JudgeVersion, Verdict
from judging.services.standing import Standing
from labeling.models import CriteriaVersion, Label, Ruling


@dataclass(frozen=True, slots=True)
class People:
    """The labels behind the golden rows of a calibration. `blind`: given before anybody saw a verdict."""

    labels: int
    blind: int
    labelers: int
    rows: int
    rulings: int
    first: datetime | None
    last: datetime | None


@dataclass(frozen=True, slots=True)
class Answered:
    """A juror, and by which names the provider's models answered it; "" where it named none."""

    juror: JudgeVersion
    models: tuple[str, ...]
    answers: int


def people_behind(calibration: Calibration) -> People:
    """Who settled the rows that `calibration` counts."""
    version, rows = calibration.criteria_version, calibration.rows.values("candidate")
    labels = Label.objects.current().filter(version=version, candidate__in=rows)
    found = labels.aggregate(
        labels=Count("pk"),
        labelers=Count("labeler", distinct=True),
        rows=Count("candidate", distinct=True),
        first=Min("created_at"),
        last=Max("created_at"),
    )
    rulings = Ruling.objects.current().filter(version=version, candidate__in=rows).count()
    return People(**found, blind=labels.filter(blind=True).count(), rulings=rulings)


def answered_by(calibration: Calibration) -> list[Answered]:
    """The jurors of the run in their order, with the models that gave their answers."""
    run = calibration.run
    answers = Verdict.objects.filter(
        run=run, kind=Verdict.Kind.JUROR, outcome__in=["pass", "fail", "skipped"]
    )
    groups = answers.order_by().values_list("judge_version", "answered_model").annotate(rows=Count("pk"))
    by_juror: dict[int, dict[str, int]] = {}
    for juror, model, rows in groups:
        by_juror.setdefault(juror, {})[model] = rows
    return [
        Answered(juror, tuple(sorted(filter(None, found))), sum(found.values()))
        for juror in run.judge_version.jurors()
        for found in [by_juror.get(juror.pk, {})]
    ]


def events_of(standing: Standing, most: int) -> Sequence[Certificate]:
    """What happened to the certificate of these versions, newest first, at most so many."""
    events = Certificate.objects.of_pair(standing.judge_version.pk, standing.criteria_version.pk)
    return list(events.select_related("actor").order_by("-pk")[:most])


def criteria_behind(version: CriteriaVersion) -> CriteriaVersion:
    """The criteria version with its criteria, in one go."""
    return CriteriaVersion.objects.prefetch_related("criteria").get(pk=version.pk)
