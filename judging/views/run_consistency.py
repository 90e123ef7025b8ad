"""How steady the judges of a run with repeats are: their figures in words, and the rows that flipped."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from judging.access import get_run
from judging.domain.consistency import (
    Moves,
    Repeats,
    best_agreement,
    by_passes,
    compared,
    disagreement,
    flip_rate,
    flipped,
    left_out,
    steadiness,
)
from judging.domain.figures import percent, percent_interval
from judging.models import JudgeVersion, Run, Verdict
from judging.services.consistency import (
    answers_on,
    closed_flips,
    flips,
    moves_of,
    repeats_of,
    visible_flips,
)
from judging.services.disagreements import note_shown, open_differing
from judging.views.figures import defined
from labeling.domain.agreement import Estimate
from labeling.views.scope import page_of
from vera_site.http import Request

_PER_PAGE = 10
_WORDS = {
    "steady": "It hardly contradicts itself.",
    "unsteady": "It flips more than it should.",
    "unknown": "These rows do not tell yet whether it flips more than it should.",
}


@dataclass(frozen=True, slots=True)
class Bar:
    """Rows with so many passes; `width` in per cent of the most frequent number's."""

    passes: int
    rows: int
    width: float


@dataclass(frozen=True, slots=True)
class Steadiness:
    """One judge of a run with repeats. `role`: "panel", "juror", or "" where there is but one judge."""

    run: Run
    judge: JudgeVersion
    role: str
    repeats: Repeats

    @property
    def rows(self) -> int:
        return compared(self.repeats)

    @property
    def flipped(self) -> int:
        return flipped(self.repeats)

    @property
    def left_out(self) -> int:
        return left_out(self.repeats)

    @property
    def flip_rate(self) -> str:
        return _share(defined(lambda: flip_rate(self.repeats)))

    @property
    def flip_doubt(self) -> str:
        return _interval(defined(lambda: flip_rate(self.repeats)))

    @property
    def differ(self) -> str:
        return _share(self._differ)

    @property
    def differ_doubt(self) -> str:
        return _interval(self._differ)

    @property
    def state(self) -> str:
        """steady, unsteady or unknown; "" where nothing was measured."""
        return steadiness(self._differ) if self._differ else ""

    @property
    def words(self) -> str:
        """What that means for the judge; "" where nothing was measured."""
        return _WORDS.get(self.state, "")

    @property
    def consequence(self) -> str:
        """What it costs; "" where no answer differed."""
        if self._differ is None or not self._differ.value:
            return ""
        most = percent(best_agreement(self._differ.value))
        return (
            f"Asked the same question twice, it gives two different verdicts {self.differ} of the time. So "
            f"on rows like these it can agree with people on no more than about {most}, whatever they say "
            "and however good it is otherwise."
        )

    @property
    def bars(self) -> list[Bar]:
        """Rows scored every time, by how many of their repeats passed."""
        counts = by_passes(self.repeats, self.run.repeats)
        most = max([*counts, 1])
        return [Bar(passes, rows, round(100 * rows / most, 2)) for passes, rows in enumerate(counts)]

    @property
    def not_whole(self) -> int:
        """Rows of which a repeat has no verdict, so that they are in no bar."""
        return sum(self.repeats.values()) - sum(bar.rows for bar in self.bars)

    @property
    def _differ(self) -> Estimate | None:
        return defined(lambda: disagreement(self.repeats))


@dataclass(frozen=True, slots=True)
class Movement:
    """One criterion of the run's judge in words."""

    moves: Moves

    @property
    def share(self) -> str:
        return _share(defined(lambda: self.moves.share))

    @property
    def doubt(self) -> str:
        return _interval(defined(lambda: self.moves.share))


@dataclass(frozen=True, slots=True)
class RunSteadiness:
    """What the page of a run with repeats shows: its own judge first, then the jurors, then the criteria."""

    judges: list[Steadiness]
    criteria: list[Movement]

    @property
    def own(self) -> Steadiness:
        return self.judges[0]

    @property
    def jurors(self) -> list[Steadiness]:
        return self.judges[1:]


def steadiness_of(run: Run) -> RunSteadiness:
    """The figures of a run's judge and its jurors."""
    moves = moves_of(run, run.judge_version)
    return RunSteadiness(steadiness_lines([run]), [Movement(each) for each in moves])


def steadiness_lines(runs: Iterable[Run]) -> list[Steadiness]:
    """Each run's own judge and its jurors, in the order of the runs and of the seats."""
    every = list(runs)
    found = repeats_of([run.pk for run in every])
    return [
        Steadiness(run, judge, role, found.get((run.pk, judge.pk), {}))
        for run in every
        for judge, role in _judges(run)
    ]


def _judges(run: Run) -> list[tuple[JudgeVersion, str]]:
    own = run.judge_version
    if own.kind != JudgeVersion.Kind.PANEL:
        return [(own, "")]
    return [(own, "panel"), *((juror, "juror") for juror in own.jurors())]


def _share(found: Estimate | None) -> str:
    return "undefined" if found is None else percent(found.value)


def _interval(found: Estimate | None) -> str:
    return "" if found is None else percent_interval(found.low, found.high)


@dataclass(frozen=True, slots=True)
class Flip:
    """A row that was passed and failed, with every answer in the order of the repeats."""

    row: Verdict
    answers: list[Verdict]


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def run_flips(request: Request, pk: int) -> HttpResponse:
    """The rows on which a judge contradicted itself: those for tuning, others once they were opened."""
    run = get_run(request.user, pk)
    if run.kind != Run.Kind.CONSISTENCY:
        raise Http404("Only a run that repeats its questions has rows that flip.")
    if request.method == "POST":
        open_differing(run=run, reader=request.user, rows=flips(run), most=_PER_PAGE)
        return HttpResponseRedirect(request.get_full_path())
    page = page_of(visible_flips(run, request.user), request, _PER_PAGE)
    rows = list(page)
    candidates = [row.candidate_id for row in rows]
    note_shown(reader=request.user, version=run.criteria_version, candidate_ids=candidates)
    answers, closed = answers_on(run, candidates), closed_flips(run, request.user).count()
    context: dict[str, Any] = {"section": "runs", "run": run, "page": page, "closed": closed}
    context["shown"] = [Flip(row, answers[row.candidate_id]) for row in rows]
    context["most"] = min(closed, _PER_PAGE)
    return render(request, "judging/run_flips.html", context)
