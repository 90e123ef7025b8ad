"""The single rows of a run: what was skipped and why, and verdicts once the reader has opened them."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.http import require_http_methods, require_safe

from judging.access import get_run
from judging.domain.reasons import SKIP_SENTENCES, SkipReason
from judging.forms.run_rows import SkipCounts, SkipFilter
from judging.forms.runs import VerdictFilter
from judging.models import SkippedAttempt, Verdict
from judging.services.run_rows import (
    asked_again_of,
    closed_of,
    open_verdicts,
    opened_of,
    skip_counts,
    skipped_of,
    skips_by_juror,
    without_verdict,
)
from labeling.views.scope import page_of
from vera_site.http import Request

_PER_PAGE = 20


@dataclass(frozen=True, slots=True)
class ShownSkip:
    """A question that brought no verdict, now or before: what the reason means, and the earlier attempts."""

    verdict: Verdict
    sentence: str

    @property
    def attempts(self) -> list[tuple[SkippedAttempt, str]]:
        """The earlier attempts with what each one's reason means."""
        earlier = self.verdict.skipped_attempts.all()
        return [(attempt, SKIP_SENTENCES[SkipReason(attempt.reason)]) for attempt in earlier]

    @property
    def rejected(self) -> str:
        """Why the first reply was asked to be corrected; "" where none was."""
        code = self.verdict.rejected_reason
        return SKIP_SENTENCES.get(SkipReason(code), "") if code in SKIP_SENTENCES else ""


@require_safe
@login_required
def run_skips(request: Request, pk: int) -> HttpResponse:
    """The calls that brought no verdict, with the raw replies. Nothing of a verdict is here."""
    run = get_run(request.user, pk)
    again = asked_again_of(run)
    counts = SkipCounts(skip_counts(run), skips_by_juror(run), again.count())
    form = SkipFilter(request.GET, counts=counts)
    page = page_of(form.choose(skipped_of(run), again), request, _PER_PAGE)
    shown = [ShownSkip(verdict, sentence_of(verdict)) for verdict in page]
    context = {"section": "runs", "run": run, "form": form, "page": page, "shown": shown}
    return render(request, "judging/run_skips.html", context)


@dataclass(frozen=True, slots=True)
class Failures:
    """Questions to one judge that brought no verdict for the very same reason, the newest first."""

    verdicts: list[Verdict]
    sentence: str

    @property
    def newest(self) -> Verdict:
        return self.verdicts[0]


def alike(skips: Iterable[Verdict]) -> list[Failures]:
    """Skips, the newest first, put together where the judge and what is said of them are the same."""
    found: dict[tuple[int, str, str], Failures] = {}
    for verdict in skips:
        key = verdict.judge_version_id, verdict.reason, verdict.detail
        found.setdefault(key, Failures([], sentence_of(verdict))).verdicts.append(verdict)
    return list(found.values())


def sentence_of(verdict: Verdict) -> str:
    """Why there is no verdict; "" where there is one, or none yet."""
    return SKIP_SENTENCES[SkipReason(verdict.reason)] if verdict.outcome == Verdict.Outcome.SKIPPED else ""


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def run_verdicts(request: Request, pk: int) -> HttpResponse:
    """The verdicts on rows that the reader has opened; opening more is a deliberate act, and logged."""
    run, form = get_run(request.user, pk), VerdictFilter(request.GET)
    outcome = form.cleaned_data["outcome"] if form.is_valid() else ""
    if request.method == "POST":
        open_verdicts(run=run, reader=request.user, outcome=outcome, most=_PER_PAGE)
        return HttpResponseRedirect(request.get_full_path())
    opened, closed = opened_of(run, request.user), closed_of(run, request.user)
    if outcome:
        opened, closed = opened.filter(outcome=outcome), closed.filter(outcome=outcome)
    page = page_of(opened.with_answers().order_by("pk"), request, _PER_PAGE)
    left = closed.count()
    context: dict[str, Any] = {"section": "runs", "run": run, "form": form, "page": page}
    context |= {"closed": left, "most": min(left, _PER_PAGE)}
    context["without"] = 0 if outcome else without_verdict(run)
    return render(request, "judging/run_verdicts.html", context)
