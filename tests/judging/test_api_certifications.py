"""The certification resource, the gate and the list, over HTTP."""

import math
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from judging.models import Certificate, JudgeVersion
from judging.services.tokens import create_token
from labeling.models import CriteriaSet
from tests.factories import make_criteria_set, make_judge, make_version
from tests.judging.golden import certified, make_run

pytestmark = pytest.mark.django_db

URL = "/api/v1/certifications/strict/replies"


@pytest.fixture
def criteria_set() -> CriteriaSet:
    return make_criteria_set("replies")


@pytest.fixture
def judge() -> JudgeVersion:
    return make_judge("strict")


@pytest.fixture
def client(criteria_set: CriteriaSet) -> Client:
    """A client whose token reads certification in `replies` only."""
    _, secret = create_token(name="ci", scopes=["gate"], criteria_sets=[criteria_set])
    return Client(headers={"Authorization": f"Bearer {secret}"})


@pytest.fixture
def certificate(judge: JudgeVersion, criteria_set: CriteriaSet) -> Certificate:
    run = make_run(judge, criteria_set, a=28, b=2, c=2, d=28)
    run.finished_at = timezone.now()
    run.save()
    return certified(run, run.finished_at)


def expire(certificate: Certificate, seconds: float) -> None:
    """Have it expire so many seconds from now."""
    Certificate.objects.filter(pk=certificate.pk).update(
        expires_at=timezone.now() + timedelta(seconds=seconds),
        calibrated_at=timezone.now() - timedelta(days=30),
    )


def test_the_resource_has_every_key_of_the_contract(client: Client, certificate: Certificate) -> None:
    body = client.get(URL).json()

    assert body | {"interval": 0, "lower_bound": 0, "warnings": [], "fingerprint": ""} == {
        "judge": "strict",
        "judge_version": 1,
        "fingerprint": "",
        "recorded": False,
        "criteria": "replies",
        "criteria_version": 1,
        "certified": True,
        "status": "certified",
        "reasons": [],
        "warnings": [],
        "rule": "point",
        "bar": 0.65,
        "kappa": pytest.approx(13 / 15),
        "interval": 0,
        "lower_bound": 0,
        "n": 60,
        "n_pass": 30,
        "n_fail": 30,
        "n_effective": None,
        "escalated": 0,
        "agreement": pytest.approx(56 / 60),
        "coverage": 1.0,
        "kappa_worst_case": pytest.approx(13 / 15),
        "coverage_pass": 1.0,
        "coverage_fail": 1.0,
        # √(V(13/15)/60) by hand: 1 − κ² over √60 where both pass rates are ½.
        "standard_error": pytest.approx(math.sqrt((1 - (13 / 15) ** 2) / 60)),
        "design_effect": None,  # all rows answer one request
        "weighted": False,
        "human_kappa": None,
        "human_method": None,
        "labels_needed": None,  # the lower bound is above the bar already
        "look": None,
        "next_look": None,
        "z": None,
        "boundary": None,
        "attempt": 1,
        "opened_rows": 0,
        "calibrated_at": certificate.calibrated_at.isoformat(),
        "expires_at": certificate.expires_at.isoformat(),
    }
    assert body["interval"][0] < body["lower_bound"] < body["kappa"] < body["interval"][1]


