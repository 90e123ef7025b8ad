"""Judges and panels: what there is, each one's versions, a new one, and which is live."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import F
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe
from django.views.decorators.vary import vary_on_headers

from judging.access import check_lead
from judging.domain.examples import Examples, read_stored
from judging.domain.judges import context_words
from judging.forms.judges import FORMS, ModelForm, PanelForm, pinned_to, try_to_save
from judging.models import Certificate, Judge, JudgeVersion
from judging.services.connections import Environments, Missing
from judging.services.families import written_in_sets
from judging.services.following import follow_member
from judging.services.judges import missing_variables, with_jurors
from judging.services.promoting import promotions_of
from judging.services.standing import Standing
from judging.views.judge_facts import Fact, facts_of, family_warnings, scripted_words
from judging.views.pairs import jurors_of
from labeling.access import led_sets
from labeling.services.promotions import live_before
from labeling.views.scope import page_of
from vera_site.http import Request, part

_JUDGES_PER_PAGE, _VERSIONS_PER_PAGE = 50, 10


@dataclass(frozen=True, slots=True)
class ShownVersion:
    """A judge version with what there is to say of it. `standings`: on the criteria sets the reader leads.

    `as_juror`: what panels' calibrations on those sets measured of it, in words. `examples`: only where the
    reader leads their set.
    """

    version: JudgeVersion
    facts: list[Fact]
    standings: list[Standing]
    missing: list[Missing]
    scripted: str
    warnings: list[str]
    as_juror: list[str]
    examples: Examples | None


@require_safe
@login_required
def judges(request: Request) -> HttpResponse:
    """Every judge at its live version."""
    check_lead(request.user)
    every = JudgeVersion.objects.filter(pk=F("judge__live_version")).order_by("judge__slug")
    page = page_of(with_jurors(every), request, _JUDGES_PER_PAGE)
    live = list(page)
    shown = list(_shown([(version, None) for version in live], request))
    context = {"section": "judges", "page": page, "shown": shown, "drafts": _drafts(live)}
    return render(request, "judging/judges.html", context)


def _drafts(live: Sequence[JudgeVersion]) -> dict[int, int]:
    """Number of the newest version, by judge, where it is newer than the live one."""
    newest = JudgeVersion.objects.filter(judge__in=[version.judge_id for version in live])
    numbers = dict(newest.order_by("number").values_list("judge", "number"))
    return {
        version.judge_id: numbers[version.judge_id]
        for version in live
        if numbers[version.judge_id] > version.number
    }


@require_safe
@login_required
def judge(request: Request, slug: str) -> HttpResponse:
    """One judge: its versions, newest first, and what each changed."""
    check_lead(request.user)
    found = get_object_or_404(Judge.objects.select_related("live_version"), slug=slug)
    versions = with_jurors(found.versions.order_by("-number").select_related("created_by"))
    page = page_of(versions, request, _VERSIONS_PER_PAGE)
    rows = list(page)
    earlier = versions.filter(number__lt=rows[-1].number).first() if rows else None
    shown = list(_shown(list(zip(rows, [*rows[1:], earlier], strict=True)), request))
    context = {"section": "judges", "judge": found, "page": page, "shown": shown}
    context["kind"] = rows[0].kind if rows else "judge"
    context |= _past_of(found)
    return render(request, "judging/judge.html", context)


def _past_of(judge: Judge) -> dict[str, Any]:
    """Template context of `labeling/promotions.html`: what was live when, and what to go back to."""
    live = judge.live_version.number if judge.live_version else None
    promotions = promotions_of(judge)
    back = live_before(promotions, live)
    back_url = reverse("judge_promote", args=[judge.slug, back]) if back else ""
    return {"promotions": promotions, "live": live, "back": back, "back_url": back_url}


def _shown(
    versions: Sequence[tuple[JudgeVersion, JudgeVersion | None]], request: Request
) -> Iterator[ShownVersion]:
    standings = _standings([version for version, _ in versions], request)
    stood_on = {each.criteria_version.criteria_set for found in standings.values() for each in found}
    written = written_in_sets([criteria_set.pk for criteria_set in stood_on])
    environments = Environments(timezone.now())
    measured = _as_jurors([version for version, _ in versions], request)
    led = set(led_sets(request.user).values_list("slug", flat=True))
    for version, before in versions:
        yield ShownVersion(
            version,
            facts_of(version, before, led),
            standings[version.pk],
            missing_variables(version, environments),
            scripted_words(version),
            context_words(version.family, version.base_url_env, version.params)
            + family_warnings(version, standings[version.pk], written),
            measured[version.pk],
            _shown_examples(version, led),
        )


def _shown_examples(version: JudgeVersion, led: Collection[str]) -> Examples | None:
    examples = read_stored(version.examples)
    return examples if examples is not None and examples.criteria_set in led else None


def _standings(versions: Sequence[JudgeVersion], request: Request) -> dict[int, list[Standing]]:
    """How the versions stand now on the criteria sets that the reader leads, newest criteria first."""
    now, found = timezone.now(), defaultdict(list)
    certificates = Certificate.objects.current().within(led_sets(request.user)).with_names()
    of_these = certificates.filter(judge_version__in=[version.pk for version in versions])
    for each in of_these.order_by("criteria_version__criteria_set__slug", "-criteria_version__number"):
        standing = Standing(each.judge_version, each.criteria_version, each, now)
        found[each.judge_version_id].append(standing)
    return found


def _as_jurors(versions: Sequence[JudgeVersion], request: Request) -> dict[int, list[str]]:
    """What the calibrations of live panels say of their jurors among these versions."""
    current = Certificate.objects.current().within(led_sets(request.user)).of_judge_version(None)
    panels = current.filter(judge_version__seats__juror__in=[version.pk for version in versions])
    certificates, found = list(panels.with_names().distinct()), defaultdict(list)
    lines = jurors_of(certificates)
    for each in certificates:
        panel, criteria = each.judge_version.judge.slug, each.criteria_version.criteria_set.slug
        for line in lines.get(each.calibration.run_id, []):
            words = f"as a juror of {panel} on {criteria}: kappa\N{NO-BREAK SPACE}{line.shown_kappa}"
            found[line.calibration.judge_version_id].append(words)
    return found


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@vary_on_headers("HX-Request")
def judge_add(request: Request, kind: str) -> HttpResponse:
    """A new model or panel."""
    check_lead(request.user)
    if kind not in FORMS:
        raise Http404("A judge is a model or a panel.")
    form = _form(FORMS[kind], request, None)
    context = {"section": "judges", "form": form, "kind": kind}
    if form.is_bound and request.method == "POST" and (version := try_to_save(form, None, request.user)):
        messages.success(request, f"“{version.judge.slug}” is there. Calibrate it before you trust it.")
        return redirect("judge", version.judge.slug)
    template = part(request, "judging/judge_edit.html", "examples")
    return render(request, template, context, status=422 if form.is_bound else 200)


def _form(
    form_class: type[ModelForm] | type[PanelForm], request: Request, base: JudgeVersion | None
) -> ModelForm | PanelForm:
    """The form as it was sent; unbound where it is new or only more rows are to be shown in it."""
    start = form_class.initial_of(base) if base else {}
    if form_class is ModelForm and (name := request.GET.get("expect_model")):
        start["params"] = pinned_to(name, start.get("params", {}))
    data = request.POST if request.method == "POST" else None
    # Enter in the field that finds a row would otherwise save.
    if "show_rows" in request.POST or request.POST.get("find_row") or "examples_of" in request.GET:
        start, data = start | ModelForm.typed(request.POST or request.GET), None
    return form_class(data, initial=start, user=request.user, base=base)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@vary_on_headers("HX-Request")
def judge_edit(request: Request, slug: str) -> HttpResponse:
    """A new version of a judge, from its newest one or from the one that `?version=` names."""
    check_lead(request.user)
    base = version_or_404(slug, request.GET.get("version", ""))
    if base.kind == JudgeVersion.Kind.RECORDED:
        return redirect(f"{reverse('judge_add_recorded')}?judge={slug}")
    form = _form(FORMS[base.kind], request, base)
    del form.fields["slug"]
    if form.is_bound and request.method == "POST" and (version := try_to_save(form, slug, request.user)):
        messages.success(request, _what_was_saved(version, request))
        return redirect("judge", slug)
    context = {"section": "judges", "form": form, "kind": base.kind, "base": base}
    template = part(request, "judging/judge_edit.html", "examples")
    return render(request, template, context, status=422 if form.is_bound else 200)


def version_or_404(slug: str, number: str) -> JudgeVersion:
    """The named version of a judge, else its newest; 404 where there is none such."""
    versions = with_jurors(JudgeVersion.objects.filter(judge__slug=slug).order_by("-number"))
    if number:
        is_number = number.isascii() and number.isdecimal() and len(number) < 9
        versions = versions.filter(number=int(number)) if is_number else versions.none()
    if found := versions.first():
        return found
    raise Http404("There is no such version of this judge.")


def _what_was_saved(version: JudgeVersion, request: Request) -> str:
    if version.pk == version.judge.live_version_id:
        return f"Nothing that judges changed: version {version.number} stays live."
    words = f"Version {version.number} is a draft until you promote it. Calibrate it first."
    panels = follow_member(version=version, actor=request.user)
    drafts = ", ".join(f"{panel.judge.slug}, version {panel.number}" for panel in panels)
    return f"{words} There are drafts with it of the panels in which it sits: {drafts}." if drafts else words
