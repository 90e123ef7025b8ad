"""The page of conflicts: decided in a form, told what came of it."""

import pytest
from django.test import Client

from labeling.models import Candidate, Exposure, Ruling
from labeling.services.exposures import record_exposure
from tests.factories import live, make_candidate, make_criteria_set, make_label, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def row(client: Client) -> Candidate:
    """A row in conflict; the client is its lead's."""
    candidate = make_candidate(make_criteria_set("notes"))
    for name, verdict in (("ada", "pass"), ("bo", "fail")):
        make_label(candidate, make_user(name, labels=candidate.criteria_set), verdict)
    client.force_login(make_user("lead", lead_of=candidate.criteria_set))
    return candidate


def test_a_conflict_is_listed_with_both_sides_and_noted(client: Client, row: Candidate) -> None:
    text = client.get("/sets/notes/rulings/").text

    assert "ada" in text
    assert "bo" in text
    assert Exposure.objects.get().what == "labels"


def test_a_ruling_takes_the_row_off_the_list(client: Client, row: Candidate) -> None:
    answer = client.post(
        f"/sets/notes/rulings/{row.pk}/", {"verdict": "fail", "reason": "No owner.", "seen": ""}, follow=True
    )

    assert f"Row {row.pk} is ruled fail" in answer.text
    assert "No conflicts" in answer.text


def test_a_lead_who_saw_a_verdict_is_told_that_it_settles_nothing(client: Client, row: Candidate) -> None:
    lead = row.criteria_set.memberships.get(role="lead").user
    record_exposure(
        user=lead, version=live(row.criteria_set), candidate_ids=[row.pk], what=Exposure.What.VERDICTS
    )
    assert "ask another lead to rule" in client.get("/sets/notes/rulings/").text

    answer = client.post(
        f"/sets/notes/rulings/{row.pk}/", {"verdict": "pass", "reason": "Fine."}, follow=True
    )

    assert "stays contested" in answer.text
    assert f"Row {row.pk}" in client.get("/sets/notes/rulings/").text


def test_a_ruling_without_a_reason_comes_back_with_the_form(client: Client, row: Candidate) -> None:
    answer = client.post(f"/sets/notes/rulings/{row.pk}/", {"verdict": "pass", "reason": " "})

    assert answer.status_code == 422
    assert "Say in a sentence why" in answer.text
    assert not Ruling.objects.exists()


def test_overruling_names_the_ruling_that_was_read(client: Client, row: Candidate) -> None:
    address = f"/sets/notes/rulings/{row.pk}/"
    client.post(address, {"verdict": "fail", "reason": "No owner."})
    standing = Ruling.objects.get()

    unread = client.post(address, {"verdict": "pass", "reason": "It has."})
    read = client.post(address, {"verdict": "pass", "reason": "It has.", "seen": standing.pk})

    assert (unread.status_code, read.status_code) == (422, 302)
    assert "meanwhile" in unread.text
    assert Ruling.objects.current().get().verdict == "pass"
