"""Who may open what, over every address of labeling that names a criteria set."""

from collections.abc import Iterator

import pytest
from django.test import Client
from django.urls import URLPattern, reverse
from django.urls.resolvers import RoutePattern

from labeling.models import CriteriaSet
from labeling.urls import urlpatterns
from tests.factories import make_candidate, make_criteria_set, make_label, make_user

pytestmark = pytest.mark.django_db

LABELERS_MAY = {"label", "label_draft", "label_text", "golden", "candidate", "criteria"}


def of_a_set(pattern: URLPattern) -> bool:
    return isinstance(pattern.pattern, RoutePattern) and "slug" in pattern.pattern.converters


NAMES = sorted({str(pattern.name) for pattern in urlpatterns if of_a_set(pattern)})


def addresses(name: str, criteria_set: CriteriaSet) -> Iterator[str]:
    """The address of that name for things that belong to `criteria_set`."""
    row = criteria_set.candidates.get()
    known = {
        "slug": criteria_set.slug,
        "pk": criteria_set.memberships.get(role="labeler").pk if name == "member_remove" else row.pk,
        "candidate_id": row.pk,
        "number": 1,
        "field": "output",
    }
    for pattern in urlpatterns:
        if pattern.name == name:
            yield reverse(name, kwargs={word: known[word] for word in pattern.pattern.converters})


@pytest.fixture
def criteria_set() -> CriteriaSet:
    """A set with a row, a label, a lead and a labeler."""
    made = make_criteria_set("secret")
    make_user("lead", lead_of=made)
    make_label(make_candidate(made, slots=1), make_user("labeler", labels=made))
    return made


@pytest.mark.parametrize("method", ["get", "post"])
@pytest.mark.parametrize("name", NAMES)
def test_a_stranger_gets_404_or_is_told_the_method_is_wrong(
    client: Client, criteria_set: CriteriaSet, name: str, method: str
) -> None:
    client.force_login(make_user(lead_of=make_criteria_set("other")))

    for address in addresses(name, criteria_set):
        assert getattr(client, method)(address).status_code in {404, 405}


@pytest.mark.parametrize("name", NAMES)
def test_an_id_of_another_set_is_not_found_under_ones_own(
    client: Client, criteria_set: CriteriaSet, name: str
) -> None:
    other = make_criteria_set("other")
    client.force_login(make_user(lead_of=other))

    for address in addresses(name, criteria_set):
        if any(part.isdecimal() for part in address.split("/")) and name != "criteria_promote":
            borrowed = address.replace("/secret/", "/other/")
            assert {client.get(borrowed).status_code, client.post(borrowed).status_code} <= {404, 405}


@pytest.mark.parametrize("name", sorted(set(NAMES) - LABELERS_MAY))
def test_a_labeler_is_refused_a_leads_pages(client: Client, criteria_set: CriteriaSet, name: str) -> None:
    client.force_login(criteria_set.memberships.get(role="labeler").user)

    for address in addresses(name, criteria_set):
        statuses = {client.get(address).status_code, client.post(address).status_code}
        assert 403 in statuses
        assert statuses <= {403, 405}


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_accepted_without_the_forms_token(criteria_set: CriteriaSet, name: str) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(criteria_set.memberships.get(role="lead").user)

    for address in addresses(name, criteria_set):
        assert client.post(address).status_code in {403, 405}


@pytest.mark.parametrize("name", NAMES)
def test_who_is_not_logged_in_gets_no_page(client: Client, criteria_set: CriteriaSet, name: str) -> None:
    for address in addresses(name, criteria_set):
        assert client.get(address).status_code in {302, 405}


def test_only_an_administrator_makes_sets(client: Client, criteria_set: CriteriaSet) -> None:
    client.force_login(criteria_set.memberships.get(role="lead").user)

    assert client.get("/sets/new/").status_code == 403
    assert client.post("/sets/new/").status_code == 403
