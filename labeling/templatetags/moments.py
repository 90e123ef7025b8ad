"""Showing times: `{{ run.created_at|moment }}`. Every time on a page is shown by this."""

from datetime import datetime

from django import template
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()


@register.filter
def moment(time: datetime | None) -> SafeString:
    """A time in the zone that the browser named, else in UTC and saying so, which vera.js then corrects."""
    if time is None:
        return SafeString("–")
    words = date_format(timezone.localtime(time), "j M Y, H:i")
    if timezone.get_current_timezone_name() == "UTC":
        words += " UTC"
    return format_html('<time datetime="{}">{}</time>', time.isoformat(), words)
