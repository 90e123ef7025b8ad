"""Every address of judging that names a criteria set, or something in one, is 404 to another set's readers.

The addresses come from the URL list itself, so that a new one is tried without anybody thinking of it.
"""

from collections.abc import Iterator

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver
from django.urls.converters import IntConverter

from judging import urls
from judging.models import Run
from judging.services.tokens import create_token
from labeling.models import CriteriaSet
from tests.factories import make_criteria_set, make_judge, make_user
from tests.judging.golden import certified, make_run

pytestmark = pytest.mark.django_db


def patterns(entries: list[URLPattern | URLResolver], before: str = "") -> Iterator[tuple[str, URLPattern]]:
    """Every address below `entries` with its pattern."""
    for entry in entries:
        route = before + str(entry.pattern)
        if isinstance(entry, URLResolver):
            yield from patterns(entry.url_patterns, route)
        else:
            yield route, entry


# Numbers of things that are no set's: judges belong to all leads. Pages of these name no set of others.
OF_ALL_LEADS = {"judges/<slug:slug>/<int:number>/promote/"}


def names_a_set(pattern: URLPattern) -> bool:
    converters = pattern.pattern.converters
    return "criteria" in converters or any(isinstance(each, IntConverter) for each in converters.values())


ADDRESSES = {
    route: pattern
    for route, pattern in patterns(urls.urlpatterns)
    if names_a_set(pattern) and route not in OF_ALL_LEADS
}


@pytest.fixture
def theirs() -> CriteriaSet:
    criteria_set = make_criteria_set("theirs")
    certified(make_run(make_judge("strict"), criteria_set, a=3, b=2))
    return criteria_set


def address(route: str) -> str:
    """The address with everything in it that belongs to the other set."""
    path = "/" + route
    for name, converter in ADDRESSES[route].pattern.converters.items():
        number = isinstance(converter, IntConverter)
        value = (
            str(Run.objects.get().pk) if number else {"criteria": "theirs", "cell": "b"}.get(name, "strict")
        )
        path = (
            path.replace(f"<{name}>", value).replace(f"<slug:{name}>", value).replace(f"<int:{name}>", value)
        )
    return path


def test_there_are_addresses_to_try() -> None:
    assert {"dashboard/<slug:judge>/<slug:criteria>/", "api/v1/gate/<judge>/<criteria>"} <= set(ADDRESSES)


@pytest.mark.parametrize("route", ADDRESSES)
def test_another_sets_session_finds_nothing(theirs: CriteriaSet, client: Client, route: str) -> None:
    client.force_login(make_user(lead_of=make_criteria_set("mine")))

    assert client.get(address(route)).status_code in ({401} if needs_token(route) else {404, 405})


@pytest.mark.parametrize("route", [route for route in ADDRESSES if route.startswith("api/")])
def test_another_sets_token_finds_nothing(theirs: CriteriaSet, route: str) -> None:
    mine = make_criteria_set("mine")
    _, secret = create_token(name="mine", scopes=["admin"], criteria_sets=[mine])

    response = Client(headers={"Authorization": f"Bearer {secret}"}).get(address(route))

    assert response.status_code == 404


def needs_token(route: str) -> bool:
    """The API takes tokens only, but for the badge, which browsers show."""
    return route.startswith("api/") and "badge" not in route
