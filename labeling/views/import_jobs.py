"""A file on its way in: how it looks, how it is to be read, how far a worker is with it, what was refused."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import connection, transaction
from django.http import Http404, HttpResponse, JsonResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django.views.decorators.vary import vary_on_headers
from django_htmx.http import HttpResponseClientRefresh

from labeling.access import get_led_set
from labeling.formats.detect import WORDS
from labeling.forms.imports import FormatForm, OrderForm
from labeling.models import CriteriaSet, ImportJob
from labeling.services.import_files import arrived, is_there
from labeling.services.import_jobs import (
    CannotImport,
    OutOfStep,
    UploadProblem,
    begin_upload,
    discard_job,
    order_import,
    receive_piece,
)
from labeling.services.import_preview import look_at
from labeling.services.import_progress import is_worked_on, reached
from labeling.services.import_refused import (
    can_correct,
    has_refused,
    refused_as_csv,
    refused_as_jsonl,
    rows_to_correct,
)
from labeling.services.workers import no_worker_seen
from labeling.tasks import start_import
from labeling.views.scope import head
from vera_site.http import Request, part, whole

SHOWN_COLUMNS = 30
_WORKING = (ImportJob.State.WAITING, ImportJob.State.RUNNING)


def get_job(request: Request, slug: str, pk: int) -> ImportJob:
    """A file of a set that the reader leads, else 403 or 404."""
    criteria_set = get_led_set(request.user, slug)
    job = get_object_or_404(criteria_set.import_jobs.select_related("created_by"), pk=pk)
    job.criteria_set = criteria_set
    return job


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@vary_on_headers("HX-Request")
def import_job(request: Request, slug: str, pk: int) -> HttpResponse:
    """The page of a file. Asked by htmx, its progress alone; the whole page once a worker is done with it."""
    job = get_job(request, slug, pk)
    if job.state in _WORKING:
        return render(request, part(request, "labeling/import_job.html", "progress"), _progress(job, request))
    if request.htmx and request.method == "GET":
        return HttpResponseClientRefresh()
    if job.state == ImportJob.State.DONE:
        return redirect("import_batch", slug, job.batch_id)
    return _choose(request, job)


def _choose(request: Request, job: ImportJob) -> HttpResponse:
    """How the file is to be read, and the order to check or import it."""
    given = request.POST if request.method == "POST" else request.GET
    format = given.get("format", job.format)
    look = look_at(job, format if format in WORDS else "")
    form = OrderForm(
        request.POST if request.method == "POST" else None,
        preview=look.preview if look.takes_mapping else None,
        mapping=job.mapping if format == job.format else None,
        criteria=_criteria(job.criteria_set),
        initial={"format": format, "split": job.split, "keep_good": job.keep_good},
    )
    if form.is_valid() and _order(request, job, form):
        return redirect("import_job", job.criteria_set.slug, job.pk)
    context = _head(job, request) | {
        "form": form,
        "format_form": FormatForm(initial={"format": format}),
        "look": look,
        "columns": look.preview.columns[:SHOWN_COLUMNS] if look.preview else (),
        "rows": look.table(SHOWN_COLUMNS),
    }
    return render(request, "labeling/import_job.html", context, status=422 if form.is_bound else 200)


def _order(request: Request, job: ImportJob, form: OrderForm) -> bool:
    """Order the work; False where it cannot be done, with the reason on the form."""
    chosen = form.cleaned_data
    return _try_to_order(
        job,
        form=form,
        format=chosen["format"],
        split=chosen["split"],
        keep_good=chosen["keep_good"],
        mapping=form.mapping,
        check_only="check" in request.POST,
    )


def _try_to_order(job: ImportJob, *, form: OrderForm, **how: Any) -> bool:
    try:
        order_import(job=job, **how)
    except CannotImport as problem:
        form.add_error(None, str(problem))
        return False
    transaction.on_commit(partial(start_import, job.pk))
    return True


def _criteria(criteria_set: CriteriaSet) -> list[str]:
    version = criteria_set.live_version
    return list(version.criteria.values_list("name", flat=True)) if version else []


def _head(job: ImportJob, request: Request) -> dict[str, Any]:
    counts = job.report.get("counts", {})
    return head(request.user, job.criteria_set, "import") | {
        "job": job,
        "arrived": arrived(job.stored_as),
        "good": counts.get("rows", 0) - counts.get("refused", 0),
        "format_words": WORDS.get(job.format, job.format),
        "is_there": is_there(job.stored_as),
        "has_refused": has_refused(job),
        "can_correct": can_correct(job),
    }


def _progress(job: ImportJob, request: Request) -> dict[str, Any]:
    far = reached(job.stored_as)
    return _head(job, request) | {
        "working": True,
        "every_plain": 5,  # seconds until a page without JavaScript looks again
        "reached": far,
        "percent": min(100, 100 * far.bytes // job.size) if far else 0,
        "left": in_time(far.seconds_left(job.size)) if far else "",
        # A worker that holds the whole database cannot note there that it is alive; beside the file it does.
        "no_worker": not is_worked_on(job.stored_as) and no_worker_seen(timezone.now()),
        "holds_all": connection.vendor == "sqlite",
    }


@require_POST
@login_required
def import_again(request: Request, slug: str, pk: int) -> HttpResponse:
    """Import the file as it was checked; with `keep_good` what is good of it."""
    job = get_job(request, slug, pk)
    try:
        order_import(
            job=job,
            format=job.format,
            split=job.split,
            keep_good=job.keep_good or "keep_good" in request.POST,
            mapping=job.mapping,
            check_only=False,
        )
        transaction.on_commit(partial(start_import, job.pk))
    except CannotImport as problem:
        messages.warning(request, str(problem))
    return redirect("import_job", slug, pk)


@require_POST
@login_required
def import_discard(request: Request, slug: str, pk: int) -> HttpResponse:
    """Drop a file that was not imported."""
    job = get_job(request, slug, pk)
    try:
        discard_job(job=job)
        messages.success(request, f"{job.file_name} was discarded. Nothing of it was imported.")
    except CannotImport as problem:
        messages.warning(request, str(problem))
    return redirect("import", slug)


@require_POST
@login_required
def import_begin(request: Request, slug: str) -> JsonResponse:
    """Where a file that comes in pieces is to be sent, and how much of it is there."""
    criteria_set = get_led_set(request.user, slug)
    try:
        job = begin_upload(
            criteria_set=criteria_set,
            file_name=request.POST.get("name", ""),
            size=whole(request.POST.get("size", "")),
            changed_at=request.POST.get("changed_at", ""),
            actor=request.user,
        )
    except UploadProblem as problem:
        return JsonResponse({"problem": str(problem)}, status=422)
    return JsonResponse(
        {
            "arrived": arrived(job.stored_as),
            "piece": reverse("import_piece", args=[slug, job.pk]),
            "page": reverse("import_job", args=[slug, job.pk]),
        }
    )


@require_POST
@login_required
def import_piece(request: Request, slug: str, pk: int) -> JsonResponse:
    """The next piece of a file, as the body; 409 and how much is there where it begins elsewhere."""
    job = get_job(request, slug, pk)
    offset = whole(request.GET.get("offset", ""))
    try:
        return JsonResponse({"arrived": receive_piece(job=job, offset=offset, piece=request.body)})
    except OutOfStep as other:
        return JsonResponse({"arrived": other.arrived}, status=409)
    except UploadProblem as problem:
        return JsonResponse({"problem": str(problem)}, status=422)


@require_safe
@login_required
def import_refused(request: Request, slug: str, pk: int, kind: str) -> HttpResponseBase:
    """Every refused row: line, element, field, reason; or the rows themselves, to correct."""
    job = get_job(request, slug, pk)
    if kind not in _DOWNLOADS or not has_refused(job) or (kind == "rows" and not can_correct(job)):
        raise Http404("There are no refused rows of this file.")
    return _attached(_DOWNLOADS[kind](job), _name(job, kind))


def in_time(seconds: float | None) -> str:
    """How long that is, roughly; "" where nobody knows."""
    if seconds is None:
        return ""
    return f"{max(1, round(seconds))} s" if seconds < 90 else f"{round(seconds / 60)} minutes"


_DOWNLOADS: dict[str, Callable[[ImportJob], Iterator[Any]]] = {
    "refused.csv": refused_as_csv,
    "refused.jsonl": refused_as_jsonl,
    "rows": rows_to_correct,
}


def _name(job: ImportJob, kind: str) -> str:
    stem, _, ending = job.file_name.rpartition(".")
    return f"{stem or job.file_name}-refused.{ending or 'txt' if kind == 'rows' else kind.partition('.')[2]}"


def _attached(text: Iterator[Any], name: str) -> StreamingHttpResponse:
    response = StreamingHttpResponse(text, content_type="application/octet-stream")
    quoted = content_disposition_header(True, name)
    response["Content-Disposition"] = quoted or "attachment"
    return response
