"""Criteria sets and versions put aside: out of sight, closed, whole, and back again."""

from io import BytesIO

import pytest
from django.contrib.auth.models import User
from django.test import Client

from labeling.models import AuditEvent, CriteriaSet
from labeling.services.archiving import Archived, check_open
from labeling.services.criteria import IsArchived, add_version, promote_version, spec_of
from labeling.services.imports import ImportProblem, import_golden
from tests.factories import live, make_candidate, make_criteria_set, make_user, make_version

pytestmark = pytest.mark.django_db


@pytest.fixture
def criteria_set(client: Client) -> CriteriaSet:
    """A set with a row that waits, whose lead the client is."""
    made = make_criteria_set("notes")
    make_candidate(made, slots=1)
    client.force_login(make_user("lead", lead_of=made))
    return made


def test_a_set_is_archived_after_one_saw_what_that_does(client: Client, criteria_set: CriteriaSet) -> None:
    asked = client.get("/sets/notes/archive/").text
    assert "1 row that waits for a label" in asked
    assert "gates go on answering" in asked

    home = client.post("/sets/notes/archive/", follow=True).text

    criteria_set.refresh_from_db()
    assert criteria_set.archived_at
    assert "Archived (1)" in home
    assert "<h2><a" not in home
    assert 'href="/sets/notes/archive/">Restore' in home
    assert AuditEvent.objects.get().action == "criteria_set_archived"


def test_an_archived_set_takes_no_labels_and_can_be_read(client: Client, criteria_set: CriteriaSet) -> None:
    client.post("/sets/notes/archive/")

    assert "This criteria set is archived" in client.get("/sets/notes/golden/").text
    assert "Say hello." not in client.get("/sets/notes/label/").text
    criteria_set.refresh_from_db()
    with pytest.raises(Archived):
        check_open(criteria_set)
    with pytest.raises(ImportProblem, match="archived: it takes no labels and no rows"):
        import_golden(stream=BytesIO(b'{"candidate": "Hello."}'), file_name="a.jsonl", slug="notes")


def test_it_comes_back_as_it_was(client: Client, criteria_set: CriteriaSet) -> None:
    client.post("/sets/notes/archive/")

    client.post("/sets/notes/archive/", {"restore": 1})

    assert "Say hello." in client.get("/sets/notes/label/").text
    assert "<h2><a" in client.get("/").text


def test_a_labeler_archives_nothing(client: Client, criteria_set: CriteriaSet) -> None:
    client.force_login(make_user(labels=criteria_set))

    assert client.post("/sets/notes/archive/").status_code == 403
    assert "Restore it" not in client.get("/sets/notes/golden/").text


def test_a_draft_put_aside_is_folded_and_promoted_only_after_it_was_restored(
    client: Client, criteria_set: CriteriaSet
) -> None:
    draft, lead = make_version(criteria_set), User.objects.get(username="lead")

    page = client.post("/sets/notes/criteria/2/archive/", follow=True).text
    with pytest.raises(IsArchived, match="restore it first"):
        promote_version(criteria_set=criteria_set, version=draft, actor=lead)
    client.post("/sets/notes/criteria/2/archive/", {"restore": 1})

    assert "Put aside (1)" in page
    assert 'id="version-2"' not in page
    assert promote_version(criteria_set=criteria_set, version=draft, actor=lead).live_version == draft


def test_the_live_version_is_not_put_aside(client: Client, criteria_set: CriteriaSet) -> None:
    answer = client.post("/sets/notes/criteria/1/archive/", follow=True)

    assert "promote another one first" in answer.text
    assert not criteria_set.versions.filter(archived_at__isnull=False).exists()


def test_a_new_version_is_compared_with_the_newest_that_is_not_put_aside(
    client: Client, criteria_set: CriteriaSet
) -> None:
    version = live(criteria_set)
    first = add_version(criteria_set=criteria_set, spec=spec_of(version))
    client.post(f"/sets/notes/criteria/{first.number}/archive/")

    assert first.number == 2
    assert add_version(criteria_set=criteria_set, spec=spec_of(version)).number == 3
