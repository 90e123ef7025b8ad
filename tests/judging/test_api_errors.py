"""Refusals: one shape for all of them, and nothing given away."""

import pytest
from django.test import Client
from django.utils import timezone

from judging.models import ApiToken, Certificate
from judging.services.tokens import create_token, revoke_tokens
from tests.factories import make_criteria_set, make_judge

pytestmark = pytest.mark.django_db

URL = "/api/v1/gate/strict/replies"


def get(secret: str, url: str = URL) -> tuple[int, dict[str, str]]:
    """Status and error of a call with that token."""
    response = Client(headers={"Authorization": f"Bearer {secret}"}).get(url)
    return response.status_code, response.json().get("error", {})


def token(*scopes: str, days: int | None = None) -> str:
    return create_token(name="ci", scopes=scopes, days=days)[1]


def test_no_token_is_401_and_says_where_it_belongs(client: Client) -> None:
    response = client.get(URL)

    assert response.status_code == 401
    assert "Authorization: Bearer" in response.json()["error"]["message"]
    assert response["WWW-Authenticate"].startswith("Bearer")


@pytest.mark.parametrize("header", ["Bearer", "Bearer ", "Basic YTpi", "Bearer vera_wrong", "Bearer ü"])
def test_a_wrong_token_is_401(client: Client, header: str) -> None:
    assert client.get(URL, headers={"Authorization": header}).status_code == 401


def test_a_revoked_token_is_401() -> None:
    secret = token("gate")
    revoke_tokens(name="ci")

    status, error = get(secret)

    assert (status, error["code"]) == (401, "unauthorized")


def test_a_token_is_over_in_the_second_it_expires() -> None:
    secret = token("gate", days=1)
    ApiToken.objects.update(expires_at=timezone.now())

    assert get(secret)[0] == 401


def test_a_token_of_another_scope_is_403() -> None:
    status, error = get(token("export", "submit"))

    assert (status, error["code"]) == (403, "forbidden")
    assert "“gate”" in error["message"]


def test_admin_does_all() -> None:
    make_criteria_set("replies")
    make_judge("strict")

    assert get(token("admin"))[0] == 409


@pytest.mark.parametrize("query", ["token={}", "a=1&access_token={}", "x={}", "api_key=anything"])
def test_a_token_in_the_address_is_refused_and_not_logged(
    query: str, caplog: pytest.LogCaptureFixture
) -> None:
    secret = token("gate")

    status, error = get(secret, f"{URL}?{query.format(secret)}")

    assert status == 401
    assert "address" in error["message"]
    assert secret not in caplog.text


def test_a_judge_whose_name_begins_like_a_token_may_be_asked_about() -> None:
    response = Client(headers={"Authorization": f"Bearer {token('gate')}"}).get(
        "/api/v1/certifications", {"judge": "vera_support"}
    )

    assert response.status_code == 200


def test_bad_parameters_are_422_by_field() -> None:
    response = Client(headers={"Authorization": f"Bearer {token('gate')}"}).get(
        "/api/v1/certifications", {"limit": "many", "status": "maybe", "cursor": "0"}
    )

    assert response.status_code == 422
    assert set(response.json()["error"]["fields"]) == {"limit", "status", "cursor"}


def test_an_unknown_call_is_404_in_json(client: Client) -> None:
    response = client.get("/api/v1/nothing/here")

    assert response.status_code == 404
    assert response.json()["error"]["code"] == "not_found"


def test_a_wrong_method_is_405_in_json(client: Client) -> None:
    response = client.post(URL)

    assert (response.status_code, response["Allow"]) == (405, "GET")
    assert response.json()["error"]["code"] == "method_not_allowed"


def test_a_failure_of_ours_is_500_in_json(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Certificate.objects, "current", None)
    client = Client(headers={"Authorization": f"Bearer {token('gate')}"}, raise_request_exception=False)

    response = client.get(URL)

    assert response.status_code == 500
    assert response.json()["error"]["code"] == "server_error"
    assert "NoneType" not in response.text


def test_a_strange_host_is_400_in_json(client: Client) -> None:
    response = client.get(URL, headers={"Host": "evil.example"})

    assert response.status_code == 400
    assert response.json()["error"]["code"] == "bad_request"
