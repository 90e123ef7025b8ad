"""A label of somebody who had seen what others said: kept, and counted for nothing."""

from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import User
from django.test import Client

from labeling.models import Candidate, CriteriaSet, Exposure, Label, Slot
from labeling.services.labels import give_label
from labeling.services.passed_on import passed_on
from labeling.services.progress import rows_with_their_labels
from labeling.services.queue import next_row
from tests.factories import live, make_candidate, make_criteria_set, make_user

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def looked(user: User, row: Candidate) -> None:
    Exposure.objects.create(user=user, candidate=row, version=live(row.criteria_set), what="verdicts")


def decide(row: Candidate, labeler: User, verdict: str = "pass") -> Label:
    given = give_label(
        candidate=row,
        version=live(row.criteria_set),
        labeler=labeler,
        verdict=verdict,
        marks={},
        comment="",
        seconds=3,
        now=NOW,
    )
    assert isinstance(given.label, Label)
    return given.label


def test_the_row_goes_to_somebody_who_can_decide_it_blind() -> None:
    criteria_set = make_criteria_set()
    row = make_candidate(criteria_set, slots=1)
    ann, ben = make_user(labels=criteria_set), make_user(labels=criteria_set)
    looked(ann, row)

    assert not decide(row, ann).blind

    assert next_row(version=live(criteria_set), labeler=ann, now=NOW) is None
    assert next_row(version=live(criteria_set), labeler=ben, now=NOW) == row
    assert decide(row, ben, "fail").blind
    assert Candidate.objects.with_truth(live(criteria_set)).get().truth == "fail"
    assert Slot.objects.get().state == "done"


def test_where_nobody_is_left_it_goes_to_the_leads() -> None:
    criteria_set = make_criteria_set()
    row = make_candidate(criteria_set, slots=1)
    ann, ben = make_user(labels=criteria_set), make_user(lead_of=criteria_set)
    looked(ann, row)
    looked(ben, row)

    decide(row, ann)

    assert list(passed_on(live(criteria_set))) == [row]
    assert next_row(version=live(criteria_set), labeler=ben, now=NOW) is None


def test_rows_that_one_can_decide_blind_come_first() -> None:
    criteria_set = make_criteria_set()
    seen, unseen = (make_candidate(criteria_set, slots=1) for _ in range(2))
    ann = make_user(labels=criteria_set)
    looked(ann, seen)

    assert next_row(version=live(criteria_set), labeler=ann, now=NOW) == unseen
    decide(unseen, ann)
    assert next_row(version=live(criteria_set), labeler=ann, now=NOW) == seen


def test_the_page_says_so_before_and_after(client: Client) -> None:
    criteria_set = make_criteria_set("replies")
    row = make_candidate(criteria_set, slots=1)
    ann = make_user(labels=criteria_set)
    looked(ann, row)
    client.force_login(ann)

    page = client.get("/sets/replies/label/")
    form = {"candidate": row.pk, "version": live(criteria_set).pk, "verdict": "pass"}
    after = client.post("/sets/replies/label/", form, follow=True)

    assert "is kept but does not count" in page.content.decode()
    assert "Kept, but it does not count" in after.content.decode()


def one_person(criteria_set: CriteriaSet) -> User:
    lead = make_user(lead_of=criteria_set)
    decide(make_candidate(criteria_set, slots=2), lead)
    return lead


def test_a_second_label_is_not_waited_for_where_there_is_no_second_person() -> None:
    criteria_set = make_criteria_set()
    one_person(criteria_set)
    Label.objects.update(created_at=NOW)
    later = NOW.replace(hour=12)

    assert rows_with_their_labels(live(criteria_set), later) == 1

    make_user(labels=criteria_set)
    assert rows_with_their_labels(live(criteria_set), later) == 0


def test_a_lead_alone_is_told_what_the_queue_waits_for(client: Client) -> None:
    criteria_set = make_criteria_set("replies")
    client.force_login(one_person(criteria_set))

    page = client.get("/sets/replies/label/").content.decode()

    assert "1 row waits for the label of somebody else" in page
    assert "/sets/replies/members/" in page
