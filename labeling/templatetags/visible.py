"""Showing texts that others wrote, in templates: `{% show_text text %}` and `{{ text|visible }}`."""

from typing import Any

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from labeling.domain import visible as domain

register = template.Library()


@register.filter
def visible(text: object) -> SafeString:
    """A short text, escaped, with hidden and direction-changing characters shown as tokens."""
    return format_html_join("", "{}", ((_piece(piece),) for piece in domain.visible(str(text))))


def _piece(piece: domain.Piece) -> str:
    if isinstance(piece, domain.Plain):
        return piece.text
    return format_html('<span class="token" title="{}">{}</span>', piece.title, piece.text)


@register.inclusion_tag("labeling/label_text.html")
def show_text(text: str, rest_url: str = "", fold_at: int = domain.FOLD_AT) -> dict[str, Any]:
    """A text in blocks, folded where long; what is too long for a page is fetched from `rest_url`."""
    shown = domain.show(text, fold_at=fold_at)
    return {"shown": shown, "rest_url": rest_url, "start": shown.characters - shown.unsent}
