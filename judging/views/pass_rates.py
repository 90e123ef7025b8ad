"""Pass rates in words: of a run, and of what a judge scored lately."""

import math
from dataclasses import dataclass
from fractions import Fraction

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from judging.domain.consequences import about
from judging.domain.figures import many, percent, percent_interval
from judging.models import Run
from judging.services.pass_rates import Rate, Rates, golden_of, rates_of_run, rates_since
from judging.services.standing import Standing, find_standing
from judging.views.dashboard import standing_or_404
from judging.views.tabs import page_about
from vera_site.http import Request

_SPANS = (7, 30)  # days
_MOST_GENERATORS = 20


@dataclass(frozen=True, slots=True)
class Line:
    """A rate as it is read. `corrected` is "" where it does not exist, and `why_not` says why."""

    name: str
    raw: str
    raw_interval: str
    counts: str
    corrected: str
    corrected_interval: str
    why_not: str


@dataclass(frozen=True, slots=True)
class Span:
    """The rates of some days or of a run, the whole first."""

    title: str
    lines: list[Line]
    more: int  # generators that are not shown

    @property
    def is_empty(self) -> bool:
        return not self.lines


@login_required
@require_safe
def pass_rates(request: Request, judge: str, criteria: str) -> HttpResponse:
    """What share of live outputs the judge passes, raw and corrected, by generator."""
    standing = standing_or_404(request, judge, criteria)
    rates = [rates_since(standing, days) for days in _SPANS]
    spans = [_span(f"The last {days} days", each) for days, each in zip(_SPANS, rates, strict=True)]
    shorter, longer = spans
    are_same = shorter.lines == longer.lines
    context = page_about(standing, "pass_rates") | {
        "answer": good_of_100(rates[-1]),
        "spans": [longer] if are_same else spans,
        "are_same": are_same,
        "golden": golden_of(standing),
    }
    return render(request, "judging/pass_rates.html", context)


def good_of_100(rates: Rates) -> str:
    """The answer in a line; "" where no rate could be corrected."""
    found = rates.whole.corrected
    if found is None:
        return ""
    of_100 = about(Fraction(found.value) * 100)
    are = "is" if of_100.endswith(" 1") else "are"
    between = f"{math.floor(found.low * 100)} to {math.ceil(found.high * 100)}"
    return f"Of 100 live outputs {of_100} {are} good; {between} is possible."


def rates_shown(run: Run) -> Span | None:
    """The rates of a scoring run that has ended; None for others and where no row has a verdict."""
    if run.kind != Run.Kind.SCORING or run.state not in (Run.State.FINISHED, Run.State.CANCELLED):
        return None
    span = _span("Pass rate", rates_of_run(run, _standing(run)))
    return None if span.is_empty else span


def _standing(run: Run) -> Standing:
    """How the judge of a run stands now on its criteria."""
    judge, criteria = run.judge_version, run.criteria_version
    return find_standing(
        judge=judge.judge.slug,
        criteria=criteria.criteria_set.slug,
        sets=None,
        now=timezone.now(),
        judge_version=judge.number,
        version=criteria.number,
    )


def _span(title: str, rates: Rates) -> Span:
    if not rates.whole.counted.n:
        return Span(title, [], 0)
    by = list(rates.by_generator.items())
    if len(by) == 1 and not by[0][0]:
        by = []  # nobody said who wrote the outputs: one line more would say nothing new
    lines = [_line(generator or "Unknown generator", rate) for generator, rate in by[:_MOST_GENERATORS]]
    return Span(title, [_line("All outputs", rates.whole), *lines], max(0, len(by) - _MOST_GENERATORS))


def _line(name: str, rate: Rate) -> Line:
    assert rate.raw is not None  # lines are of rates with a verdict
    assert rate.raw_interval is not None
    counted, corrected = rate.counted, rate.corrected
    skipped = f"; none on {many(counted.skipped, 'row')} more" if counted.skipped else ""
    return Line(
        name=name,
        raw=percent(rate.raw),
        raw_interval=percent_interval(*rate.raw_interval),
        counts=f"{counted.passed:,} of {many(counted.n, 'verdict')}{skipped}",
        corrected=percent(corrected.value) if corrected else "",
        corrected_interval=percent_interval(corrected.low, corrected.high) if corrected else "",
        why_not=rate.why_not,
    )
