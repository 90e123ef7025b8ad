"""The calibration report: all that a certificate rests on, on paper or as one file to attach to a release."""

from datetime import UTC
from pathlib import Path
from typing import Any

from django.contrib.auth.decorators import login_required
from django.contrib.staticfiles import finders
from django.http import HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.safestring import mark_safe
from django.views.decorators.http import require_safe

from judging.models import Certificate, JudgeVersion
from judging.services.daily_rates import live_of
from judging.services.judges import with_jurors
from judging.services.order_resource import newest_result
from judging.services.reports import answered_by, criteria_behind, events_of, people_behind
from judging.services.standing import Standing
from judging.views.answers import answer_of
from judging.views.by_criterion import marks_behind
from judging.views.dashboard import standing_or_404
from judging.views.drift_facts import facts_of as drift_of
from judging.views.figures import lines_of, more_lines_of
from judging.views.judge_facts import facts_of, scripted_words
from judging.views.limits import limits_of, rests_on_rows
from judging.views.ordering import order_line
from judging.views.panel import worth_of_panel
from judging.views.tabs import page_about
from vera_site.http import Request

_MOST_EVENTS = 30


@login_required
@require_safe
def report(request: Request, judge: str, criteria: str) -> HttpResponse:
    """The report as a page to read and print."""
    standing = standing_or_404(request, judge, criteria)
    context = page_about(standing, "report") | _report(request, standing)
    return render(request, "judging/report.html", context)


@login_required
@require_safe
def report_file(request: Request, judge: str, criteria: str) -> HttpResponse:
    """The same as one HTML file that needs nothing else, with its times in UTC."""
    standing = standing_or_404(request, judge, criteria)
    with timezone.override(UTC):
        context = _report(request, standing) | {"standing": standing, "style": _style()}
        content = render_to_string("judging/report_file.html", context)
    names = f"{standing.judge_version}-on-{standing.criteria_version}".replace("@", "-v")
    disposition = f'attachment; filename="{names}-{standing.now:%Y-%m-%d}.html"'
    return HttpResponse(content, headers={"Content-Disposition": disposition, "Cache-Control": "no-store"})


def _style() -> str:
    """The report's style sheet, which travels within the file."""
    found = finders.find("report.css")
    assert found is not None
    return mark_safe(Path(found).read_text())  # noqa: S308  (our own file)


def _report(request: Request, standing: Standing) -> dict[str, Any]:
    version = with_jurors(JudgeVersion.objects.filter(pk=standing.judge_version.pk)).get()
    context: dict[str, Any] = {
        "answer": answer_of(standing, live=live_of(standing)),
        "issued_by": request.user,
        "issued_at": standing.now,
        "criteria_version": criteria_behind(standing.criteria_version),
        "makers": [(juror, facts_of(juror)) for juror in _judges(version)],
        "scripted": scripted_words(version),
        "events": events_of(standing, _MOST_EVENTS),
    }
    return context | (_evidence(standing, standing.certificate) if standing.certificate else {})


def _judges(version: JudgeVersion) -> list[JudgeVersion]:
    """The judge, and for a panel its jurors beneath it."""
    return [version, *(version.jurors() if version.kind == JudgeVersion.Kind.PANEL else [])]


def _evidence(standing: Standing, certificate: Certificate) -> dict[str, Any]:
    calibration, is_panel = certificate.calibration, standing.judge_version.kind == JudgeVersion.Kind.PANEL
    return {
        "marks": marks_behind(certificate)["criteria"],
        "panel": worth_of_panel(standing, certificate) if is_panel else None,
        "order": order_line(result) if (result := newest_result(standing)) else None,
        "drift": drift_of(standing, certificate, timezone.get_current_timezone()),
        "certificate": certificate,
        "calibration": calibration,
        "lines": [*lines_of(certificate), *more_lines_of(certificate)],
        "rests_on_rows": rests_on_rows(calibration),
        "limits": limits_of(calibration),
        "people": people_behind(calibration),
        "answered": answered_by(calibration),
    }
