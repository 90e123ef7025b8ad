"""HEAD says what GET would, without the body."""

import pytest
from django.test import Client
from django.utils import timezone

from judging.services.tokens import create_token
from tests.factories import make_criteria_set, make_judge
from tests.judging.golden import certified, make_run

pytestmark = pytest.mark.django_db

URL = "/api/v1/certifications/strict/replies"


@pytest.fixture
def client() -> Client:
    criteria_set = make_criteria_set("replies")
    certified(make_run(make_judge("strict"), criteria_set, a=28, b=2, c=2, d=28), timezone.now())
    _, secret = create_token(name="ci", scopes=["gate"], criteria_sets=[criteria_set])
    return Client(headers={"Authorization": f"Bearer {secret}"})


@pytest.mark.parametrize(
    "url",
    [
        URL,
        "/api/v1/certifications?limit=3",
        "/api/v1/gate/strict/replies",
        "/api/v1/badge/strict/replies.svg",
        "/api/v1/gate/nobody/replies",
        "/api/v1/certifications?limit=x",
        "/api/v1/openapi.json",
        "/api/v1/nothing",
    ],
)
def test_head_has_the_status_and_headers_of_get(client: Client, url: str) -> None:
    asked, got = client.head(url), client.get(url)

    length = {"Content-Length": str(len(got.content))}  # what Django leaves out a server adds
    assert (asked.status_code, dict(asked.headers)) == (got.status_code, dict(got.headers) | length)
    assert asked.content == b""


def test_head_answers_304_to_who_has_the_resource(client: Client) -> None:
    tag = client.head(URL)["ETag"]

    asked = client.head(URL, headers={"If-None-Match": tag})

    assert (asked.status_code, asked["ETag"], asked.content) == (304, tag, b"")


def test_head_without_a_token_is_refused() -> None:
    assert Client().head(URL).status_code == 401


def test_other_methods_are_still_refused(client: Client) -> None:
    assert (client.post(URL).status_code, client.delete(URL).status_code) == (405, 405)
