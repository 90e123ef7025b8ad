"""What came out of a run, as bars: one for its judge, one for each juror of a panel."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Count, Q
from django.urls import reverse

from judging.domain.reasons import KILLED
from judging.models import JudgeVersion, Run, Verdict
from judging.services.progress import Progress
from vera_site.charts import Segment, stacked

# Outcome, in the order in which it is drawn, and what it is called. Who is not asked because Layer 1 killed
# the row is counted apart.
_WORDS = {
    "pass": "pass",
    "fail": "fail",
    "escalated": "sent to people",
    "skipped": "no verdict",
    KILLED: "killed",
    "not_asked": "not asked",
    "pending": "waiting",
}


@dataclass(frozen=True, slots=True)
class Outcomes:
    """How the rows of one judge in a run came out; every count is a part of the bar and a text."""

    name: str
    role: str  # "panel", "juror", or "" where there is but one judge
    rows: int
    parts: tuple[Segment, ...]

    @property
    def counts(self) -> list[tuple[str, int]]:
        """Every outcome that a table shows, those without a row too."""
        found = {part.kind: part.rows for part in self.parts}
        return [(_WORDS[kind], found.get(kind, 0)) for kind in ("pass", "fail", "skipped")] + [
            ("other", self.rows - sum(found.get(kind, 0) for kind in ("pass", "fail", "skipped")))
        ]

    @property
    def done(self) -> int:
        """Rows that are not waiting any more."""
        return self.rows - sum(part.rows for part in self.parts if part.kind == "pending")

    @property
    def words(self) -> str:
        """The whole bar as a text."""
        said = ", ".join(f"{part.word} {part.rows}" for part in self.parts)
        return f"{self.name}: {said or 'no rows'}"


def outcomes_of(run: Run, figures: Progress) -> list[Outcomes]:
    """The run's own judge first, then the jurors in the order of their seats."""
    jurors = run.judge_version.jurors()
    if jurors == [run.judge_version]:
        return [_outcomes(run, run.judge_version, figures, "")]
    return [
        _outcomes(run, run.judge_version, figures, "panel"),
        *(_outcomes(run, juror, figures, "juror") for juror in jurors),
    ]


def _outcomes(run: Run, judge: JudgeVersion, figures: Progress, role: str) -> Outcomes:
    counts = figures.by_judge.get(judge.pk, {})
    return Outcomes(str(judge), role, sum(counts.values()), parts_of(counts, run, own=role != "juror"))


def parts_of(counts: Mapping[str, int], run: Run, *, own: bool) -> tuple[Segment, ...]:
    """The bar of these counts by outcome. Parts of the run's own judge lead to their rows."""
    return stacked(
        (kind, word, counts.get(kind, 0), _address(run, kind) if own else "") for kind, word in _WORDS.items()
    )


def _address(run: Run, kind: str) -> str:
    if kind in ("pass", "fail", "escalated"):
        return f"{reverse('run_verdicts', args=[run.pk])}?outcome={kind}"
    return reverse("run_skips", args=[run.pk]) if kind == "skipped" else ""


def outcomes_listed(runs: Sequence[Run]) -> list[tuple[Run, Outcomes]]:
    """Each run of a page with the outcomes of its own judge: one query, answered from an index alone."""
    own = Q(pk__in=[])
    for kind in JudgeVersion.Kind:
        of_kind = [run.pk for run in runs if run.judge_version.kind == kind]
        verdicts = Verdict.Kind.PANEL if kind == JudgeVersion.Kind.PANEL else Verdict.Kind.JUROR
        own |= Q(run__in=of_kind, kind=verdicts)
    counted = Verdict.objects.filter(own).order_by().values_list("run", "outcome", "reason")
    found: dict[int, Counter[str]] = {run.pk: Counter() for run in runs}
    for run, outcome, reason, rows in counted.annotate(rows=Count("*")):
        found[run][KILLED if reason == KILLED else outcome] += rows
    return [
        (run, Outcomes(str(run.judge_version), "", sum(counts.values()), parts_of(counts, run, own=True)))
        for run, counts in ((run, found[run.pk]) for run in runs)
    ]
