"""Who may open what, over every address of labeling that names a criteria set."""

from collections.abc import Iterator

import pytest
from django.test import Client
from django.urls import URLPattern, reverse
from django.urls.resolvers import RoutePattern

from labeling.models import CriteriaSet, ImportBatch, ImportJob
from labeling.urls import urlpatterns
from tests.factories import live, make_candidate, make_criteria_set, make_label, make_user

pytestmark = pytest.mark.django_db

LABELERS_MAY = {
    "label",
    "label_draft",
    "label_hold",
    "label_history",
    "label_edit",
    "label_text",
    "golden",
    "candidate",
    "criteria",
    "set",
    "criteria_compare",
    "guidelines",
    "guidelines_history",
}


def of_a_set(pattern: URLPattern) -> bool:
    return isinstance(pattern.pattern, RoutePattern) and "slug" in pattern.pattern.converters


NAMES = sorted({str(pattern.name) for pattern in urlpatterns if of_a_set(pattern)})
WITH_AN_ID = sorted(
    {
        str(pattern.name)
        for pattern in urlpatterns
        if of_a_set(pattern) and {"pk", "candidate_id"} & set(pattern.pattern.converters)
    }
)


def batch_of(criteria_set: CriteriaSet) -> ImportBatch:
    return ImportBatch.objects.create(
        criteria_set=criteria_set, version=live(criteria_set), file_name="a.jsonl"
    )


def addresses(name: str, criteria_set: CriteriaSet) -> Iterator[str]:
    """The address of that name for things that belong to `criteria_set`."""
    row = criteria_set.candidates.get()
    jobs = ("import_job", "import_piece", "import_again", "import_discard", "import_refused")
    owners = {
        "member_remove": criteria_set.memberships.get(role="labeler"),
        "import_batch": batch_of(criteria_set),
        **dict.fromkeys(jobs, ImportJob.objects.create(criteria_set=criteria_set, stored_as="0", size=1)),
    }
    known = {
        "slug": criteria_set.slug,
        "pk": owners.get(name, row).pk,
        "candidate_id": row.pk,
        "number": 1,
        "field": "output",
        "kind": "refused.csv",
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


@pytest.mark.parametrize("name", WITH_AN_ID)
def test_an_id_of_another_set_is_not_found_under_ones_own(
    client: Client, criteria_set: CriteriaSet, name: str
) -> None:
    other = make_criteria_set("other")
    client.force_login(make_user(lead_of=other))

    for address in addresses(name, criteria_set):
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
