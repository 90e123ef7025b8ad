"""What every view shares: the typed request, what is refused before any view, a page or one part of it."""

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlencode, urlsplit
from zoneinfo import ZoneInfo

from django.contrib.auth.models import User
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django_htmx.middleware import HtmxDetails

_LONGEST_ZONE = 64  # characters; the longest name there is has half as many


class Request(HttpRequest):
    """A request behind `login_required`: its user is a real one and htmx details are attached."""

    user: User
    htmx: HtmxDetails


def storable_requests(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware: refuse (400) what no database could look up or keep.

    That is a NUL in the address, which PostgreSQL takes in no text, and a form that is not in UTF-8, which
    could hold halves of characters.
    """

    def answer(request: HttpRequest) -> HttpResponse:
        if "\0" in request.path_info or "%00" in request.META.get("QUERY_STRING", ""):
            raise BadRequest("The address has a NUL character.")
        charset = (request.content_params or {}).get("charset", "utf-8")
        if charset.lower() not in {"utf-8", "utf8"}:
            raise BadRequest("What was sent is not in UTF-8.")
        return get_response(request)

    return answer


def private_pages(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware: what depends on who is logged in is kept by nobody, unless its view says otherwise."""

    def answer(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if "Cookie" in response.get("Vary", "") and "Cache-Control" not in response:
            response["Cache-Control"] = "private, no-store"
        return response

    return answer


def whole_page_logs_in(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware: who is logged out while a part of a page asks for itself logs in on the whole page."""

    def answer(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        to_login = response.status_code == 302 and response.headers["Location"].startswith(reverse("login"))
        if to_login and request.headers.get("HX-Request") == "true":
            return HttpResponse(status=204, headers={"HX-Refresh": "true"})
        return response

    return answer


def what_was_typed_is_shown(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware: who sends a form and is logged out by now reads what they had typed, to take it along.

    A redirect to the login page would throw it away. 401; a form in which nothing was typed is redirected.
    """

    def answer(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        to_login = response.status_code == 302 and response.headers["Location"].startswith(reverse("login"))
        if request.method != "POST" or not to_login:
            return response
        typed = [word for name in request.POST for word in request.POST.getlist(name) if is_typed(name, word)]
        if not typed:
            return response
        came_from = urlsplit(request.headers.get("Referer", "")).path or reverse("home")
        context = {"typed": typed, "login": f"{reverse('login')}?{urlencode({'next': came_from})}"}
        return render(request, "logged_out.html", context, status=401)

    return answer


def is_typed(name: str, word: str) -> bool:
    """Whether a value of a form is something that somebody wrote, rather than chose or was given."""
    return " " in word.strip() and not any(secret in name for secret in ("password", "secret", "token"))


def readers_zone(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware: times, and what “today” is, are those of the zone that the browser named in a cookie."""

    def answer(request: HttpRequest) -> HttpResponse:
        with timezone.override(zone_named(request.COOKIES.get("zone", ""))):
            return get_response(request)

    return answer


def zone_named(name: str) -> ZoneInfo | None:
    """The zone of that name, such as Europe/Berlin. None, which is the site's own, for every other word."""
    try:
        # A name of hundreds of folders is looked for so deep that Python gives up.
        return ZoneInfo(name) if 0 < len(name) <= _LONGEST_ZONE else None
    except (ValueError, OSError, KeyError):  # not a name, no file, no such zone
        return None


def whole(word: str) -> int:
    """The number that a word of an address or a form is, such as an id or a count; 0 for nonsense.

    At most 18 digits, so that every database can look for it.
    """
    return int(word) if word.isascii() and word.isdecimal() and len(word) < 19 else 0


def tried_name(request: HttpRequest, credentials: Mapping[str, Any] | None = None) -> str:
    """The user name of an attempt to log in, no longer than can be recorded."""
    return str((credentials or request.POST).get("username", ""))[:255]


def part(request: HttpRequest, template: str, name: str) -> str:
    """The template's name for a page load, `template#name` when htmx asked for that part of it."""
    return f"{template}#{name}" if getattr(request, "htmx", False) else template
