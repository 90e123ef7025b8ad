"""The reference sets of a criteria set: listed, made of golden rows, imported from pairs, retired."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Case, Count, F, Q, When
from django.db.models.functions import Left
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from judging.forms.ordering import PickForm, ReferenceImportForm, RenameForm
from judging.models import ReferenceCandidate, ReferenceSet
from judging.services.reference_imports import import_references
from judging.services.reference_report import ReferenceReport
from judging.services.reference_sets import (
    contradicted,
    let_decide,
    requests_to_pick,
    retire_set,
    usable_sets,
)
from labeling.access import get_led_set
from labeling.models import Candidate, CriteriaSet, CriteriaVersion, Exposure
from labeling.services.exposures import record_exposure
from labeling.services.imports import FileProblem, ImportProblem
from labeling.views.scope import head, page_of
from vera_site.http import Request

_PER_PAGE = 25
_MOST_ROWS = 50  # outputs to one request that a set is picked from
_SHOWN_REFUSED = 200
_NAME_HEAD = 80  # characters of the request that a set is named by at first


@require_safe
@login_required
def reference_sets(request: Request, slug: str) -> HttpResponse:
    """The sets, those in use first."""
    criteria_set = get_led_set(request.user, slug)
    version = _live(criteria_set)
    sets = ReferenceSet.objects.filter(criteria_set=criteria_set).counted()
    page = page_of(sets.order_by(F("retired_at").asc(nulls_first=True), "-pk"), request, _PER_PAGE)
    of_page = ReferenceSet.objects.filter(pk__in=[each.pk for each in page])
    context = head(request.user, criteria_set, "references") | {"page": page}
    context |= {"contradicted": set(contradicted(version, of_page))}
    deciding = Count("pk", filter=Q(decides=True))
    context |= usable_sets(version).aggregate(in_use=Count("pk"), deciding=deciding)
    return render(request, "judging/reference_sets.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def reference_set(request: Request, slug: str, pk: int) -> HttpResponse:
    """One set with its texts; renamed, retired, used again, counted for certificates or not."""
    criteria_set = get_led_set(request.user, slug)
    found = get_object_or_404(ReferenceSet.objects.filter(criteria_set=criteria_set).with_members(), pk=pk)
    form = RenameForm(request.POST or None, initial={"name": found.name})
    if request.method == "POST" and _changed(request, found, form):
        return redirect("reference_set", slug, pk)
    members = list(found.members.all())
    _note_shown(request, _live(criteria_set), [member.candidate_id for member in members])
    context = head(request.user, criteria_set, "references") | {"set": found, "members": members}
    context |= {"form": form, "contradicted": pk in contradicted(_live(criteria_set), _only(found))}
    return render(
        request, "judging/reference_set.html", context, status=422 if request.method == "POST" else 200
    )


def _changed(request: Request, found: ReferenceSet, form: RenameForm) -> bool:
    """Do what the pressed button says; False where the name on the form cannot be."""
    match request.POST.get("do", "rename"):
        case "retire":
            retire_set(reference_set=found, now=timezone.now(), actor=request.user)
        case "use":
            retire_set(reference_set=found, now=None, actor=request.user)
        case "decide" | "figures" as do:
            let_decide(reference_set=found, decides=do == "decide", actor=request.user)
        case _:
            return form.save(found, request.user)
    return True


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def reference_add(request: Request, slug: str) -> HttpResponse:
    """Pick a request, then mark outputs to it."""
    criteria_set = get_led_set(request.user, slug)
    version = _live(criteria_set)
    context = head(request.user, criteria_set, "references")
    if "like" in request.GET:
        return _pick(request, criteria_set, version, context)
    page = page_of(requests_to_pick(version), request, _PER_PAGE)
    context |= {"page": page, "requests": _with_heads(list(page), criteria_set)}
    return render(request, "judging/reference_add.html", context)


def _pick(
    request: Request, criteria_set: CriteriaSet, version: CriteriaVersion, context: dict[str, Any]
) -> HttpResponse:
    like = request.GET["like"]
    if not (like.isascii() and like.isdigit() and len(like) < 16):
        raise Http404("There is no such row.")
    picked = get_object_or_404(criteria_set.candidates, pk=int(like))
    of_request = criteria_set.candidates.filter(request_hash=picked.request_hash)
    settled_first = Case(When(truth__in=["pass", "fail"], then=0), default=1)
    rows = list(of_request.with_truth(version).order_by(settled_first, "-pk")[:_MOST_ROWS])
    beginning = " ".join(picked.request.split())[:_NAME_HEAD]
    form = PickForm(request.POST or None, rows=rows, initial={"name": beginning})
    if request.method == "POST" and (made := form.save(version, request.user)):
        messages.success(request, f"The reference set “{made.name}” is made.")
        return redirect("reference_sets", criteria_set.slug)
    _note_shown(request, version, [row.pk for row in rows if row.truth])
    settled = [row for row in rows if row.truth in ("pass", "fail")]
    context |= {"picked": picked, "form": form, "all_rows": of_request.count(), "shown_rows": len(rows)}
    context |= {"rows": [(row, form[f"row_{row.pk}"]) for row in settled]}
    context |= {"others": [(row, form[f"row_{row.pk}"]) for row in rows if row not in settled]}
    status = 422 if request.method == "POST" else 200
    return render(request, "judging/reference_pick.html", context, status=status)


def _with_heads(found: list[dict[str, Any]], criteria_set: CriteriaSet) -> list[dict[str, Any]]:
    """Requests to pick with the beginnings of their texts, and in how many sets each is already."""
    newest = [each["newest"] for each in found]
    heads = dict(
        Candidate.objects.filter(pk__in=newest)
        .annotate(request_head=Left("request", 200))
        .values_list("pk", "request_head")
    )
    members = ReferenceCandidate.objects.filter(
        reference_set__criteria_set=criteria_set,
        candidate__request_hash__in=[each["request_hash"] for each in found],
    )
    in_sets = dict(
        members.values_list("candidate__request_hash").annotate(n=Count("reference_set", distinct=True))
    )
    return [
        each | {"head": heads[each["newest"]], "sets": in_sets.get(each["request_hash"], 0)} for each in found
    ]


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def reference_import(request: Request, slug: str) -> HttpResponse:
    """Bring a file of pairs in, or only check it."""
    criteria_set = get_led_set(request.user, slug)
    form = ReferenceImportForm(request.POST or None, request.FILES or None)
    report = _imported(form, criteria_set, request) if form.is_valid() else None
    if report is not None and report.kept:
        messages.success(request, f"{report.headline} {'; '.join(report.lines())}.")
        for note in report.notes:
            messages.warning(request, note)
        return redirect("reference_sets", slug)
    context = head(request.user, criteria_set, "references") | {"form": form, "report": report}
    if report is not None:
        context |= {"lines": report.lines(), "refused": report.refused[:_SHOWN_REFUSED]}
    wrong = form.is_bound and (report is None or not report.acceptable)
    return render(request, "judging/reference_import.html", context, status=422 if wrong else 200)


def _imported(
    form: ReferenceImportForm, criteria_set: CriteriaSet, request: Request
) -> ReferenceReport | None:
    """What became of the file; None where it could not be read, with the reason on the form."""
    file = form.cleaned_data["file"]
    try:
        return import_references(
            stream=file.file,
            file_name=file.name,
            slug=criteria_set.slug,
            gold=form.cleaned_data["gold"],
            decides=form.cleaned_data["decides"],
            keep_good=form.cleaned_data["keep_good"],
            dry_run=form.cleaned_data["dry_run"],
            actor=request.user,
        )
    except (FileProblem, ImportProblem) as problem:
        form.add_error("file", str(problem))
        return None


def _live(criteria_set: CriteriaSet) -> CriteriaVersion:
    version = criteria_set.live_version
    if version is None:
        raise Http404("This criteria set has no live version. Promote one.")
    version.criteria_set = criteria_set
    return version


def _only(found: ReferenceSet) -> Any:
    return ReferenceSet.objects.filter(pk=found.pk)


def _note_shown(request: Request, version: CriteriaVersion, candidate_ids: list[int]) -> None:
    """What people say of these rows, or what a lead marked by it, is on the page."""
    record_exposure(
        user=request.user, version=version, candidate_ids=candidate_ids, what=Exposure.What.LABELS
    )
