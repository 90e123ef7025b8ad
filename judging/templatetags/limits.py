"""Providers on pages.

`{% provider_waits run is_stalled %}`: what holds a run up now, with a link to where limits are set.
`{{ name|provider }}`: a provider's name in words; with `|breakable` it may be broken after underscores.
"""

from typing import Any

from django import template
from django.conf import settings
from django.utils.html import format_html_join
from django.utils.safestring import SafeString, mark_safe

from judging.domain.pacing import provider_words
from judging.models import Run
from judging.services.providers import waits_of

register = template.Library()
register.filter("provider", provider_words)


@register.filter
def breakable(name: str) -> SafeString:
    """A long name that may be broken after its underscores, not within its words."""
    return format_html_join(mark_safe("_<wbr>"), "{}", ((part,) for part in name.split("_")))


@register.inclusion_tag("judging/run_limits.html")
def provider_waits(run: Run, is_stalled: bool) -> dict[str, Any]:
    """Nothing where nothing waits. `is_stalled`: no row came back lately, which may have another reason."""
    return {"waits": waits_of(run), "is_stalled": is_stalled, "patience": settings.VERA_PROVIDER_PATIENCE}
