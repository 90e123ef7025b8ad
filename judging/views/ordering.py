"""Whether one judge puts good outputs before deficient ones: the answer, and what went wrong."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Page, Paginator
from django.db import transaction
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from judging.domain.comparison import Comparison
from judging.domain.order_words import FAULTS, answer, auc_words, change_words, doubt
from judging.domain.ordering import compare_orders
from judging.models import JudgeVersion, OrderingResult, ReferenceCandidate, ReferenceSet, Run, Verdict
from judging.services.disclosure import log_shown, open_candidates, opened_among
from judging.services.order_resource import newest_result, results_of
from judging.services.ordering import candidates_to_order, start_ordering
from judging.services.reference_sets import usable_sets
from judging.services.runs import CannotRun
from judging.services.standing import Standing
from judging.tasks import start_work
from judging.views.dashboard import standing_or_404
from judging.views.tabs import page_about
from labeling.models import Candidate
from vera_site.http import Request

_PER_PAGE = 5
_MOST_NAMED = 50  # sets that broke or mended


@dataclass(frozen=True, slots=True)
class Line:
    """What a judge or a juror made of the sets, in words."""

    result: OrderingResult
    answer: str
    auc: str


@dataclass(frozen=True, slots=True)
class ShownMember:
    """An output of a set with what the judge says of it."""

    member: ReferenceCandidate
    verdict: Verdict | None


@dataclass(frozen=True, slots=True)
class ShownSet:
    """A set in the wrong order; `members` and `faults` are empty where it is still closed to the reader."""

    of: ReferenceSet
    faults: list[str]
    members: list[ShownMember]


@dataclass(frozen=True, slots=True)
class Beside:
    """This version beside another one: `result` is None where that was not asked about reference sets."""

    version: JudgeVersion
    result: OrderingResult | None
    words: str
    broke: Sequence[ReferenceSet]
    mended: Sequence[ReferenceSet]


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def ordering(request: Request, judge: str, criteria: str) -> HttpResponse:
    """How the judge orders the reference sets; a run over them is started here, certify rows opened."""
    standing = standing_or_404(request, judge, criteria)
    result = newest_result(standing)
    if request.method == "POST" and request.POST.get("do") == "open" and result:
        return _opened(request, result)
    if request.method == "POST":
        return _started(request, standing)
    context = page_about(standing, "ordering") | _before(standing) | {"result": result}
    if result:
        context |= _found(standing, result) | _violated(request, result)
    return render(request, "judging/ordering.html", context)


def _started(request: Request, standing: Standing) -> HttpResponse:
    version = _beside_of(standing) if request.POST.get("do") == "beside" else standing.judge_version
    try:
        run, is_new = start_ordering(
            judge_version=version or standing.judge_version,
            criteria_version=standing.criteria_version,
            actor=request.user,
        )
    except CannotRun as problem:
        messages.warning(request, str(problem))
        return HttpResponseRedirect(request.get_full_path())
    if not is_new:
        messages.info(request, "This judge is at work on the reference sets already; here is that run.")
    transaction.on_commit(partial(start_work, run.pk))
    return redirect("run", run.pk)


def _opened(request: Request, result: OrderingResult) -> HttpResponse:
    closed = _closed(request, result, [int(pk) for pk in result.violations["violated"]])
    rows = [pk for of_set in list(closed.values())[:_PER_PAGE] for pk in of_set]
    open_candidates(reader=request.user, version=result.criteria_version, candidate_ids=rows, most=len(rows))
    return HttpResponseRedirect(request.get_full_path())


def _before(standing: Standing) -> dict[str, Any]:
    """What can be asked now, and whether it is being asked."""
    judge, criteria = standing.judge_version, standing.criteria_version
    runs = Run.objects.filter(judge_version=judge, criteria_version=criteria, kind=Run.Kind.ORDERING)
    at_work = runs.filter(state__in=[Run.State.RUNNING, Run.State.PAUSED])
    candidates = candidates_to_order(judge, criteria).count()
    return {
        "sets_in_use": usable_sets(standing.criteria_version).count(),
        "calls": candidates * len(standing.judge_version.jurors()),
        "at_work": at_work.first(),
        "demanded": standing.criteria_version.criteria_set.demand_ordering,
    }


def _found(standing: Standing, result: OrderingResult) -> dict[str, Any]:
    lines = [order_line(each) for each in results_of(result.run)]
    own = result.high
    return {
        "line": lines[0],
        "jurors": lines[1:],
        "doubt": "" if own is None else doubt(result.sets, result.violated, own),
        "beside": _beside(standing, result),
    }


def order_line(result: OrderingResult) -> Line:
    """What a result says, in words."""
    told = result.high is not None
    words = (
        answer(result.sets, result.violated, result.high or 0) if told else "No reference set could be told."
    )
    return Line(result, words, "" if result.auc is None else auc_words(result.auc, result.pairs))


def _beside_of(standing: Standing) -> JudgeVersion | None:
    """The live version beside a draft, else the version before this one."""
    judge, version = standing.judge_version.judge, standing.judge_version
    if judge.live_version_id and judge.live_version_id != version.pk:
        return judge.live_version
    return judge.versions.filter(number__lt=version.number).order_by("-number").first()


def _beside(standing: Standing, result: OrderingResult) -> Beside | None:
    version = _beside_of(standing)
    if version is None:
        return None
    version.judge = standing.judge_version.judge
    of_pair = OrderingResult.objects.of_pair(version.pk, standing.criteria_version.pk)
    other = of_pair.first()
    if other is None:
        return Beside(version, None, "", (), ())
    older, newer = (other, result) if version.number < standing.judge_version.number else (result, other)
    moved = compare_orders(_states(older), _states(newer))
    return Beside(version, other, change_words(moved.counts), *_named(moved))


def _states(result: OrderingResult) -> Mapping[int, bool | None]:
    """By set: whether it is in order; None where that could not be told."""
    told = result.violations
    return (
        dict.fromkeys(told["right"], True)
        | dict.fromkeys((int(pk) for pk in told["violated"]), False)
        | dict.fromkeys(told["left_out"], None)
    )


def _named(moved: Comparison[int]) -> tuple[list[ReferenceSet], list[ReferenceSet]]:
    """The first sets that broke, and that mended."""
    named = ReferenceSet.objects.in_bulk([*moved.regressed[:_MOST_NAMED], *moved.fixed[:_MOST_NAMED]])
    broke, mended = moved.regressed[:_MOST_NAMED], moved.fixed[:_MOST_NAMED]
    return [named[pk] for pk in broke if pk in named], [named[pk] for pk in mended if pk in named]


def _violated(request: Request, result: OrderingResult) -> dict[str, Any]:
    """A page of the sets in the wrong order, with their texts where the reader may see them."""
    violated = {int(pk): pairs for pk, pairs in result.violations["violated"].items()}
    page: Page[int] = Paginator(sorted(violated), _PER_PAGE).get_page(request.GET.get("page"))
    sets = ReferenceSet.objects.with_members().in_bulk(list(page))
    closed = _closed(request, result, list(violated))
    verdicts = _verdicts(result, [pk for pk in page if pk not in closed])
    shown = [_shown(sets[pk], [] if pk in closed else violated[pk], verdicts) for pk in page if pk in sets]
    log_shown(reader=request.user, version=result.criteria_version, candidate_ids=sorted(verdicts))
    return {"page": page, "shown": shown, "closed": len(closed), "most": min(len(closed), _PER_PAGE)}


def _closed(request: Request, result: OrderingResult, sets: Sequence[int]) -> dict[int, list[int]]:
    """Those of the sets with rows that certify and that the reader has not opened; with these rows."""
    rows = ReferenceCandidate.objects.filter(
        reference_set__in=sets, candidate__split=Candidate.Split.CERTIFY
    ).order_by("reference_set", "pk")
    certify = list(rows.values_list("reference_set_id", "candidate_id"))
    seen = opened_among(request.user, result.criteria_version, [pk for _, pk in certify])
    found: dict[int, list[int]] = {}
    for of_set, candidate in certify:
        if candidate not in seen:
            found.setdefault(of_set, []).append(candidate)
    return found


def _verdicts(result: OrderingResult, sets: Sequence[int]) -> dict[int, Verdict]:
    """What the judge said in the run of the outputs of these sets, by candidate."""
    members = ReferenceCandidate.objects.filter(reference_set__in=sets)
    said = Verdict.objects.filter(
        run=result.run_id, judge_version=result.judge_version_id, candidate__in=members.values("candidate")
    )
    return {verdict.candidate_id: verdict for verdict in said}


def _shown(of: ReferenceSet, pairs: Sequence[Mapping[str, Any]], verdicts: Mapping[int, Verdict]) -> ShownSet:
    if not pairs:
        return ShownSet(of, [], [])
    faults = sorted({FAULTS[pair["fault"]] for pair in pairs})
    members = [ShownMember(each, verdicts.get(each.candidate_id)) for each in of.members.all()]
    return ShownSet(of, faults, members)
