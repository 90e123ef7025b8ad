"""How far labeling is, over the API, and the documentation of the calls about labeling."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from labeling.models import CriteriaSet, Slot
from labeling.services.draws import draw_random
from tests.factories import live, make_candidate, make_criteria_set, make_label, make_ruling, make_user
from tests.judging.calling import client_with

pytestmark = pytest.mark.django_db
URL = "/api/v1/queue/replies"


@pytest.fixture
def criteria_set() -> CriteriaSet:
    return make_criteria_set("replies")


def slots(criteria_set: CriteriaSet, *states: str) -> Any:
    row = make_candidate(criteria_set, slots=len(states))
    for slot, state in zip(row.slots.order_by("number"), states, strict=True):
        Slot.objects.filter(pk=slot.pk).update(state=state)
    return row


@pytest.mark.parametrize(("scope", "settled"), [("submit", None), ("export", 3), ("admin", 3)])
def test_rows_are_counted_by_where_they_stand(
    criteria_set: CriteriaSet, scope: str, settled: int | None
) -> None:
    lead = make_user(lead_of=criteria_set)
    held = slots(criteria_set, "open", "open")
    Slot.objects.filter(candidate=held, number=1).update(
        labeler=lead, lease_until=timezone.now() + timedelta(minutes=1)
    )
    for _ in range(3):
        slots(criteria_set, "open")
    for states in (("done", "open"), ("done", "done"), ("done", "lead")):
        make_label(slots(criteria_set, *states), lead)
    draw_random(version=live(criteria_set), most=2, seed="s", now=timezone.now(), actor=lead)

    answer = client_with(scope, criteria_set).get(URL).json()

    (draw,) = answer.pop("draws")
    assert answer == {
        "criteria": "replies",
        "criteria_version": 1,
        "waiting": 4,
        "second": 1,
        "held": 1,
        "with_leads": 1,
        "done": 1,
        "settled": settled,
    }
    assert (draw["strategy"], draw["drawn"], draw["labelled"]) == ("random", 2, 0)


def test_a_draw_is_told_with_those_of_its_rows_that_people_spoke_of(criteria_set: CriteriaSet) -> None:
    lead = make_user(lead_of=criteria_set)
    rows = [slots(criteria_set, "open") for _ in range(4)]
    for most in (3, 1):
        draw_random(version=live(criteria_set), most=most, seed="s", now=timezone.now(), actor=lead)
    for row in rows:
        make_label(row, lead)
        make_ruling(row, "fail")

    newest, first = client_with("submit", criteria_set).get(URL).json()["draws"]

    assert [(each["drawn"], each["labelled"]) for each in (newest, first)] == [(1, 1), (3, 3)]
    assert newest["id"] > first["id"]


def test_what_a_token_is_not_told_is_not_counted(criteria_set: CriteriaSet) -> None:
    asked = {}
    for scope in ("submit", "export"):
        client = client_with(scope, criteria_set)
        client.get(URL)
        with CaptureQueriesContext(connection) as queries:
            client.get(URL)
        asked[scope] = len(queries)

    assert asked["submit"] < asked["export"]


def test_only_who_sends_or_takes_out_may_ask(criteria_set: CriteriaSet) -> None:
    refused = client_with("gate", criteria_set).get(URL)

    assert refused.status_code == 403
    assert "“submit” or “export”" in refused.json()["error"]["message"]
    assert client_with("submit", make_criteria_set("other")).get(URL).status_code == 404
    assert client_with("submit", criteria_set).get(f"{URL}?version=2").status_code == 404


def test_the_calls_are_documented_with_their_errors_and_an_example(client: Client) -> None:
    paths = client.get("/api/v1/openapi.json").json()["paths"]

    post = paths["/api/v1/candidates"]["post"]
    body = post["requestBody"]["content"]["application/json"]
    assert set(post["responses"]) == {"200", "400", "401", "403", "404", "409", "413", "422"}
    assert body["schema"]["properties"]["candidates"]["items"]["required"] == ["candidate"]
    assert body["example"]["candidates"][0]["candidate"]
    assert {each["name"] for each in paths["/api/v1/labels"]["get"]["parameters"]} == {
        "criteria", "version", "cursor", "limit", "since", "all"
    }  # fmt: skip
    assert "/api/v1/queue/{criteria}" in paths
