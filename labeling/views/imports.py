"""Bringing a file into a criteria set: sending it, and what became of those that were sent."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods, require_safe

from labeling.access import get_led_set
from labeling.formats.detect import WORDS
from labeling.forms.imports import UploadForm
from labeling.models import CriteriaSet
from labeling.services.import_files import arrived
from labeling.services.import_jobs import UploadProblem, take_upload
from labeling.services.import_refused import can_correct, has_refused
from labeling.services.imports import in_words
from labeling.views.scope import head, page_of
from labeling.views.uploads import StoringHandler
from vera_site.http import Request

BATCHES_PER_PAGE = 20
MOST_JOBS = 50  # files on their way that the page lists


@require_http_methods(["GET", "HEAD", "POST"])
@csrf_exempt  # only so that the file's place is chosen before anybody reads the form: see `_import_rows`
@login_required
def import_rows(request: Request, slug: str) -> HttpResponse:
    criteria_set = get_led_set(request.user, slug)
    if request.method != "POST":
        return _import_rows(request, criteria_set, None)
    handler = StoringHandler(request)
    request.upload_handlers = [handler]
    try:
        return _import_rows(request, criteria_set, handler)
    finally:
        handler.close()


@csrf_protect
def _import_rows(request: Request, criteria_set: CriteriaSet, handler: StoringHandler | None) -> HttpResponse:
    """The page, or the page of the file that was sent."""
    form = UploadForm(request.POST, request.FILES) if handler else UploadForm()
    if handler and form.is_valid():
        file = form.cleaned_data["file"]
        try:
            job = take_upload(
                criteria_set=criteria_set, file_name=file.name, stored_as=file.stored_as, actor=request.user
            )
            handler.keep(file.stored_as)
            return redirect("import_job", criteria_set.slug, job.pk)
        except UploadProblem as problem:
            form.add_error("file", str(problem))
    context = head(request.user, criteria_set, "import") | {"form": form}
    context["page"] = page_of(criteria_set.batches.select_related("created_by"), request, BATCHES_PER_PAGE)
    jobs = criteria_set.import_jobs.unfinished().select_related("created_by").defer("report")[:MOST_JOBS]
    context["jobs"] = [(job, arrived(job.stored_as)) for job in jobs]
    return render(request, "labeling/import.html", context, status=422 if form.is_bound else 200)


@require_safe
@login_required
def import_batch(request: Request, slug: str, pk: int) -> HttpResponse:
    criteria_set = get_led_set(request.user, slug)
    batch = get_object_or_404(criteria_set.batches.select_related("version", "created_by"), pk=pk)
    job = batch.jobs.first()
    context = head(request.user, criteria_set, "import") | {"batch": batch, "job": job}
    context |= {"lines": in_words(batch.counts), "refused": batch.refused}
    context["format_words"] = WORDS.get(batch.format, batch.format)
    if job is not None:
        context |= {"has_refused": has_refused(job), "can_correct": can_correct(job)}
        context["notes"] = job.report.get("notes", ())
    return render(request, "labeling/import_batch.html", context)
