"""Bringing a file into a criteria set, and what became of it."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from labeling.access import get_led_set
from labeling.forms.imports import ImportForm
from labeling.models import CriteriaSet
from labeling.services.imports import FileProblem, ImportProblem, Report, import_golden, in_words
from labeling.views.scope import head, page_of
from vera_site.http import Request

SHOWN_REFUSED = 200
BATCHES_PER_PAGE = 20


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def import_rows(request: Request, slug: str) -> HttpResponse:
    criteria_set = get_led_set(request.user, slug)
    form = ImportForm(request.POST, request.FILES) if request.method == "POST" else ImportForm()
    report = try_to_import(form, criteria_set, request) if form.is_valid() else None
    if report is not None and report.kept:
        messages.success(request, report.headline)
        return redirect("import_batch", slug, report.batch)
    context = head(request.user, criteria_set, "import") | {"form": form, "report": report}
    if report is not None:
        context |= {"lines": report.lines(), "refused": report.refused[:SHOWN_REFUSED]}
    batches = criteria_set.batches.select_related("created_by")
    context["page"] = page_of(batches, request, BATCHES_PER_PAGE)
    wrong = form.is_bound and (report is None or not report.acceptable)
    return render(request, "labeling/import.html", context, status=422 if wrong else 200)


@require_safe
@login_required
def import_batch(request: Request, slug: str, pk: int) -> HttpResponse:
    criteria_set = get_led_set(request.user, slug)
    batch = get_object_or_404(criteria_set.batches.select_related("version", "created_by"), pk=pk)
    context = head(request.user, criteria_set, "import") | {"batch": batch}
    context |= {"lines": in_words(batch.counts), "refused": batch.refused}
    return render(request, "labeling/import_batch.html", context)


def try_to_import(form: ImportForm, criteria_set: CriteriaSet, request: Request) -> Report | None:
    """What became of the file; None where it could not be read, with the reason on the form."""
    file = form.cleaned_data["file"]
    try:
        return import_golden(
            stream=file.file,
            file_name=file.name,
            slug=criteria_set.slug,
            format=form.cleaned_data["format"],
            split=form.cleaned_data["split"],
            keep_good=form.cleaned_data["keep_good"],
            dry_run=form.cleaned_data["dry_run"],
            actor=request.user,
        )
    except (FileProblem, ImportProblem) as problem:
        form.add_error("file", str(problem))
        return None
