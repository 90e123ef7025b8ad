"""The golden set as a list, and one candidate with what people said of it.

A labeler sees what others said of a row only after deciding it, and never where the criteria set does not
show labels: not in the list, the counts and the filters either. A lead sees it, and that is noted.
No judge's verdict is on these pages.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.db.models import Count, Exists, OuterRef, QuerySet, Subquery
from django.db.models.functions import Left
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from labeling.access import get_set
from labeling.forms.golden import GoldenFilter
from labeling.forms.rulings import RulingForm
from labeling.models import Candidate, CriteriaSet, CriteriaVersion, Exposure, Label, Ruling, Skip
from labeling.services.exposures import record_exposure, saw_a_verdict
from labeling.views.growth import growth_of, needed_next
from labeling.views.scope import chosen_version, head, page_of
from vera_site.http import Request

ROWS_PER_PAGE = 25


@require_safe
@login_required
def golden(request: Request, slug: str) -> HttpResponse:
    criteria_set = get_set(request.user, slug)
    version = chosen_version(criteria_set, request)
    context = head(request.user, criteria_set, "golden")
    shows_others = context["leads"] or criteria_set.shows_labels
    form = GoldenFilter(request.GET, sees_all=context["leads"], shows_others=shows_others)
    rows = listed(form, version, request.user)
    # Found by id first: the last page would otherwise work out every row before it.
    page = page_of(rows.values_list("pk", flat=True), request, ROWS_PER_PAGE)
    page.object_list = list(rows.filter(pk__in=list(page.object_list)))
    told = [row.pk for row in page if tells_of_others(row) and (row.mine or context["leads"])]
    note_shown(request.user, version, told if shows_others else [])
    counts = counts_of(version)
    context |= {"version": version, "form": form, "page": page, "counts": counts}
    context |= {"same_request": same_request(page.object_list), "shows_others": shows_others}
    if context["leads"]:  # to a labeler a figure that moves, or stays, as they decide tells what others said
        context |= {"growth": growth_of(version, counts["certify"])}
        context |= {"needed": needed_next(criteria_set, counts, leads=True)}
    return render(request, "labeling/golden.html", context)


@require_safe
@login_required
def candidate(request: Request, slug: str, pk: int) -> HttpResponse:
    criteria_set = get_set(request.user, slug)
    row = get_object_or_404(criteria_set.candidates, pk=pk)
    version = chosen_version(criteria_set, request)
    return render(
        request, "labeling/candidate.html", candidate_context(request.user, criteria_set, row, version)
    )


def listed(form: GoldenFilter, version: CriteriaVersion, user: User) -> "QuerySet[Any]":
    """The rows to list, with `truth`, `mine` (the user's own verdict) and the beginnings of their texts.

    `others` and `ruled` say whether somebody else labelled a row and whether a ruling stands.
    """
    row = {"candidate": OuterRef("pk"), "version": version}
    labels = Label.objects.current().filter(**row)
    rows = form.narrow(
        Candidate.objects.filter(criteria_set=version.criteria_set)
        .for_people()
        .with_truth(version)
        .annotate(
            mine=Subquery(labels.filter(labeler=user).values("verdict")[:1]),
            others=Exists(labels.exclude(labeler=user)),
            ruled=Exists(Ruling.objects.current().filter(**row)),
            request_head=Left("request", 120),
            output_head=Left("output", 200),
        )
    )
    return rows.only("pk", "split")


def same_request(rows: Sequence[Any]) -> str:
    """The beginning of the request where all the listed rows have the same one, else ""."""
    heads = {row.request_head for row in rows}
    return heads.pop() if len(rows) > 1 and len(heads) == 1 else ""


def tells_of_others(row: Any) -> bool:
    """Whether the truth of a listed row says more than its reader's own label does."""
    return bool(row.truth) and (row.others or row.ruled)


def counts_of(version: CriteriaVersion) -> dict[str, Any]:
    """How many rows are settled, by verdict, and how far the certify rows have come."""
    of_set = Candidate.objects.filter(criteria_set=version.criteria_set).for_people()
    rows = of_set.with_truth(version).order_by()
    truths: Counter[str | None] = Counter()
    certify: Counter[str | None] = Counter()
    for split, truth, n in rows.values_list("split", "truth").annotate(n=Count("pk")):
        truths[truth] += n
        certify[truth] += n if split == Candidate.Split.CERTIFY else 0
    return {
        "rows": sum(truths.values()),
        "passes": truths["pass"],
        "fails": truths["fail"],
        "settled": truths["pass"] + truths["fail"],
        "unresolved": truths["unresolved"],
        "undecided": truths[None],
        "certify": certify["pass"] + certify["fail"],
        "certify_pass": certify["pass"],
        "certify_fail": certify["fail"],
    }


def candidate_context(
    user: User,
    criteria_set: CriteriaSet,
    row: Candidate,
    version: CriteriaVersion,
    form: RulingForm | None = None,
) -> dict[str, Any]:
    """Everything the page of one candidate shows, and a note of it where that is other people's labels."""
    context = head(user, criteria_set, "golden")
    labels = list(
        Label.objects.current()
        .filter(candidate=row, version=version)
        .select_related("labeler")
        .prefetch_related("marks__criterion")
    )
    ruling = (
        Ruling.objects.current().filter(candidate=row, version=version).select_related("ruled_by").first()
    )
    own = [label for label in labels if label.labeler_id == user.pk]
    sees = context["leads"] or (bool(own) and criteria_set.shows_labels)
    past = history_of(row, version) if context["leads"] else {}
    shown = past.get("history", [*labels, ruling] if sees else [])
    if any(act is not None and not (isinstance(act, Label) and act.labeler_id == user.pk) for act in shown):
        note_shown(user, version, [row.pk])
    truth = Candidate.objects.with_truth(version).get(pk=row.pk).truth
    return context | {
        "row": row,
        "version": version,
        "sees": sees,
        "labels": labels if sees else own,
        "ruling": ruling if sees else None,
        "skips": skips_of(row, version) if context["leads"] else [],
        "truth": truth if sees else None,
        "form": form or RulingForm(initial={"seen": ruling.pk if ruling else None}),
        "may_rule": context["leads"] and (ruling is not None or truth == "unresolved"),
        "saw_a_verdict": context["leads"] and saw_a_verdict(user, row.pk),
        **past,
    }


def history_of(row: Candidate, version: CriteriaVersion) -> dict[str, Any]:
    """All that people ever said of a row, in its order, and the versions whose labels are not carried yet."""
    labels = Label.objects.filter(candidate=row).select_related(
        "labeler", "version", "carried_from__version", "carried_by"
    )
    rulings = Ruling.objects.filter(candidate=row).select_related(
        "ruled_by", "version", "carried_from__version", "carried_by"
    )
    acts: list[Label | Ruling] = [*labels, *rulings]
    return {
        "history": sorted(acts, key=lambda act: act.created_at),
        "versions_to_carry": versions_to_carry(labels, rulings, version),
    }


def versions_to_carry(
    labels: Iterable[Label], rulings: Iterable[Ruling], version: CriteriaVersion
) -> list[CriteriaVersion]:
    """The other versions under which something stands that does not stand under `version`."""
    said = [each for each in labels if each.superseded_at is None and each.withdrawn_at is None]
    ruled = [each for each in rulings if each.superseded_at is None]
    here = {each.labeler_id for each in said if each.version_id == version.pk}
    is_ruled = any(each.version_id == version.pk for each in ruled)
    found = {each.version for each in said if each.labeler_id not in here and each.version_id != version.pk}
    found |= {each.version for each in ruled if not is_ruled}
    return sorted(found, key=lambda each: each.number, reverse=True)


def skips_of(row: Candidate, version: CriteriaVersion) -> "QuerySet[Skip]":
    """Who passed the row on, and why, for a lead to act on; no verdict is in it."""
    skips = Skip.objects.current().filter(candidate=row, version=version)
    return skips.select_related("labeler").order_by("created_at")


def note_shown(user: User, version: CriteriaVersion, candidate_ids: list[int]) -> None:
    """Note that other people's verdicts on these rows are on the page that `user` gets."""
    if candidate_ids:
        record_exposure(user=user, version=version, candidate_ids=candidate_ids, what=Exposure.What.LABELS)
