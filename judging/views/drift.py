"""Is the judge still as good as when it was certified? Audit, replays, daily shares, and what is missing."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.core.paginator import Paginator
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from judging.access import get_run
from judging.domain.figures import percent
from judging.models import Run
from judging.services.audits import SAMPLE, NothingToSend, sample_to_people, send_row
from judging.services.disclosure import log_shown, open_candidates, opened_among
from judging.services.drift import Audited
from judging.services.standing import Standing
from judging.views.dashboard import standing_or_404
from judging.views.drift_charts import day_chart, sum_chart
from judging.views.drift_facts import Facts, facts_of
from judging.views.replays import paused_replay
from judging.views.tabs import page_about
from labeling.models import Candidate, Draw
from vera_site.http import Request

_PER_PAGE = 10
_SUMS_LISTED = 50


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def drift(request: Request, judge: str, criteria: str) -> HttpResponse:
    """How the judge does since it was certified. A POST opens rows that certify to the reader, logged."""
    standing = standing_or_404(request, judge, criteria)
    context = page_about(standing, "drift")
    if standing.certificate is None:
        return render(request, "judging/drift.html", context)
    facts = facts_of(standing, standing.certificate, timezone.get_current_timezone())
    differing = [row for row in reversed(facts.watched.rows) if not row.agreed]
    if request.method == "POST":
        _open(request.user, standing, differing)
        return HttpResponseRedirect(f"{request.get_full_path()}#differing")
    context |= {"certificate": standing.certificate, "facts": facts, "last_run": _last_run(standing)}
    context |= {"audit_share": _share(standing), "paused_replay": paused_replay(standing)}
    context |= _drawn(facts) | _differing(request, standing, differing)
    return render(request, "judging/drift.html", context)


def _share(standing: Standing) -> str:
    share = float(standing.criteria_version.criteria_set.audit_share)
    return percent(share) if share else ""


def _drawn(facts: Facts) -> dict[str, Any]:
    sums = sum_chart(facts.watched)
    charts = [
        day_chart("Pass rate", "rows with a verdict that the judge passed", facts.passes),
        day_chart("Rows without a verdict", "judged rows on which it gave none", facts.skips),
        day_chart(
            "Jurors that agree", "pairs of jurors on a row that gave the same verdict", facts.agreements
        ),
    ]
    return {
        "sums": sums,
        "listed": sums.marks[-_SUMS_LISTED:][::-1] if sums else [],
        "charts": [chart for chart in charts if chart],
    }


def _last_run(standing: Standing) -> Run | None:
    """The newest scoring run, whose rows a lead may send to people."""
    runs = Run.objects.filter(
        kind=Run.Kind.SCORING,
        judge_version=standing.judge_version,
        criteria_version=standing.criteria_version,
        state=Run.State.FINISHED,
    )
    return runs.order_by("-pk").first()


def _open(reader: User, standing: Standing, differing: list[Audited]) -> None:
    tune = _tune(differing)
    closed = [row.candidate_id for row in differing if row.candidate_id not in tune]
    open_candidates(reader=reader, version=standing.criteria_version, candidate_ids=closed, most=_PER_PAGE)


def _tune(rows: list[Audited]) -> set[int]:
    found = Candidate.objects.filter(pk__in=[row.candidate_id for row in rows], split="tune")
    return set(found.values_list("pk", flat=True))


def _differing(request: Request, standing: Standing, rows: list[Audited]) -> dict[str, Any]:
    """Rows on which people and judge differ, newest first: those for tuning, and those that were opened."""
    version, tune = standing.criteria_version, _tune(rows)
    opened = opened_among(request.user, version, [row.candidate_id for row in rows]) | tune
    page = Paginator([row for row in rows if row.candidate_id in opened], _PER_PAGE).get_page(
        request.GET.get("page")
    )
    shown = [row.candidate_id for row in page]
    log_shown(reader=request.user, version=version, candidate_ids=[pk for pk in shown if pk in tune])
    candidates = Candidate.objects.in_bulk(shown)
    closed = len(rows) - page.paginator.count
    return {
        "page": page,
        "differing": [(row, candidates[row.candidate_id]) for row in page],
        "closed": closed,
        "most": min(closed, _PER_PAGE),
    }


@require_POST
@login_required
def run_sample(request: Request, pk: int) -> HttpResponse:
    """Send some rows of a scoring run to people, at random; or the one that is named."""
    found, row = get_run(request.user, pk), request.POST.get("candidate", "")
    try:
        if row.isascii() and row.isdigit():
            send_row(run=found, candidate_id=int(row[:18]), actor=request.user)
            messages.success(request, f"Row {row} stands first in the labeling queue now.")
        else:
            draw = sample_to_people(run=found, actor=request.user, most=SAMPLE)
            messages.success(request, _sent(draw))
    except NothingToSend as problem:
        messages.warning(request, str(problem))
    return redirect("run_verdicts" if row else "run", pk)


def _sent(draw: Draw) -> str:
    rows = draw.rows.count()
    told = "1 row stands" if rows == 1 else f"{rows} rows stand"
    return f"{told} first in the labeling queue now, drawn at random from {draw.frame}."
