"""Showing plain text with light structure: `{% for block in text|blocks %}`."""

from django import template

from labeling.domain import light_text

register = template.Library()


@register.filter
def blocks(text: str) -> list[light_text.Block]:
    """Its headings, lists and paragraphs, of which each line is still a text to be shown by `visible`."""
    return light_text.blocks(text)
