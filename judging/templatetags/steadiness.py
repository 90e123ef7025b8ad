"""`{% steadiness shown %}` on a judge's page: how often its versions contradict themselves."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from django import template
from django.template import Context
from django.urls import reverse

from judging.services.consistency import measured
from judging.views.judges import ShownVersion
from judging.views.run_consistency import steadiness_lines
from labeling.access import led_sets

register = template.Library()

_REPEATS = 3


@register.inclusion_tag("judging/steadiness.html", takes_context=True)
def steadiness(context: Context, shown: Sequence[ShownVersion]) -> dict[str, Any]:
    """What runs with repeats say of these versions, as judges of their own and as jurors; two queries."""
    versions = {each.version.pk for each in shown}
    runs = measured(versions, led_sets(context["request"].user))
    own = {run.pk for run in runs if run.judge_version_id in versions}
    lines = [each for each in steadiness_lines(runs) if each.run.pk in own or each.judge.pk in versions]
    return {"lines": lines, "start": _address(shown[0]) if shown else ""}


def _address(newest: ShownVersion) -> str:
    """The form for a new run, filled in for the newest version on the criteria it stands on."""
    asked: dict[str, Any] = {"kind": "consistency", "judge_version": newest.version.pk, "repeats": _REPEATS}
    if newest.standings:
        asked |= {"criteria_version": newest.standings[0].criteria_version.pk, "rows": "all"}
    return f"{reverse('run_new')}?{urlencode(asked)}"
