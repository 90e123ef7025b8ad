"""Alive, and ready."""

import pytest
from celery import current_app
from django.db import OperationalError, connection
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from judging.models import WorkerSeen

pytestmark = pytest.mark.django_db


def see_a_worker() -> None:
    WorkerSeen.objects.create(name="here:1", seen_at=timezone.now())


def test_healthz_says_that_the_process_answers(client: Client) -> None:
    response = client.get("/healthz")

    assert (response.status_code, response.json()) == (200, {"status": "alive"})
    assert "no-store" in response["Cache-Control"]


def test_ready_when_database_broker_and_worker_are_there(client: Client) -> None:
    see_a_worker()

    response = client.get("/readyz")

    assert (response.status_code, response.json()) == (200, {"status": "ready", "missing": {}})


def test_not_ready_without_a_worker(client: Client) -> None:
    response = client.get("/readyz")

    assert response.status_code == 503
    assert "celery -A vera_site worker" in response.json()["missing"]["worker"]


def test_not_ready_without_a_broker(client: Client, settings: Settings) -> None:
    see_a_worker()
    settings.CELERY_BROKER_TRANSPORT_OPTIONS = {"data_folder_in": "/nonexistent"}

    assert client.get("/readyz").json()["missing"].keys() == {"broker"}


def test_a_broker_that_refuses_is_reported_at_once(
    client: Client, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    see_a_worker()
    settings.CELERY_BROKER_TRANSPORT_OPTIONS = {"socket_connect_timeout": 1}
    monkeypatch.setattr(current_app.conf, "broker_write_url", "redis://127.0.0.1:1/0")

    assert client.get("/readyz").json()["missing"].keys() == {"broker"}


def test_a_database_that_does_not_answer_is_reported(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        raise OperationalError

    monkeypatch.setattr(connection, "cursor", refuse)

    response = client.get("/readyz")

    assert response.status_code == 503
    assert response.json()["missing"].keys() == {"database"}
