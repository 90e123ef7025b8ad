"""`{% provider_waits run is_stalled %}`: what holds a run up now, with a link to where limits are set."""

from typing import Any

from django import template
from django.conf import settings

from judging.models import Run
from judging.services.providers import waits_of

register = template.Library()


@register.inclusion_tag("judging/run_limits.html")
def provider_waits(run: Run, is_stalled: bool) -> dict[str, Any]:
    """Nothing where nothing waits. `is_stalled`: no row came back lately, which may have another reason."""
    return {"waits": waits_of(run), "is_stalled": is_stalled, "patience": settings.VERA_PROVIDER_PATIENCE}
