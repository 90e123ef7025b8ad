"""What Layer 1 kills of the rows that people settled, in words and row by row."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.core.paginator import Page, Paginator
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from judging.domain.false_kills import CheckKills, Kills, above, all_checks, per_check, rows_of
from judging.domain.figures import many, percent_interval, plain
from judging.domain.precheck import CHECKS
from judging.services.disclosure import log_shown, open_candidates, opened_among
from judging.services.false_kills import Killed, Measured, measure, newest_kills
from judging.views.figures import defined, percent
from labeling.access import get_led_set
from labeling.domain.agreement import Estimate
from labeling.models import Candidate, CriteriaVersion
from labeling.views.scope import chosen_version, head
from vera_site.http import Request

_PER_PAGE = 10


@dataclass(frozen=True, slots=True)
class Named:
    """A check above the limit: what it does in a sentence, and how sure that is."""

    check: str
    words: str
    doubt: str


@dataclass(frozen=True, slots=True)
class CheckLine:
    """One check as a table shows it. The shares are "undefined" where there is no such row, never 0%."""

    check: str
    kills: int
    false_kills: int
    good_rows: int
    rate: str
    rate_doubt: str
    precision: str
    precision_doubt: str
    above: bool


@dataclass(frozen=True, slots=True)
class ShownKill:
    """A row that people pass and a check kills."""

    kill: Killed
    candidate: Candidate


def named_by_version(versions: Collection[int]) -> dict[int, list[Named]]:
    """The checks above the limit, by criteria version: the same number of queries for any number of them."""
    return {version: named(kills) for version, kills in newest_kills(versions).items()}


def named(kills: Kills) -> list[Named]:
    """The checks above the limit, the worst first."""
    return [_named(each) for each in above(kills, settings.VERA_FALSE_KILL_LIMIT)]


def _named(check: CheckKills) -> Named:
    limit, rate = settings.VERA_FALSE_KILL_LIMIT, check.rate
    share = f"{percent(rate.value)}, 95% interval {percent_interval(rate.low, rate.high)}"
    of = f"{check.false_kills:,} of {many(check.good_rows, 'good output')}"
    rows = "row" if check.false_kills == 1 else "rows"
    doubt = f"Its interval holds the limit, so this may be bad luck: look at the {rows}."
    if check.is_surely_above(limit):
        doubt = "The whole interval is above the limit: that is no bad luck."
    return Named(check.check, f"would throw away {of} ({share}), above the limit of {plain(limit)}%.", doubt)


def lines_of(kills: Kills) -> list[CheckLine]:
    """The checks that kill something, and all together at the end."""
    return [_line(each) for each in [*(each for each in _checks(kills) if each.kills), all_checks(kills)]]


def idle_of(kills: Kills) -> list[str]:
    """The checks that kill nothing."""
    return [each.check for each in _checks(kills) if not each.kills]


def _checks(kills: Kills) -> list[CheckKills]:
    return per_check(kills, [check.name for check in CHECKS])


def _line(check: CheckKills) -> CheckLine:
    rate, precision = defined(lambda: check.rate), defined(lambda: check.precision)
    return CheckLine(
        check.check,
        check.kills,
        check.false_kills,
        check.good_rows,
        *_written(rate, "people pass none of these rows"),
        *_written(precision, "it kills none of these rows"),
        above=check.is_above(settings.VERA_FALSE_KILL_LIMIT),
    )


def _written(share: Estimate | None, missing: str) -> tuple[str, str]:
    if share is None:
        return "undefined", missing
    return percent(share.value), percent_interval(share.low, share.high)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def layer1(request: Request, slug: str) -> HttpResponse:
    """Measured now, without a model: the checks, and the good rows that they would throw away.

    Rows for tuning are shown; those that certify only once the reader has opened them. Both is logged.
    """
    criteria_set = get_led_set(request.user, slug)
    version = chosen_version(criteria_set, request)
    found = measure(version=version, after=_after(request))
    certify = _certify_rows(found)
    if request.method == "POST":
        open_candidates(reader=request.user, version=version, candidate_ids=certify, most=_PER_PAGE)
        return HttpResponseRedirect(request.get_full_path())
    closed = set(certify) - opened_among(request.user, version, certify)
    visible = [each for each in found.false_kills if each.candidate_id not in closed]
    page = Paginator(visible, _PER_PAGE).get_page(request.GET.get("page"))
    context = head(request.user, criteria_set, "layer1") | {"version": version, "found": found, "page": page}
    context |= _counts(found) | {"closed": len(closed), "most": min(len(closed), _PER_PAGE)}
    context["shown"] = _shown(request, version, page)
    return render(request, "judging/layer1_page.html", context)


def _counts(found: Measured) -> dict[str, Any]:
    good, bad = rows_of(found.kills)
    return {
        "good": good,
        "bad": bad,
        "lines": lines_of(found.kills),
        "idle": idle_of(found.kills),
        "named": named(found.kills),
        "limit": plain(settings.VERA_FALSE_KILL_LIMIT),
        "first": found.earlier + 1,
        "until": found.earlier + found.rows,
    }


def _certify_rows(found: Measured) -> list[int]:
    """The false kills among them that are not for tuning."""
    killed = [each.candidate_id for each in found.false_kills]
    tune = Candidate.objects.filter(pk__in=killed, split=Candidate.Split.TUNE).values_list("pk", flat=True)
    free = set(tune)
    return [pk for pk in killed if pk not in free]


def _shown(request: Request, version: CriteriaVersion, page: "Page[Killed]") -> list[ShownKill]:
    """The rows of this page with their texts; that their reader sees them is noted."""
    pks = [each.candidate_id for each in page]
    candidates = Candidate.objects.in_bulk(pks)
    log_shown(reader=request.user, version=version, candidate_ids=pks)
    return [ShownKill(each, candidates[each.candidate_id]) for each in page]


def _after(request: HttpRequest) -> int:
    """The id after which to go on; nonsense is the beginning."""
    given = request.GET.get("after", "")
    return int(given) if given.isascii() and given.isdecimal() and len(given) < 18 else 0
