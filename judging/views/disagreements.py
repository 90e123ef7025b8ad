"""Where the jurors of a panel's run differ: counts for all rows, and the rows side by side."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from judging.access import get_run
from judging.domain.aggregation import OnSplit
from judging.domain.costs import saved
from judging.domain.disagreement import (
    Patterns,
    pair_tables,
    questions,
    questions_to_all,
    spared_in_turn,
    split_rows,
)
from judging.domain.figures import rounded
from judging.models import CriterionScore, JudgeVersion, Run, Verdict
from judging.services.costs import costs_by_juror
from judging.services.disagreements import (
    count_open_and_closed,
    differing,
    gaps_of,
    note_shown,
    open_differing,
    patterns_of,
    visible_to,
)
from judging.views.figures import defined, percent
from judging.views.run_figures import dollars
from labeling.domain.agreement import Table, kappa_exact
from labeling.models import Criterion
from vera_site.http import Request

_PER_PAGE = 10


class _Counted(Paginator[int]):
    """Pages of rows that are counted already."""

    def __init__(self, rows: QuerySet[Verdict, int], size: int, count: int) -> None:
        super().__init__(rows, size)
        self.count = count


@dataclass(frozen=True, slots=True)
class PairLine:
    """Two jurors on the `rows` about which both gave a verdict."""

    one: JudgeVersion
    other: JudgeVersion
    rows: int
    same: str
    kappa: str


@dataclass(frozen=True, slots=True)
class Line:
    """One criterion of a row: each juror in the order of the seats, with its score or None."""

    criterion: Criterion
    differs: bool
    cells: list[tuple[JudgeVersion, CriterionScore | None]]


@dataclass(frozen=True, slots=True)
class ShownRow:
    """One row side by side: the panel's verdict and, in the order of the seats, its jurors'."""

    verdict: Verdict
    jurors: list[Verdict]
    lines: list[Line]


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def run_disagreements(request: Request, pk: int) -> HttpResponse:
    """Rows for tuning are shown; others only once the reader has opened them. Both is logged."""
    run = get_run(request.user, pk)
    if run.judge_version.kind != JudgeVersion.Kind.PANEL:
        raise Http404("A single model has nobody to differ with.")
    criteria = list(run.criteria_version.criteria.order_by("position"))
    chosen = next((each for each in criteria if each.name == request.GET.get("criterion")), None)
    rows = differing(run, chosen)
    if request.method == "POST":
        open_differing(run=run, reader=request.user, rows=rows, most=_PER_PAGE)
        return HttpResponseRedirect(request.get_full_path())
    visible, closed = count_open_and_closed(rows, request.user, run.criteria_version)
    shown = visible_to(rows, request.user, run.criteria_version).values_list("pk", flat=True)
    page = _Counted(shown, _PER_PAGE, visible).get_page(request.GET.get("page"))
    context = {"section": "runs", "run": run, "criteria": criteria, "chosen": chosen, "page": page}
    context |= {"closed": closed, "most": min(closed, _PER_PAGE)}
    return render(request, "judging/disagreements.html", context | _counts(run) | _shown(request, run, page))


def _counts(run: Run) -> dict[str, Any]:
    """What is said of all rows together."""
    jurors = run.judge_version.jurors()
    patterns = patterns_of(run, jurors)
    rows, split = sum(patterns.values()), split_rows(patterns)
    gaps = [(gap, percent(gap.differing / gap.rows) if gap.rows else "–") for gap in gaps_of(run)]
    return {
        "rows": rows,
        "split": split,
        "split_share": percent(split / rows) if rows else "–",
        "gaps": gaps,
        "pairs": [_pair(jurors, *pair) for pair in pair_tables(patterns, len(jurors))],
        **_in_turn(run, jurors, patterns),
    }


def _pair(jurors: Sequence[JudgeVersion], one: int, other: int, table: Table) -> PairLine:
    kappa = defined(lambda: kappa_exact(table))
    return PairLine(
        jurors[one],
        jurors[other],
        table.n,
        percent(table.agreement) if table.n else "–",
        "undefined" if kappa is None else str(rounded(kappa, 3)),
    )


def _in_turn(run: Run, jurors: Sequence[JudgeVersion], patterns: Patterns) -> dict[str, Any]:
    """How often jurors were asked, and how often they need have been; what that would have saved."""
    on_split: OnSplit = "human" if run.on_split == "human" else "majority"
    every, asked = questions_to_all(patterns), questions(patterns)
    spared = spared_in_turn(patterns, on_split)
    needed = asked - sum(spared)
    money = saved(spared, costs_by_juror(run, jurors)) if sum(spared) else None
    return {
        "every": every,
        "asked": asked,
        "needed": needed,
        "spared": percent((every - needed) / every) if every else "–",
        "money": dollars(money) if money is not None else "",
    }


def _shown(request: Request, run: Run, page: "Page[int]") -> dict[str, Any]:
    verdicts = Verdict.objects.filter(pk__in=list(page)).with_answers().in_bulk()
    shown = [_row(verdicts[pk]) for pk in page]
    seen = [row.verdict.candidate_id for row in shown]
    note_shown(reader=request.user, version=run.criteria_version, candidate_ids=seen)
    return {"shown": shown}


def _row(verdict: Verdict) -> ShownRow:
    jurors = list(verdict.juror_verdicts.all())
    scores = {(juror.pk, score.criterion): score for juror in jurors for score in juror.scores.all()}
    criteria = sorted({criterion for _, criterion in scores}, key=lambda each: each.position)
    return ShownRow(verdict, jurors, [_line(each, jurors, scores) for each in criteria])


def _line(
    criterion: Criterion, jurors: list[Verdict], scores: dict[tuple[int, Criterion], CriterionScore]
) -> Line:
    cells = [(juror.judge_version, scores.get((juror.pk, criterion))) for juror in jurors]
    return Line(criterion, len({score.score for _, score in cells if score}) > 1, cells)
