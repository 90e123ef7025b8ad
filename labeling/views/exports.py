"""Downloading a golden set, its labels, or everything that is known of its rows."""

import json
import tempfile
from contextlib import ExitStack
from io import TextIOWrapper

from django.contrib.auth.decorators import login_required
from django.http import FileResponse, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_http_methods, require_safe

from labeling.access import get_led_set
from labeling.forms.exports import ExportForm
from labeling.models import CriteriaVersion
from labeling.services import exports
from labeling.views.scope import chosen_version, head
from vera_site.http import Request

_ENDINGS = {"vera": "vera.jsonl", "label_studio": "label-studio.json"} | {
    name: f"{name.replace('_', '-')}.jsonl" for name in ("langfuse_scores", "langfuse_items")
}
_TYPES = {"csv": "text/csv", "tsv": "text/tab-separated-values", "label_studio": "application/json"}


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def export_rows(request: Request, slug: str) -> HttpResponseBase:
    criteria_set = get_led_set(request.user, slug)
    version = chosen_version(criteria_set, request)
    form = ExportForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        return begun(download(version, form.cleaned_data, request), request)
    context = head(request.user, criteria_set, "export") | {"form": form, "version": version}
    return render(request, "labeling/export.html", context, status=422 if form.is_bound else 200)


@require_safe
@login_required
def export_row(request: Request, slug: str, pk: int) -> HttpResponse:
    """Everything that is known of one row, as one JSON object."""
    criteria_set = get_led_set(request.user, slug)
    row = get_object_or_404(criteria_set.candidates, pk=pk)
    version = chosen_version(criteria_set, request)
    known = exports.export_row(candidate=row, version=version, actor=request.user)
    response = HttpResponse(json.dumps(known, ensure_ascii=False, indent=1), content_type="application/json")
    response["Content-Disposition"] = f'attachment; filename="{criteria_set.slug}-row-{row.pk}.json"'
    return response


def begun(response: FileResponse, request: Request) -> FileResponse:
    """Tell the page, which stays open, that its file is on the way: its form waits for this cookie."""
    token = request.POST.get("began", "")
    if token.isascii() and token.isdecimal():
        response.set_cookie("began", token[:20], max_age=60, samesite="Lax")
    return response


def download(version: CriteriaVersion, chosen: dict[str, str], request: Request) -> FileResponse:
    """The whole file, written before the answer begins: an error never leaves a part of it."""
    what, format = chosen["what"], chosen["format"]
    with ExitStack() as stack:
        whole = stack.enter_context(tempfile.TemporaryFile())
        text = TextIOWrapper(whole, encoding="utf-8", newline="")
        exports.export_golden(version=version, format=format, write=text.write, actor=request.user, what=what)
        text.detach()
        stack.pop_all()  # from here on the response closes it
    whole.seek(0)
    kind = "" if what == exports.ROWS else f"-{what}"
    name = f"{version.criteria_set.slug}-{version.number}{kind}.{_ENDINGS.get(format, format)}"
    content_type = f"{_TYPES.get(format, 'application/jsonl')}; charset=utf-8"
    return FileResponse(whole, as_attachment=True, filename=name, content_type=content_type)
