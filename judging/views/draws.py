"""Draws: a lead chooses which rows people label first, sees before what that means, and how far it is."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods
from django.views.decorators.vary import vary_on_headers

from judging.domain.figures import many
from judging.forms.draws import DrawForm, usual_strategy
from judging.services.drawing import Preview, drawn_of
from judging.views.figures import percent
from labeling.access import get_led_set
from labeling.models import CriteriaSet, Draw
from labeling.views.scope import chosen_version, head, page_of
from vera_site.http import Request, part

_PER_PAGE = 20
_WORDS = {"pass": "judged pass", "fail": "judged fail", "none": "no verdict"}


@dataclass(frozen=True, slots=True)
class StratumLine:
    """A stratum in a table. `before`, `now`: rows drawn; `stands_for`: rows that each of them counts as."""

    words: str
    rows: int
    before: int
    now: int
    stands_for: str


@dataclass(frozen=True, slots=True)
class ShownDraw:
    """A draw with its strata in words."""

    draw: Draw
    strata: list[str]


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@vary_on_headers("HX-Request")
def draws(request: Request, slug: str) -> HttpResponse:
    """Choose, look at what would be drawn, draw; and the draws that were made."""
    criteria_set = get_led_set(request.user, slug)
    version = chosen_version(criteria_set, request)
    form = DrawForm(request.POST or request.GET or None, version=version)
    if not {"strategy", "most"} <= form.data.keys():
        form = DrawForm(version=version, initial={"strategy": usual_strategy(version)})
    if request.method == "POST" and form.is_valid() and (draw := form.draw(request.user)):
        return _made(request, criteria_set, draw)
    context = head(request.user, criteria_set, "draws") | {"form": form, "version": version}
    context |= _preview(form)
    template = part(request, "judging/draws.html", "preview")
    if not request.htmx:
        context |= _made_before(request, criteria_set)
    return render(request, template, context, status=422 if request.method == "POST" else 200)


def _made(request: Request, criteria_set: CriteriaSet, draw: Draw) -> HttpResponse:
    fresh = Draw.objects.filter(pk=draw.pk).with_progress().get().fresh
    stand = "stands" if fresh == 1 else "stand"
    messages.success(
        request,
        f"{many(fresh, 'row')} drawn. Nobody who labels sees that; they {stand} behind rows that need another"
        " label, and before all others.",
    )
    return redirect("draws", criteria_set.slug)


def _preview(form: DrawForm) -> dict[str, Any]:
    found = form.preview() if form.is_bound else None
    if found is None:
        return {}
    chosen = form.cleaned_data
    context: dict[str, Any] = {"strategy": chosen["strategy"], "judge": chosen["judge"], "sent": form.sent}
    if isinstance(found, Preview):
        lines = [
            StratumLine(
                stratum_words(share.name),
                share.part.size,
                share.part.drawn,
                share.taken,
                _stands_for(share.probability),
            )
            for share in found.shares
        ]
        context |= {"plan": found, "lines": lines, "again": any(line.before for line in lines)}
        return context | {"taken": found.taken, "rate": percent(found.pass_rate)}
    return context | {"frame": found, "taken": min(found, chosen["most"])}


def _made_before(request: Request, criteria_set: CriteriaSet) -> dict[str, Any]:
    made = Draw.objects.by_leads().filter(version__criteria_set=criteria_set)
    found = made.select_related("created_by", "version").with_progress().order_by("-pk")
    page = page_of(found, request, _PER_PAGE)
    return {"page": page, "shown": _shown(list(page))}


def _shown(draws: Sequence[Draw]) -> list[ShownDraw]:
    strata = drawn_of([draw for draw in draws if draw.strategy == Draw.Strategy.STRATIFIED])
    return [
        ShownDraw(
            draw,
            [
                f"{stratum_words(each['stratum'])}: {many(each['rows'], 'row')}, "
                f"each stands for {_stands_for(each['probability'])} once all are settled"
                for each in sorted(strata.get(draw.pk, []), key=_place)
            ],
        )
        for draw in draws
    ]


def _place(stratum: Any) -> tuple[int, int]:
    side, _, wave = stratum["stratum"].partition(" ")
    return int(wave or 1), list(_WORDS).index(side)


def stratum_words(name: str) -> str:
    """The name of a stratum in words: what the judge said, and since which draw its rows have been there."""
    side, _, wave = name.partition(" ")
    return _WORDS[side] + (f", came after draw by verdict {int(wave) - 1}" if wave else "")


def _stands_for(probability: float | None) -> str:
    """How many rows each drawn one counts as: "1", "12.5"; a dash where none was drawn."""
    return f"{1 / probability:,.1f}".removesuffix(".0") if probability else "–"
