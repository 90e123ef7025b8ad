"""Logging in, and being guessed at."""

import logging

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.factories import make_user

pytestmark = pytest.mark.django_db

LOGIN = "/accounts/login/"


@pytest.fixture
def lena() -> User:
    return make_user("lena")


def test_the_right_password_logs_in_and_leads_on(client: Client, lena: User) -> None:
    response = client.post(f"{LOGIN}?next=/sets/x/label/", {"username": "lena", "password": "secret"})

    assert (response.status_code, response.headers["Location"]) == (302, "/sets/x/label/")


def test_a_foreign_address_is_not_led_to(client: Client, lena: User) -> None:
    response = client.post(
        LOGIN, {"username": "lena", "password": "secret", "next": "https://elsewhere.example/"}
    )

    assert response.headers["Location"] == "/"


def test_a_wrong_password_says_so_without_saying_which_part(client: Client, lena: User) -> None:
    known = client.post(LOGIN, {"username": "lena", "password": "guess"})
    unknown = client.post(LOGIN, {"username": "nobody", "password": "guess"})

    for response in (known, unknown):
        assert "That name and password do not belong together" in response.content.decode()


def test_a_hundred_guesses_are_locked_out_and_logged(
    client: Client, lena: User, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, logger="axes"):
        answers = [
            client.post(LOGIN, {"username": "lena", "password": f"guess {n}"}).status_code for n in range(100)
        ]

    assert set(answers[10:]) == {429}
    assert client.post(LOGIN, {"username": "lena", "password": "secret"}).status_code == 429
    assert "lena" in caplog.text or "locking out" in caplog.text.lower()
    assert "guess 1" not in caplog.text


def test_who_is_locked_out_somewhere_may_log_in_elsewhere(client: Client, lena: User) -> None:
    for n in range(12):
        client.post(LOGIN, {"username": "lena", "password": f"guess {n}"}, REMOTE_ADDR="10.0.0.9")

    response = client.post(LOGIN, {"username": "lena", "password": "secret"}, REMOTE_ADDR="10.0.0.1")

    assert response.status_code == 302


@pytest.mark.parametrize("address", [LOGIN, "/admin/login/"])
def test_a_name_of_any_length_is_a_wrong_one(client: Client, address: str) -> None:
    answer = client.post(address, {"username": "x" * 20_000, "password": "guess"})

    assert answer.status_code == 200


def test_logging_in_begins_a_new_session(client: Client, lena: User) -> None:
    client.cookies["sessionid"] = planted = "a" * 32

    client.post(LOGIN, {"username": "lena", "password": "secret"})

    assert client.cookies["sessionid"].value != planted


def test_pages_behind_the_login_are_kept_by_nobody(client: Client, lena: User) -> None:
    client.force_login(lena)

    assert "no-store" in client.get("/").headers["Cache-Control"]
