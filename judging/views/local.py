"""A model on a server of one's own: made by a form, then connected by lines to copy."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from judging.access import check_lead
from judging.domain.local_servers import SERVERS, LocalServer
from judging.forms.local import LocalForm
from judging.models import Judge, JudgeVersion
from judging.services.connections import Environments
from judging.services.judges import missing_variables
from judging.views.judges import version_or_404
from vera_site.http import Request


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def judge_add_local(request: Request) -> HttpResponse:
    """A new judge that is a model on an OpenAI-compatible server."""
    check_lead(request.user)
    form = LocalForm(request.POST or None)
    fits = request.method == "POST" and form.is_valid() and not _is_taken(form)
    if fits and (version := form.save(request.user)):
        messages.success(request, f"“{version.judge.slug}” is there. Tell the workers where it is.")
        return redirect(_connect_address(version, form.cleaned_data["server"]))
    context = {"section": "judges", "form": form, "servers": SERVERS.values()}
    return render(request, "judging/judge_local.html", context, status=422 if form.is_bound else 200)


def _is_taken(form: LocalForm) -> bool:
    """Whether there is such a judge already, which then stands on the form."""
    taken = Judge.objects.filter(slug=form.cleaned_data["slug"]).exists()
    if taken:
        form.add_error("slug", "There is a judge of this name already. Change it there, as a new version.")
    return taken


def _connect_address(version: JudgeVersion, server: str) -> str:
    return reverse("judge_connect", args=[version.judge.slug]) + f"?server={server}"


@dataclass(frozen=True, slots=True)
class Line:
    """A variable and what it should hold."""

    name: str
    value: str


@require_safe
@login_required
def judge_connect(request: Request, slug: str) -> HttpResponse:
    """The lines to put into the workers' environment, and whether they are there."""
    check_lead(request.user)
    version = version_or_404(slug, "")
    if version.kind == JudgeVersion.Kind.RECORDED:
        messages.info(request, "Its verdicts were brought in from a file, so there is nothing to connect.")
        return redirect("judge", slug)
    server = SERVERS.get(request.GET.get("server", ""), SERVERS["other"])
    environments = Environments(timezone.now())
    context = {
        "section": "judges",
        "version": version,
        "server": server,
        "lines": _lines(version, server),
        "missing": missing_variables(version, environments),
        "workers": environments.workers,
        "context_tokens": version.params.get("context_tokens"),
    }
    return render(request, "judging/judge_connect.html", context)


def _lines(version: JudgeVersion, server: LocalServer) -> list[Line]:
    lines = []
    if version.base_url_env:
        lines.append(Line(version.base_url_env, server.address))
    if version.api_key_env:
        lines.append(Line(version.api_key_env, "PASTE-THE-KEY-HERE"))
    host = urlsplit(server.address).hostname or ""
    if version.base_url_env and host not in settings.VERA_JUROR_HOSTS:
        lines.append(Line("VERA_JUROR_HOSTS", ",".join([*settings.VERA_JUROR_HOSTS, host])))
    return lines
