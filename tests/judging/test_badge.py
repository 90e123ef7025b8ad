"""The badge."""

import xml.etree.ElementTree as ET

import pytest
from django.test import Client

from judging.services.tokens import create_token
from labeling.models import CriteriaSet
from tests.factories import make_criteria_set, make_judge, make_user
from tests.judging.golden import certified, make_run

pytestmark = pytest.mark.django_db

URL = "/api/v1/badge/strict/replies.svg"


@pytest.fixture
def criteria_set() -> CriteriaSet:
    criteria_set = make_criteria_set("replies")
    certified(make_run(make_judge("strict"), criteria_set, a=4, d=4))
    return criteria_set


def test_a_public_badge_tells_state_kappa_and_rows(client: Client, criteria_set: CriteriaSet) -> None:
    criteria_set.public_badge = True
    criteria_set.save()

    response = client.get(URL)

    assert response["Content-Type"] == "image/svg+xml"
    assert response["Cache-Control"] == "public, max-age=60"
    title = ET.fromstring(response.content).find("{http://www.w3.org/2000/svg}title")
    assert title is not None
    assert title.text == "strict: uncertified · kappa 1.000 · n 8"
    assert b"style" not in response.content


def test_a_private_badge_is_404_for_strangers(client: Client, criteria_set: CriteriaSet) -> None:
    assert client.get(URL).status_code == 404
    client.force_login(make_user())
    assert client.get(URL).status_code == 404


def test_a_private_badge_is_shown_to_members(client: Client, criteria_set: CriteriaSet) -> None:
    client.force_login(make_user(labels=criteria_set))

    assert client.get(URL).status_code == 200


def test_a_private_badge_is_shown_to_tokens_of_its_set(criteria_set: CriteriaSet) -> None:
    other = make_criteria_set("other")
    for sets, status in (([criteria_set], 200), ([other], 404)):
        _, secret = create_token(name="wiki", scopes=["gate"], criteria_sets=sets)
        assert Client(headers={"Authorization": f"Bearer {secret}"}).get(URL).status_code == status


def test_a_judge_never_calibrated_has_a_badge(client: Client, criteria_set: CriteriaSet) -> None:
    make_judge("new")
    client.force_login(make_user(labels=criteria_set))

    assert "never calibrated" in client.get("/api/v1/badge/new/replies.svg").text


def test_a_badge_kept_is_not_sent_again(client: Client, criteria_set: CriteriaSet) -> None:
    client.force_login(make_user(labels=criteria_set))

    tag = client.get(URL)["ETag"]

    assert client.get(URL, headers={"If-None-Match": tag}).status_code == 304
