"""Showing times: `{{ run.created_at|moment }}`, `|clock` of today, `|day`. Every time is shown by these."""

from datetime import date, datetime

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


@register.filter
def clock(time: datetime) -> SafeString:
    """The time of day alone, for what changes while one looks on; as `moment` otherwise."""
    words = date_format(timezone.localtime(time), "H:i")
    if timezone.get_current_timezone_name() == "UTC":
        words += " UTC"
    return format_html('<time datetime="{}">{}</time>', time.isoformat(), words)


@register.filter
def day(date: date) -> str:
    """A day, such as 3 Mar, for what is counted by days: it has no zone any more."""
    return date_format(date, "j M")
