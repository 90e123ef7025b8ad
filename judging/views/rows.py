"""The rows behind a count: what people say beside what the judge says. Opening certify rows is logged."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.paginator import Page, Paginator
from django.db.models import F, Max, OuterRef, Prefetch, Q, QuerySet, Subquery
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.http import require_http_methods, require_safe

from judging.models import Calibration, Verdict
from judging.services.disclosure import log_shown, open_rows, opened_by
from judging.services.standing import Standing
from judging.views.dashboard import standing_or_404
from judging.views.step_links import calibrate_url, versions_query
from labeling.models import Candidate, CriteriaVersion, Label, Ruling
from vera_site.http import Request

_PER_PAGE = 10

CELLS: dict[str, tuple[str, Q]] = {
    "a": ("People pass, the judge passes", Q(truth="pass", outcome="pass")),
    "b": ("People pass, the judge fails", Q(truth="pass", outcome="fail")),
    "c": ("People fail, the judge passes", Q(truth="fail", outcome="pass")),
    "d": ("People fail, the judge fails", Q(truth="fail", outcome="fail")),
    "disagreements": (
        "People and judge disagree",
        Q(truth="pass", outcome="fail") | Q(truth="fail", outcome="pass"),
    ),
    "skipped": ("The judge gave no verdict", Q(outcome="skipped")),
    "killed": (
        "Rows that Layer 1 would have killed",
        Q(outcome__in=["pass", "fail"]) & ~Q(killed_by=""),
    ),
    "escalated": ("The panel split and left it to people", Q(outcome="escalated")),
}


@dataclass(frozen=True)
class ShownRow:
    """One row side by side: `verdict` carries the candidate, its labels and the jurors' verdicts."""

    verdict: Verdict
    truth: str
    killed_by: str  # the Layer-1 check, in words; empty for none


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def cell_rows(request: Request, judge: str, criteria: str, cell: str) -> HttpResponse:
    """The certify rows of one cell: those that the reader has opened, and how many are still closed."""
    standing = standing_or_404(request, judge, criteria)
    calibration = _calibration(standing)
    if cell not in CELLS:
        raise Http404("There is no such cell.")
    title, wanted = CELLS[cell]
    rows, version = calibration.rows.filter(wanted), standing.criteria_version
    if request.method == "POST":
        open_rows(reader=request.user, version=version, rows=rows, most=_PER_PAGE)
        return HttpResponseRedirect(request.get_full_path())
    opened = rows.filter(opened_by(request.user, version)).order_by("-pk")
    page = Paginator(opened.values_list("verdict_id", "truth"), _PER_PAGE).get_page(request.GET.get("page"))
    closed = rows.count() - page.paginator.count
    more = {"title": title, "cell": cell, "closed": closed, "most": min(closed, _PER_PAGE)}
    return _page(request, standing, page, more)


@login_required
@require_safe
def tune_rows(request: Request, judge: str, criteria: str) -> HttpResponse:
    """Disagreements on tune rows, which count for no certificate; that they were shown is noted."""
    standing = standing_or_404(request, judge, criteria)
    _calibration(standing)
    judged = _tune_verdicts(standing)
    page = Paginator(_differing(judged), _PER_PAGE).get_page(request.GET.get("page"))
    shown = Verdict.objects.filter(pk__in=[pk for pk, _ in page]).values_list("candidate_id", flat=True)
    log_shown(reader=request.user, version=standing.criteria_version, candidate_ids=list(shown))
    more: dict[str, Any] = {"title": "Disagreements on tune rows", "tune": True}
    tune = Candidate.objects.golden(standing.criteria_version).filter(split=Candidate.Split.TUNE)
    more |= {"settled": tune.filter(truth__in=["pass", "fail"]).exists()}
    more |= {"judged": judged.exists(), "tune_run": calibrate_url(standing) + "&rows=tune"}
    return _page(request, standing, page, more)


def _calibration(standing: Standing) -> Calibration:
    if standing.certificate is None:
        raise Http404("This judge was never calibrated, so there are no rows to show.")
    return standing.certificate.calibration


def _tune_verdicts(standing: Standing) -> QuerySet[Any]:
    """The judge's newest pass or fail on each settled tune row, whichever run asked; with what people say."""
    truth = Candidate.objects.golden(standing.criteria_version).filter(pk=OuterRef("candidate"))
    answered = Verdict.objects.filter(
        run__criteria_version=standing.criteria_version,
        judge_version=standing.judge_version,
        repeat=0,
        candidate__split="tune",
        outcome__in=["pass", "fail"],
    )
    newest = answered.values("candidate").annotate(newest=Max("pk")).values("newest")
    settled = Subquery(truth.annotate(word=F("truth")).values("word"))
    return (
        Verdict.objects.filter(pk__in=newest).annotate(settled=settled).filter(settled__in=["pass", "fail"])
    )


def _differing(judged: QuerySet[Any]) -> QuerySet[Any, Any]:
    """Verdict id and truth, where they differ."""
    differing = judged.exclude(settled=F("outcome"))
    return differing.order_by("pk").values_list("pk", "settled")


def _page(request: Request, standing: Standing, page: Page[Any], more: dict[str, Any]) -> HttpResponse:
    truths: dict[int, str] = dict(page)
    verdicts = with_labels(Verdict.objects.filter(pk__in=truths).with_answers(), standing.criteria_version)
    by_pk = {verdict.pk: verdict for verdict in verdicts}
    killed_by = _killed_by(standing, truths)
    rows = [ShownRow(by_pk[pk], truth, killed_by.get(pk, "")) for pk, truth in truths.items()]
    versions = versions_query(standing)
    context = {"section": "dashboard", "standing": standing, "rows": rows, "page": page}
    context |= {"versions": versions, "keep": versions.replace("?", "&")}
    return render(request, "judging/rows.html", context | more)


def _killed_by(standing: Standing, verdict_ids: Iterable[int]) -> dict[int, str]:
    killed = _calibration(standing).rows.filter(verdict__in=verdict_ids).exclude(killed_by="")
    return {pk: check.replace("_", " ") for pk, check in killed.values_list("verdict_id", "killed_by")}


def with_labels(verdicts: QuerySet[Verdict], version: CriteriaVersion) -> QuerySet[Verdict]:
    """With what people say of each candidate now, as `shown_labels` and `shown_rulings`."""
    labels = Label.objects.current().filter(version=version).select_related("labeler")
    rulings = Ruling.objects.current().filter(version=version).select_related("ruled_by")
    return verdicts.prefetch_related(
        Prefetch("candidate__labels", labels, to_attr="shown_labels"),
        Prefetch("candidate__rulings", rulings, to_attr="shown_rulings"),
    )
