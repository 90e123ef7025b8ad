"""Labels out over the API, page after page."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from labeling.models import AuditEvent, CriteriaSet, ImportBatch, Label, Mark
from tests.factories import live, make_candidate, make_criteria_set, make_label, make_user, make_version
from tests.judging.calling import client_with, told
from tests.labeling.importing import by, import_rows, said

pytestmark = pytest.mark.django_db
URL = "/api/v1/labels"


@pytest.fixture
def criteria_set() -> CriteriaSet:
    return make_criteria_set("replies")


@pytest.fixture
def client(criteria_set: CriteriaSet) -> Client:
    return client_with("export", criteria_set)


def get(client: Client, **query: Any) -> Any:
    response = client.get(URL, {"criteria": "replies", **query})
    assert response.status_code == 200, response.content
    return response.json()


def make_labels(criteria_set: CriteriaSet, number: int) -> list[Label]:
    person = make_user()
    return [make_label(make_candidate(criteria_set), person) for _ in range(number)]


def test_a_label_is_told_with_all_that_belongs_to_it(client: Client, criteria_set: CriteriaSet) -> None:
    row = make_candidate(criteria_set, split="tune")
    for name in ("a-1", "", "a-2", "a-1"):
        row.submissions.create(source="api", external_id=name)
    label = make_label(row, make_user("ada"), "fail", blind=False)
    Label.objects.update(comment="Too short.", seconds=12, idle_seconds=3)
    Mark.objects.create(label=label, criterion=live(criteria_set).criteria.get(), score=0)

    (told_of,) = get(client)["items"]

    assert told_of.pop("created_at").endswith("Z")
    assert told_of == {
        "id": label.pk,
        "candidate": row.pk,
        "content_hash": row.content_hash,
        "external_ids": ["a-1", "a-2"],
        "split": "tune",
        "labeler": "ada",
        "verdict": "fail",
        "marks": {"meets_criteria": 0},
        "comment": "Too short.",
        "blind": False,
        "seconds": 12,
        "idle_seconds": 3,
        "source": "browser",
        "supersedes": None,
        "superseded_at": None,
        "withdrawn_at": None,
    }


def test_pages_follow_each_other_while_people_go_on(client: Client, criteria_set: CriteriaSet) -> None:
    labels = make_labels(criteria_set, 5)

    first = get(client, limit=2)
    later = make_labels(criteria_set, 1)
    second = get(client, limit=2, cursor=first["next_cursor"])
    third = get(client, limit=2, cursor=second["next_cursor"])

    ids = [pk for page in (first, second, third) for pk in told(page["items"], "id")]
    assert ids == [each.pk for each in labels + later]
    assert third["next_cursor"] is None


def test_what_counts_no_longer_is_told_only_on_request(client: Client, criteria_set: CriteriaSet) -> None:
    first, gone, _ = make_labels(criteria_set, 3)
    now = timezone.now()
    Label.objects.filter(pk=first.pk).update(superseded_at=now)
    Label.objects.filter(pk=gone.pk).update(withdrawn_at=now)
    better = make_label(first.candidate, first.labeler, "fail")
    Label.objects.filter(pk=better.pk).update(supersedes=first)

    current, every = get(client)["items"], get(client, all="true")["items"]

    assert (len(current), len(every)) == (2, 4)
    assert told(current, "supersedes") == [None, first.pk]
    assert [each["superseded_at"] is None for each in every] == [False, True, True, True]


def test_since_and_version_choose(client: Client, criteria_set: CriteriaSet) -> None:
    old, new = make_labels(criteria_set, 2)
    now = timezone.now()
    Label.objects.filter(pk=old.pk).update(created_at=now - timedelta(days=2))
    make_version(criteria_set)

    recent = get(client, since=(now - timedelta(days=1)).isoformat())

    assert told(recent["items"], "id") == [new.pk]
    assert get(client, version=2)["items"] == []
    assert client.get(f"{URL}?criteria=replies&version=3").status_code == 404


def test_labels_of_a_long_import_are_since_its_end(client: Client, criteria_set: CriteriaSet) -> None:
    import_rows("replies", said("a", [by("a1", "pass")]))
    batch, label = ImportBatch.objects.get(), Label.objects.get()
    Label.objects.update(created_at=label.created_at - timedelta(hours=2))  # when it was read, seen by nobody

    since_its_end = get(client, since=label.created_at.isoformat())
    later = get(client, since=(batch.created_at + timedelta(seconds=1)).isoformat())

    assert batch.created_at > label.created_at
    assert (told(since_its_end["items"], "id"), later["items"]) == ([label.pk], [])


def test_who_may_not_read_is_told_nothing(criteria_set: CriteriaSet) -> None:
    make_labels(criteria_set, 1)

    assert client_with("submit", criteria_set).get(f"{URL}?criteria=replies").status_code == 403
    assert client_with("export", make_criteria_set("other")).get(f"{URL}?criteria=replies").status_code == 404
    assert Client().get(f"{URL}?criteria=replies").status_code == 401


@pytest.mark.parametrize(
    "query", ["", "criteria=", "criteria=replies&limit=0", "criteria=replies&cursor=-1",
              "criteria=replies&since=2026-01-01T00:00:00",
              "criteria=replies&since=0001-01-01T00:00:00%2B14:00",
              "criteria=replies&since=9999-12-31T23:59:59-14:00", "criteria=replies&curser=3"]
)  # fmt: skip
def test_a_wrong_question_is_refused(client: Client, query: str) -> None:
    assert client.get(f"{URL}?{query}").status_code == 422


def test_taking_out_is_on_record_once_an_hour(client: Client, criteria_set: CriteriaSet) -> None:
    make_labels(criteria_set, 3)
    for cursor in (0, 1, 2):
        get(client, limit=1, cursor=cursor)

    event = AuditEvent.objects.get(action="labels_read")
    AuditEvent.objects.update(created_at=timezone.now() - timedelta(hours=2))
    get(client)

    assert (event.subject, "pipeline" in event.details["reader"]) == ("replies@1", True)
    assert AuditEvent.objects.filter(action="labels_read").count() == 2


def test_questions_do_not_grow_with_labels(client: Client, criteria_set: CriteriaSet) -> None:
    get(client)
    asked = []
    for _ in range(2):
        make_labels(criteria_set, 10)
        with CaptureQueriesContext(connection) as queries:
            get(client)
        asked.append(len(queries))

    assert asked[0] == asked[1]


def test_head_is_answered_as_get(client: Client, criteria_set: CriteriaSet) -> None:
    make_labels(criteria_set, 1)

    asked, got = client.head(f"{URL}?criteria=replies"), client.get(f"{URL}?criteria=replies")

    assert (asked.status_code, asked["Content-Length"], asked.content) == (200, str(len(got.content)), b"")