def test_one_query_for_the_token_and_one_for_the_answer(
    client: Client, certificate: Certificate, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    client.get(URL)  # which notes who reads, once a minute

    with django_assert_num_queries(2):
        assert client.get(URL).status_code == 200


def test_an_undefined_kappa_is_null(client: Client, judge: JudgeVersion, criteria_set: CriteriaSet) -> None:
    certified(make_run(judge, criteria_set, a=40))

    body = client.get(URL).json()

    assert (body["kappa"], body["interval"], body["lower_bound"]) == (None, None, None)
    assert "undefined_kappa" in [reason["code"] for reason in body["reasons"]]


def test_a_judge_never_calibrated_says_so(client: Client, judge: JudgeVersion) -> None:
    body = client.get(URL).json()

    assert (body["certified"], body["n"], body["kappa"], body["expires_at"]) == (False, 0, None, None)
    assert [reason["code"] for reason in body["reasons"]] == ["never_calibrated"]


def test_a_certificate_is_over_in_the_second_it_expires(client: Client, certificate: Certificate) -> None:
    before = client.get(URL)
    expire(certificate, 0)

    after = client.get(URL, headers={"If-None-Match": before["ETag"]})

    assert after.status_code == 200
    assert after["ETag"] != before["ETag"]
    assert after.json()["certified"] is False
    assert [reason["code"] for reason in after.json()["reasons"]] == ["expired"]


def test_who_has_this_very_answer_is_told_so(client: Client, certificate: Certificate) -> None:
    first = client.get(URL)

    again = client.get(URL, headers={"If-None-Match": first["ETag"]})

    assert (again.status_code, again.content) == (304, b"")
    assert again["Cache-Control"] == first["Cache-Control"] == "private, max-age=60"


def test_no_answer_is_kept_past_the_expiry(client: Client, certificate: Certificate) -> None:
    expire(certificate, 10)

    age = int(client.get(URL)["Cache-Control"].partition("max-age=")[2])

    assert 7 <= age < 10


def test_a_refusal_is_not_kept_past_the_expiry_either(client: Client, criteria_set: CriteriaSet) -> None:
    expire(certified(make_run(make_judge("weak"), criteria_set, a=2, d=2), timezone.now()), 10)

    age = int(client.get(URL.replace("strict", "weak"))["Cache-Control"].partition("max-age=")[2])

    assert age < 10


def test_the_live_versions_answer_unless_others_are_named(
    client: Client, certificate: Certificate, criteria_set: CriteriaSet
) -> None:
    make_version(criteria_set, live=True)

    assert client.get(URL).json()["reasons"][0]["code"] == "never_calibrated"
    assert client.get(URL, {"version": 1}).json()["certified"] is True
    assert client.get(URL, {"version": 1, "judge_version": 1}).json()["certified"] is True


def test_a_draft_of_the_judge_answers_only_where_it_is_named(
    client: Client, certificate: Certificate, criteria_set: CriteriaSet
) -> None:
    draft = make_judge()
    JudgeVersion.objects.filter(pk=draft.pk).update(judge=certificate.judge_version.judge, number=2)
    certified(make_run(JudgeVersion.objects.get(pk=draft.pk), criteria_set, a=3))

    assert client.get(URL).json()["judge_version"] == 1
    assert client.get(URL, {"judge_version": 2}).json()["n"] == 3
    assert "Authorization" in client.get(URL)["Vary"]


@pytest.mark.parametrize(
    "path",
    [
        "nobody/replies",
        "strict/nothing",
        "strict/other",
        "strict/replies?version=9",
        "strict/replies?judge_version=9",
    ],
)
@pytest.mark.parametrize("call", ["certifications", "gate"])
def test_unknown_and_uncovered_names_are_404(
    client: Client, certificate: Certificate, call: str, path: str
) -> None:
    make_criteria_set("other")

    response = client.get(f"/api/v1/{call}/{path}")

    assert response.status_code == 404
    assert response.json()["error"]["code"] == "not_found"


def test_another_set_reads_like_an_unknown_one(client: Client, judge: JudgeVersion) -> None:
    make_criteria_set("other")

    hidden, unknown = (client.get(f"/api/v1/gate/strict/{slug}") for slug in ("other", "nosuch"))

    assert hidden.content.replace(b"other", b"") == unknown.content.replace(b"nosuch", b"")


def test_the_gate_opens_for_the_certified_only(client: Client, certificate: Certificate) -> None:
    opened = client.get("/api/v1/gate/strict/replies")
    expire(certificate, -1)
    closed = client.get("/api/v1/gate/strict/replies")

    assert (opened.status_code, opened.json()) == (200, {"allow": True})
    assert (closed.status_code, closed.json()["allow"]) == (409, False)
    assert closed.json()["reasons"][0]["code"] == "expired"
    assert closed["Cache-Control"] == "no-store"


def test_the_list_pages_newest_first(client: Client, criteria_set: CriteriaSet) -> None:
    for name in ("one", "two", "three"):
        certified(make_run(make_judge(name), criteria_set, a=3))

    first = client.get("/api/v1/certifications", {"limit": 2}).json()
    second = client.get("/api/v1/certifications", {"limit": 2, "cursor": first["next_cursor"]}).json()

    assert [each["judge"] for each in first["items"] + second["items"]] == ["three", "two", "one"]
    assert second["next_cursor"] is None


def test_the_list_filters_by_the_effective_state(
    client: Client, certificate: Certificate, criteria_set: CriteriaSet
) -> None:
    certified(make_run(make_judge("weak"), criteria_set, a=3))

    def listed(**query: Any) -> list[str]:
        return [each["judge"] for each in client.get("/api/v1/certifications", query).json()["items"]]

    assert listed(status="certified") == ["strict"]
    assert listed(judge="weak", criteria="replies") == ["weak"]
    assert listed(criteria="nothing") == []
    assert listed(judge="", criteria="", status="") == ["weak", "strict"]
    expire(certificate, 0)
    assert listed(status="certified") == []
    assert listed(status="uncertified") == ["weak", "strict"]
    assert listed(status="uncertified") == ["weak", "strict"]


def test_the_list_shows_covered_sets_only(client: Client) -> None:
    certified(make_run(make_judge("elsewhere"), make_criteria_set("other"), a=3))

    assert client.get("/api/v1/certifications").json() == {"items": [], "next_cursor": None}


def test_the_list_asks_as_often_for_ten_as_for_two(
    client: Client, criteria_set: CriteriaSet, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for _ in range(10):
        certified(make_run(make_judge(), criteria_set, a=2))

    client.get("/api/v1/certifications")  # which notes who reads, once a minute
    for limit in (2, 10):
        with django_assert_num_queries(2):
            assert len(client.get("/api/v1/certifications", {"limit": limit}).json()["items"]) == limit


def test_a_token_for_every_set_reads_all(certificate: Certificate) -> None:
    _, secret = create_token(name="all", scopes=["admin"])

    assert Client(headers={"Authorization": f"Bearer {secret}"}).get(URL).status_code == 200


@pytest.fixture(autouse=True)
def _no_leak(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Whatever is asked, no token is logged."""
    yield
    assert "vera_" not in caplog.text
