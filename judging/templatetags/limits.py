"""`{% provider_waits run %}`: the limits that hold a run up now, with a link to where they are set."""

from typing import Any

from django import template

from judging.models import Run
from judging.services.providers import waits_of

register = template.Library()


@register.inclusion_tag("judging/run_limits.html")
def provider_waits(run: Run) -> dict[str, Any]:
    """Nothing where nothing waits."""
    return {"waits": waits_of(run)}
