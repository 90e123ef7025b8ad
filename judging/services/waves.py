"""What a draw by verdict tells apart: rows that came between two draws, by what a judge said of them.

Of each row that a draw by verdict left, the verdict of that time counts, for good: only so are the rows that
are drawn later, together with those drawn then, a random sample of their stratum.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypedDict

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery
from django_stubs_ext import WithAnnotations

from judging.models import JudgeVersion, Verdict
from labeling.domain.strata import Side
from labeling.models import Candidate, CriteriaVersion, Draw, DrawnRow, Label, Ruling
from labeling.models.candidates import CandidateQuerySet


class Said(TypedDict):
    """What a judge said of a row: pass, fail, or nothing that can be used."""

    said: str | None


@dataclass(frozen=True, slots=True)
class Wave:
    """Rows that came between two draws by verdict, told apart by what `judge` said until the later one.

    `number` from 1; the last wave is the one whose rows are drawn from for the first time now.
    """

    number: int
    judge: JudgeVersion
    version: CriteriaVersion
    since: datetime | None
    until: datetime | None

    def name(self, side: Side) -> str:
        """The name of a stratum, as its drawn rows keep it."""
        return str(side) if self.number == 1 else f"{side} {self.number}"

    def of(self, frame: CandidateQuerySet) -> "QuerySet[WithAnnotations[Candidate, Said]]":
        """Its rows among those of a frame."""
        if self.since:
            frame = frame.filter(created_at__gt=self.since)
        if self.until:
            frame = frame.filter(created_at__lte=self.until)
        said = verdicts_of(self.judge, self.version, self.until).filter(candidate=OuterRef("pk"))
        rows: QuerySet[Any] = frame.annotate(said=Subquery(said.values("outcome")[:1]))
        return rows


def verdicts_of(
    judge: JudgeVersion, version: CriteriaVersion, until: datetime | None = None
) -> QuerySet[Verdict]:
    """What a judge said in whichever run, by itself or as a juror, newest first; for asking row by row."""
    # A sum is in no index. By the one over judges SQLite would read all of a judge's verdicts for each row.
    found = Verdict.objects.annotate(by=F("judge_version_id") + 0).filter(by=judge.pk)
    found = found.filter(run__criteria_version=version, repeat=0, outcome__in=["pass", "fail"])
    return (found.filter(filled_at__lte=until) if until else found).order_by("-pk")


def said_word(side: Side) -> str | None:
    """The side as `Said` has it."""
    return None if side == Side.NONE else str(side)


def waves_of(version: CriteriaVersion, judge: JudgeVersion) -> list[Wave]:
    """One for each draw by verdict, and one for the rows that came since the last."""
    drawn = _drawn_waves(version.criteria_set_id)
    since = drawn[-1].until if drawn else None
    return [*drawn, Wave(len(drawn) + 1, judge, version, since, None)]


def _drawn_waves(criteria_set_id: int) -> list[Wave]:
    draws = list(Draw.objects.stratified(criteria_set_id).select_related("version"))
    judges = _judges(draws)
    waves, since = [], None
    for number, draw in enumerate(draws, start=1):
        waves.append(Wave(number, judges[draw.judge], draw.version, since, draw.created_at))
        since = draw.created_at
    return waves


def _judges(draws: Sequence[Draw]) -> dict[str, JudgeVersion]:
    named = [draw.judge.rpartition("@") for draw in draws]
    wanted = Q(pk__in=[])
    for slug, _, number in named:
        wanted |= Q(judge__slug=slug, number=number)
    return {str(each): each for each in JudgeVersion.objects.filter(wanted).select_related("judge")}


def beside(criteria_set_id: int) -> Counter[str]:
    """How many rows of each stratum of the newest draw by verdict were left and labelled, or ruled on, since.

    They stand for themselves, as the next draw has it, so rows of the draw stand for them no longer.
    """
    found: Counter[str] = Counter()
    last = Draw.objects.stratified(criteria_set_id).last()
    if last is None:
        return found
    rows = _heard_since(last)
    for wave in _drawn_waves(criteria_set_id):
        for said, number in wave.of(rows).values_list("said").annotate(rows=Count("pk")):
            found[wave.name(Side(said or Side.NONE))] += number
    return found


def _heard_since(draw: Draw) -> CandidateQuerySet:
    """The rows that a draw left, and of which people have spoken since, under whichever version."""
    own = {"candidate": OuterRef("pk")}
    now = Exists(Label.objects.current().filter(**own)) | Exists(Ruling.objects.current().filter(**own))
    before = Q(created_at__lte=draw.created_at)
    stood = before & (Q(withdrawn_at=None) | Q(withdrawn_at__gt=draw.created_at))
    drawn = Q(draw__version=draw.version_id) | Q(draw__is_equal=False)
    rows = CandidateQuerySet(Candidate).filter(criteria_set=draw.version.criteria_set_id, split="certify")
    return rows.filter(
        now,
        before,
        ~Exists(Label.objects.filter(stood, **own)),
        ~Exists(Ruling.objects.filter(before, **own)),
        ~Exists(DrawnRow.objects.filter(drawn, draw__lte=draw, **own)),
    ).order_by()
