"""Downloading a golden set."""

import tempfile
from contextlib import ExitStack
from io import TextIOWrapper

from django.contrib.auth.decorators import login_required
from django.http import FileResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from labeling.access import get_led_set
from labeling.forms.imports import ExportForm
from labeling.models import CriteriaVersion
from labeling.services.exports import export_golden
from labeling.views.scope import chosen_version, head
from vera_site.http import Request

_ENDINGS = {"jsonl": "jsonl", "vera": "vera.jsonl", "csv": "csv"}


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def export_rows(request: Request, slug: str) -> HttpResponseBase:
    criteria_set = get_led_set(request.user, slug)
    version = chosen_version(criteria_set, request)
    form = ExportForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        return begun(download(version, form.cleaned_data["format"], request), request)
    context = head(request.user, criteria_set, "export") | {"form": form, "version": version}
    return render(request, "labeling/export.html", context, status=422 if form.is_bound else 200)


def begun(response: FileResponse, request: Request) -> FileResponse:
    """Tell the page, which stays open, that its file is on the way: its form waits for this cookie."""
    token = request.POST.get("began", "")
    if token.isascii() and token.isdecimal():
        response.set_cookie("began", token[:20], max_age=60, samesite="Lax")
    return response


def download(version: CriteriaVersion, format: str, request: Request) -> FileResponse:
    """The whole file, written before the answer begins: an error never leaves a part of it."""
    with ExitStack() as stack:
        whole = stack.enter_context(tempfile.TemporaryFile())
        text = TextIOWrapper(whole, encoding="utf-8", newline="")
        export_golden(version=version, format=format, write=text.write, actor=request.user)
        text.detach()
        stack.pop_all()  # from here on the response closes it
    whole.seek(0)
    name = f"{version.criteria_set.slug}-{version.number}.{_ENDINGS[format]}"
    kind = "text/csv" if format == "csv" else "application/jsonl"
    return FileResponse(whole, as_attachment=True, filename=name, content_type=f"{kind}; charset=utf-8")
