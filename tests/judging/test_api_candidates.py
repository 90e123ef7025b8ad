"""Candidates in over the API: known again by their content, all of a delivery or nothing."""

from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from threading import Barrier
from typing import Any

import pytest
from django.db import connections
from django.test import Client
from django.utils import timezone

from judging.api.submitted import MOST_BYTES
from judging.services.reference_imports import import_references
from labeling.models import AuditEvent, Candidate, CriteriaSet, Slot, Submission
from tests.browser.every_page import PAIRS
from tests.factories import make_candidate, make_criteria_set
from tests.judging.calling import client_with, send, told

pytestmark = pytest.mark.django_db
URL = "/api/v1/candidates"
ROW = {
    "candidate": "Hello.",
    "request": "Greet.",
    "grounding": "It is noon.",
    "criteria_text": "Be kind.",
    "id": "a-1",
    "generator_model": "acme/1",
    "generator_family": "acme",
    "truncated": True,
    "meta": {"cost": 1e2, "turns": [1, {"a": None}]},
}


@pytest.fixture
def criteria_set() -> CriteriaSet:
    return make_criteria_set("replies", labels_per_row=2)


@pytest.fixture
def client(criteria_set: CriteriaSet) -> Client:
    return client_with("submit", criteria_set)


def test_what_is_sent_waits_for_people(client: Client) -> None:
    status, answer = send(client, ROW, {"candidate": ""})

    one, other = Candidate.objects.order_by("pk")
    came = one.submissions.get()
    assert (status, told(answer["items"], "id")) == (200, [one.pk, other.pk])
    assert told(answer["items"], "content_hash") == [one.content_hash, other.content_hash]
    assert told(answer["items"], "created") == told(answer["items"], "queued") == [True, True]
    assert (one.output, one.request, one.grounding, one.criteria_text) == tuple(ROW.values())[:4]
    assert (came.external_id, came.generator_model, came.truncated, came.source) == (
        "a-1",
        "acme/1",
        True,
        "api",
    )
    assert came.meta == ROW["meta"]
    assert Slot.objects.filter(state="open").count() == 4


def test_the_same_again_is_the_same_and_nothing_more(client: Client) -> None:
    _, first = send(client, ROW, ROW)

    _, again = send(client, ROW)

    assert told(first["items"], "created") == [True, False]
    assert again["items"] == [first["items"][1]]
    assert (Candidate.objects.count(), Submission.objects.count(), Slot.objects.count()) == (1, 1, 2)


@pytest.mark.parametrize(
    "other", [{"id": "a-2"}, {"generator_model": "acme/2"}, {"truncated": False}, {"meta": {"cost": 101}}]
)
def test_another_arrival_of_the_same_content_is_kept_beside_it(client: Client, other: dict[str, Any]) -> None:
    _, first = send(client, ROW)

    _, again = send(client, ROW | other)

    assert told(again["items"], "id") == told(first["items"], "id")
    assert (Candidate.objects.count(), Submission.objects.count()) == (1, 2)


def test_answers_to_one_request_share_a_split_for_life(client: Client) -> None:
    rows = [{"candidate": f"{n}.", "request": f"Request {n % 40}"} for n in range(80)]

    _, answer = send(client, *rows)
    _, again = send(client, *rows, split="certify")
    _, chosen = send(client, {"candidate": "x"}, {"candidate": "y", "split": "tune"}, split="certify")

    splits = told(answer["items"], "split")
    assert splits[:40] == splits[40:]
    assert 4 <= splits[:40].count("tune") <= 20
    assert told(again["items"], "split") == splits
    assert told(chosen["items"], "split") == ["certify", "tune"]


