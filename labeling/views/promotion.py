"""Before another version is made live: what happens to each gate, and what has to be confirmed."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from labeling.access import AnyUser, get_led_set, led_sets
from labeling.models import CriteriaSet
from labeling.services.criteria import promote_version
from labeling.services.promotions import (
    ClosesElsewhere,
    ClosesGates,
    GateChange,
    NotPromoted,
    gate_changes,
    live_before,
    promotions_of,
)
from labeling.views.scope import head
from vera_site.http import Request


class Confirmed(TypedDict):
    """What somebody saw and confirmed, as the services that promote take it."""

    confirmed: set[int]
    seen: int


@dataclass(frozen=True, slots=True)
class Asked:
    """A version that may be made live. `shown`: gates of sets that the reader leads; others are counted only.

    `name`: of what it is a version, such as a judge's slug. `live`: number of the version that is live now.
    """

    name: str
    number: int
    live: int | None
    shown: list[GateChange]
    elsewhere: list[GateChange]
    closing: list[GateChange]

    @property
    def refusals(self) -> list[str]:
        """Why a gate that the reader leads would close, where its versions were measured and refused."""
        return [
            f"{each.after} was measured and is not certified: {each.why_not}"
            for each in self.shown
            if each.closes and each.why_not
        ]

    @property
    def is_live(self) -> bool:
        return self.number == self.live

    @property
    def goes_back(self) -> bool:
        return self.live is not None and self.number < self.live

    @property
    def closing_elsewhere(self) -> int:
        """Open gates that would close on criteria sets that the reader does not lead: then it is refused."""
        return sum(each.closes for each in self.elsewhere)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def criteria_promote(request: Request, slug: str, number: int) -> HttpResponse:
    """Make a version the live one; 409 with what has to be confirmed where that closes an open gate."""
    criteria_set = get_led_set(request.user, slug)
    version, refused = get_object_or_404(criteria_set.versions, number=number), None
    changes = gate_changes(version)
    if request.method == "POST":
        try:
            promote_version(
                criteria_set=criteria_set, version=version, actor=request.user, **confirmed_in(request)
            )
        except NotPromoted as problem:
            refused = refusal(problem)
        else:
            messages.success(request, what_happened(number, changes))
            return redirect("criteria", slug)
    criteria_set.refresh_from_db()
    live = criteria_set.live_version
    context = head(request.user, criteria_set, "criteria") | {
        "calibrate": f"?criteria_version={version.pk}",
        "asked": asked_about(slug, number, live.number if live else None, changes, request.user),
        "refused": refused,
    }
    return render(request, "labeling/criteria_promote.html", context, status=409 if refused else 200)


def past_of(criteria_set: CriteriaSet) -> dict[str, Any]:
    """Template context of `labeling/promotions.html`: what was live when, and what to go back to."""
    live = criteria_set.live_version.number if criteria_set.live_version else None
    promotions = promotions_of(criteria_set)
    back = live_before(promotions, live)
    back_url = reverse("criteria_promote", args=[criteria_set.slug, back]) if back else ""
    return {"promotions": promotions, "live": live, "back": back, "back_url": back_url}


def asked_about(
    name: str, number: int, live: int | None, changes: Sequence[GateChange], user: AnyUser
) -> Asked:
    """What the page before a promotion shows to `user`."""
    led = set(led_sets(user).values_list("pk", flat=True))
    shown = [each for each in changes if each.criteria_set_id in led]
    elsewhere = [each for each in changes if each.criteria_set_id not in led]
    return Asked(name, number, live, shown, elsewhere, [each for each in changes if each.closes])


def confirmed_in(request: HttpRequest) -> Confirmed:
    """What the form says: gates that may close, and the live version that was shown.

    Raises `NotPromoted` where it does not say what was shown: then nobody looked.
    """
    seen = _numbers(request.POST, "seen")
    if len(seen) != 1:
        raise NotPromoted("Nothing is changed: look first at what this would do, and then press the button.")
    return {"confirmed": set(_numbers(request.POST, "closes")), "seen": seen[0]}


def _numbers(data: QueryDict, name: str) -> list[int]:
    words = data.getlist(name)
    return [int(word) for word in words if word.isascii() and word.isdecimal() and len(word) < 10]


def refusal(problem: NotPromoted) -> str:
    """Why nothing was changed. Gates are not named here: the reader may not lead the sets of all of them."""
    if isinstance(problem, ClosesElsewhere):
        return "Nothing is changed: this closes what is open elsewhere. See below whom to ask."
    if isinstance(problem, ClosesGates):
        return (
            "Nothing is changed yet: this closes what is open now. See below, and confirm it if it is meant."
        )
    return str(problem)


def what_happened(number: int, changes: Collection[GateChange]) -> str:
    """What promoting did, for the person who pressed the button."""
    words = [f"Version {number} is live."]
    for verb, those in (
        ("opened", [each for each in changes if each.opens]),
        ("closed", [each for each in changes if each.closes]),
    ):
        if those:
            words.append(f"{len(those)} gate{'s' * (len(those) > 1)} {verb}.")
    return " ".join(words)
