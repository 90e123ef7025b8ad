"""When a judge may be trusted: the policy of a criteria set, and what a change of it would do."""

import hashlib
from collections.abc import Sequence
from typing import Any, NamedTuple, cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from labeling.access import get_led_set
from labeling.domain.agreement import Table, Undefined, labels_needed
from labeling.domain.criteria import InvalidCriteria
from labeling.forms.policy import PolicyForm
from labeling.models import Candidate, CriteriaSet
from labeling.services.criteria_settings import SetChanges, changed_settings, update_set, with_changes
from labeling.services.policies import Consequence, foretold
from labeling.views.scope import head
from vera_site.http import Request

_KAPPAS = (0.7, 0.75, 0.8, 0.85, 0.9)


class Cost(NamedTuple):
    """Rows that would show, in four cases of five, that a judge of this true kappa is above the bar."""

    kappa: str
    rows: int


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def set_policy(request: Request, slug: str) -> HttpResponse:
    criteria_set = get_led_set(request.user, slug)
    form = PolicyForm(request.POST or None, instance=get_led_set(request.user, slug))
    context = head(request.user, criteria_set, "settings") | {
        "form": form,
        "costs": costs_of(criteria_set),
        "beyond_plan": beyond_plan(criteria_set),
    }
    if not form.is_valid():
        return render(request, "labeling/policy.html", context, status=422 if form.is_bound else 200)
    changes = cast(SetChanges, form.cleaned_data)
    try:
        consequences = foretold(with_changes(criteria_set, changes))
    except InvalidCriteria as invalid:
        form.add_error(None, str(invalid))
        return render(request, "labeling/policy.html", context, status=422)
    seen = digest_of(changes, consequences)
    if consequences and request.POST.get("seen") != seen:
        return render(request, "labeling/policy.html", context | {"foretold": consequences, "seen": seen})
    return save(request, criteria_set, changes)


def save(request: Request, criteria_set: CriteriaSet, changes: SetChanges) -> HttpResponse:
    """Save what was asked, and say what that did."""
    if changed_settings(criteria_set, changes):
        update_set(criteria_set=criteria_set, actor=request.user, **changes)
        messages.success(
            request, "The policy is saved. What became laxer counts from each judge’s next run on."
        )
    else:
        messages.info(request, "Nothing changed: the policy says just this already.")
    return redirect("set_policy", criteria_set.slug)


def digest_of(changes: SetChanges, consequences: Sequence[Consequence]) -> str:
    """What somebody was shown before saving: the values and what they would do."""
    shown = repr((sorted(changes.items()), [(each.words, each.each) for each in consequences]))
    return hashlib.sha256(shown.encode()).hexdigest()


def beyond_plan(criteria_set: CriteriaSet) -> int:
    """The settled rows that certify, where there are more than the saved plan ends at; else 0."""
    if criteria_set.live_version is None:
        return 0
    golden = Candidate.objects.filter(criteria_set=criteria_set, split="certify")
    rows: int = golden.golden(criteria_set.live_version).count()
    return rows if rows > criteria_set.n_max else 0


def costs_of(criteria_set: CriteriaSet) -> list[Cost]:
    """What the rule “bound” costs in rows, where people pass half of them, by the judge's true kappa."""
    return [Cost(f"{kappa:.2f}", rows) for kappa in _KAPPAS if (rows := rows_for(kappa, criteria_set))]


def rows_for(kappa: float, criteria_set: CriteriaSet) -> int | None:
    """None where no number of rows would show it."""
    agreed = round(1000 * (1 + kappa))
    table: Any = Table(agreed, 2000 - agreed, 2000 - agreed, agreed)
    try:
        return labels_needed(table, kappa, float(criteria_set.bar))
    except Undefined:
        return None