@pytest.mark.parametrize(
    ("row", "field", "reason"),
    [
        ({}, "candidate", "is missing"),
        ({"candidate": 7}, "candidate", "must be text"),
        ({"candidate": "a\0"}, "candidate", "NUL character at character 2"),
        ({"candidate": "a", "request": "\ud800"}, "request", "lone surrogate"),
        ({"candidate": "a", "meta": {"b": ["\ud800"]}}, "meta", "lone surrogate"),
        ({"candidate": "a", "meta": [1]}, "meta", "an object"),
        ({"candidate": "a", "id": "x" * 201}, "id", "at most 200"),
        ({"candidate": "a", "truncated": "no"}, "truncated", "true or false"),
        ({"candidate": "a", "split": "test"}, "split", "no split"),
        ({"candidate": "a", "output": "b"}, "output", "no such field"),
    ],
)
def test_one_bad_row_keeps_all_out_and_is_named(
    client: Client, row: dict[str, Any], field: str, reason: str
) -> None:
    status, answer = send(client, ROW, row)

    assert (status, answer["error"]["code"]) == (422, "invalid")
    assert list(answer["error"]["fields"]) == [f"candidates[1].{field}"]
    assert reason in answer["error"]["fields"][f"candidates[1].{field}"]
    assert not Candidate.objects.exists()


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ({}, "criteria"),
        ({"criteria": "replies"}, "candidates"),
        ({"criteria": "replies", "candidates": []}, "candidates"),
        ({"criteria": "replies", "candidates": ["x"]}, "candidates[0]"),
        ({"criteria": "replies", "candidates": [ROW], "split": "x"}, "split"),
        ({"criteria": "replies", "candidates": [ROW], "version": 1}, "version"),
    ],
)
def test_what_is_around_them_is_named_too(client: Client, sent: dict[str, Any], field: str) -> None:
    response = client.post(URL, sent, content_type="application/json")

    assert (response.status_code, field in response.json()["error"]["fields"]) == (422, True)


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"\xff", b'{"a": NaN}', b'{"a": 1, "a": 2}', b"{} {}"])
def test_what_is_no_json_object_is_refused_in_a_sentence(client: Client, body: bytes) -> None:
    response = client.post(URL, body, content_type="application/json")

    assert (response.status_code, response.json()["error"]["code"]) == (400, "bad_request")


def test_too_much_at_once_is_413(client: Client) -> None:
    many = send(client, *[{"candidate": str(n)} for n in range(1001)])
    large = client.post(URL, b" " * (MOST_BYTES + 1), content_type="application/json")

    assert many[0] == large.status_code == 413
    assert "smaller portions" in many[1]["error"]["message"]
    assert "At most 10 MB" in large.json()["error"]["message"]


def test_a_token_sends_only_to_its_own_sets(criteria_set: CriteriaSet) -> None:
    other = make_criteria_set("other")

    assert send(client_with("submit", other), ROW)[0] == 404
    assert send(client_with("export", criteria_set), ROW)[0] == 403
    assert send(Client(), ROW)[0] == 401
    assert client_with("submit", criteria_set).get(URL).status_code == 405


def test_a_closed_set_takes_nothing(client: Client) -> None:
    CriteriaSet.objects.update(archived_at=timezone.now())

    status, answer = send(client, ROW)

    assert (status, Candidate.objects.exists()) == (409, False)
    assert "archived" in answer["error"]["message"]


def test_what_is_known_keeps_its_place(client: Client, criteria_set: CriteriaSet) -> None:
    row = make_candidate(criteria_set, "Hello.", request="Greet.")  # in no queue, as one a draw has left

    _, answer = send(client, {"candidate": "Hello.", "request": "Greet."})

    assert answer["items"][0] | {"content_hash": ""} == {
        "id": row.pk, "content_hash": "", "split": "certify", "created": False, "queued": False
    }  # fmt: skip


def test_a_reference_row_that_arrives_is_a_row_like_any_other(
    client: Client, criteria_set: CriteriaSet
) -> None:
    import_references(stream=BytesIO(PAIRS), file_name="pairs.jsonl", slug="replies")

    _, answer = send(client, {"candidate": "Who knows?", "request": "Name day 1."})

    assert (answer["items"][0]["created"], answer["items"][0]["queued"]) == (False, True)


@pytest.mark.parametrize("criteria", ["a\0", "\ud800"])
def test_a_name_that_no_database_can_hold_is_refused(client: Client, criteria: str) -> None:
    response = client.post(
        URL, {"criteria": criteria, "\ud800": 1, "candidates": [ROW]}, content_type="application/json"
    )

    assert response.status_code == 422
    assert response.json()["error"]["fields"]["criteria"]


def test_it_is_on_record_who_sent_them(client: Client) -> None:
    send(client, ROW, {"candidate": "b"})

    event = AuditEvent.objects.get(action="candidates_taken")
    assert (event.details, "pipeline" in event.subject) == ({"rows": 2, "created": 2}, True)


@pytest.mark.django_db(transaction=True)
def test_the_same_delivery_twice_at_once_is_one(criteria_set: CriteriaSet) -> None:
    clients = [client_with("submit", criteria_set) for _ in range(4)]
    rows = [{"candidate": f"{n}."} for n in range(50)]
    start = Barrier(4)

    def deliver(client: Client) -> tuple[int, Any]:
        start.wait()
        try:
            return send(client, *rows)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(deliver, clients))

    assert [status for status, _ in answers] == [200] * 4
    assert sorted(sum(told(body["items"], "created")) for _, body in answers) == [0, 0, 0, 50]
    assert (Candidate.objects.count(), Submission.objects.count(), Slot.objects.count()) == (50, 50, 100)
