"""A form that is sent after the session ended: nothing is saved, and what was typed is not lost."""

import pytest
from django.test import Client

from labeling.models import Label, Ruling
from tests.factories import live, make_candidate, make_criteria_set, make_label, make_user

pytestmark = pytest.mark.django_db
TYPED = "It leaves out <b>the date</b>."


def test_a_label_without_a_script(client: Client) -> None:
    criteria_set = make_criteria_set("replies")
    row = {"candidate": make_candidate(criteria_set, slots=1).pk, "version": live(criteria_set).pk}

    answer = client.post(
        "/sets/replies/label/",
        {**row, "verdict": "fail", "comment": TYPED},
        headers={"referer": "http://testserver/sets/replies/label/"},
    )

    page = answer.content.decode()
    assert answer.status_code == 401
    assert "It leaves out &lt;b&gt;the date&lt;/b&gt;." in page
    assert "/login/?next=%2Fsets%2Freplies%2Flabel%2F" in page
    assert not Label.objects.exists()


def test_a_ruling_whose_own_address_only_takes_forms(client: Client) -> None:
    criteria_set = make_criteria_set("replies")
    row = make_candidate(criteria_set)
    make_label(row, make_user(), "pass")
    rulings = "/sets/replies/rulings/"

    answer = client.post(
        f"{rulings}{row.pk}/", {"verdict": "pass", "reason": TYPED}, headers={"referer": f"http://x{rulings}"}
    )

    assert "the date" in answer.content.decode()
    assert "next=%2Fsets%2Freplies%2Frulings%2F" in answer.content.decode()
    assert not Ruling.objects.exists()


def test_a_form_in_which_nothing_was_typed_leads_to_the_login(client: Client) -> None:
    answer = client.post("/sets/replies/label/", {"candidate": "1", "version": "1", "verdict": "pass"})

    assert answer.status_code == 302
    assert answer.headers["Location"] == "/accounts/login/?next=/sets/replies/label/"


def test_no_password_is_shown(client: Client) -> None:
    answer = client.post("/sets/replies/settings/", {"password": "my secret words", "name": "A new name"})

    assert "A new name" in answer.content.decode()
    assert "my secret words" not in answer.content.decode()
