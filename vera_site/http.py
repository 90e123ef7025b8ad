"""What every view shares: the typed request, and answering with a page or with one part of it."""

from django.contrib.auth.models import User
from django.http import HttpRequest
from django_htmx.middleware import HtmxDetails


class Request(HttpRequest):
    """A request behind `login_required`: its user is a real one and htmx details are attached."""

    user: User
    htmx: HtmxDetails


def part(request: HttpRequest, template: str, name: str) -> str:
    """The template's name for a page load, `template#name` when htmx asked for that part of it."""
    return f"{template}#{name}" if getattr(request, "htmx", False) else template
