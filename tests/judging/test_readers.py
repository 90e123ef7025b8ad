"""Who reads which certification: noted once a minute, and never in the way of the answer."""

import sqlite3
from datetime import timedelta
from time import monotonic
from typing import Any

import pytest
from django.db import DatabaseError, connection
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from judging.models import GateReader, JudgeVersion
from judging.services import readers
from judging.services.tokens import create_token
from labeling.models import CriteriaSet
from tests.factories import make_criteria_set, make_judge, make_user
from tests.judging.dashboards import certify

pytestmark = pytest.mark.django_db

READS = [
    "/api/v1/certifications/strict/replies",
    "/api/v1/gate/strict/replies",
    "/api/v1/certifications",
    "/api/v1/badge/strict/replies.svg",
]


@pytest.fixture
def criteria_set() -> CriteriaSet:
    return make_criteria_set("replies")


@pytest.fixture
def judge(criteria_set: CriteriaSet) -> JudgeVersion:
    made = make_judge("strict")
    certify(made, criteria_set, a=30, d=30)
    return made


@pytest.fixture
def ci(judge: JudgeVersion, criteria_set: CriteriaSet) -> Client:
    _, secret = create_token(name="ci", scopes=["gate"], criteria_sets=[criteria_set])
    return Client(headers={"Authorization": f"Bearer {secret}"})


def later(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """Let the process's clock go on."""
    ahead = monotonic() + seconds
    monkeypatch.setattr(readers, "monotonic", lambda: ahead)


@pytest.mark.parametrize("url", READS)
def test_a_read_with_a_token_is_noted(ci: Client, judge: JudgeVersion, url: str) -> None:
    before = timezone.now()

    assert ci.get(url).status_code == 200

    noted = GateReader.objects.get()
    assert (noted.token.name, noted.judge, noted.criteria_set.slug) == ("ci", judge.judge, "replies")
    assert before <= noted.first_at == noted.last_at


def test_the_list_notes_each_pair_that_it_shows(ci: Client, criteria_set: CriteriaSet) -> None:
    certify(make_judge("weak"), criteria_set, a=3, d=3)

    ci.get("/api/v1/certifications")

    assert set(GateReader.objects.values_list("judge__slug", flat=True)) == {"strict", "weak"}


def test_within_a_minute_nothing_is_written_again(
    ci: Client, django_assert_num_queries: DjangoAssertNumQueries, monkeypatch: pytest.MonkeyPatch
) -> None:
    ci.get(READS[0])
    long_ago = timezone.now() - timedelta(days=3)
    GateReader.objects.update(first_at=long_ago, last_at=long_ago)

    later(monkeypatch, 59)
    with django_assert_num_queries(2):
        ci.get(READS[0])
    assert GateReader.objects.get().last_at == long_ago

    later(monkeypatch, 61)
    ci.get(READS[0])

    noted = GateReader.objects.get()
    assert noted.first_at == long_ago
    assert timezone.now() - noted.last_at < timedelta(minutes=1)


def test_the_answer_itself_is_never_kept_back(ci: Client, judge: JudgeVersion) -> None:
    assert ci.get(READS[1]).status_code == 200

    judge.certificates.update(expires_at=timezone.now(), calibrated_at=timezone.now() - timedelta(days=1))

    assert ci.get(READS[1]).status_code == 409


def test_a_note_that_fails_fails_no_read(
    ci: Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(*args: Any, **kwargs: Any) -> None:
        raise DatabaseError("database or disk is full")

    monkeypatch.setattr(GateReader.objects, "bulk_create", full)

    assert ci.get(READS[1]).json() == {"allow": True}
    assert "could not be noted: database or disk is full" in caplog.text


def test_what_nobody_may_read_is_not_noted(ci: Client) -> None:
    make_criteria_set("elsewhere")

    ci.get("/api/v1/gate/strict/elsewhere")
    ci.get("/api/v1/gate/nobody/replies")

    assert not GateReader.objects.exists()


def test_people_and_public_badges_are_not_noted(
    client: Client, ci: Client, judge: JudgeVersion, criteria_set: CriteriaSet
) -> None:
    client.force_login(make_user(lead_of=criteria_set))
    assert client.get(READS[3]).status_code == 200
    CriteriaSet.objects.update(public_badge=True)

    assert Client().get(READS[3]).status_code == 200
    assert ci.get(READS[3]).status_code == 200

    assert not GateReader.objects.exists()


def test_memory_is_bounded(ci: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readers, "_MOST_REMEMBERED", 3)
    for number in range(5):
        readers._noted[number, 0, 0] = 0

    ci.get(READS[0])

    assert len(readers._noted) == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL locks rows, not the database")
def test_a_read_does_not_wait_for_a_long_write(ci: Client) -> None:
    writer = sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    began = monotonic()

    response = ci.get(READS[1])
    took = monotonic() - began
    writer.execute("ROLLBACK")
    writer.close()

    assert (response.status_code, took < 5) == (200, True)
    assert connection.cursor().execute("PRAGMA busy_timeout").fetchone() == (30_000,)
    assert not GateReader.objects.exists()
