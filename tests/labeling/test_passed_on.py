"""Rows that were skipped: to others, then to the leads, and back."""

from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from labeling.models import AuditEvent, Candidate, Skip
from labeling.services.labels import give_label, skip_row
from labeling.services.members import remove_member
from labeling.services.passed_on import passed_on, put_back
from labeling.services.queue import FIRST, SECOND, NotWanted, close_settled, next_row, open_slots
from labeling.services.undo import last_act, undo_last
from tests.factories import live, make_candidate, make_criteria_set, make_ruling, make_user

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


@pytest.fixture
def row() -> Candidate:
    """A row of a set with four labelers, of whom tests name the first three."""
    row = make_candidate(make_criteria_set(), slots=1)
    for name in ("ada", "bob", "cem", "dot"):
        make_user(name, labels=row.criteria_set)
    return row


def user(name: str) -> User:
    return User.objects.get(username=name)


def skip(row: Candidate, name: str) -> None:
    version = live(row.criteria_set)
    skip_row(
        candidate=row, version=version, labeler=user(name), reason="needs_expert", comment="Law.", now=NOW
    )


def undo(row: Candidate, name: str) -> None:
    undo_last(labeler=user(name), version=live(row.criteria_set), now=NOW)


def given_to(row: Candidate, name: str, now: datetime = NOW) -> bool:
    return next_row(version=live(row.criteria_set), labeler=user(name), now=now) == row


def waits_for_leads(row: Candidate) -> bool:
    return row in passed_on(live(row.criteria_set))


def test_one_skip_sends_a_row_to_others_and_two_to_the_leads(row: Candidate) -> None:
    skip(row, "ada")
    assert given_to(row, "bob")
    assert not waits_for_leads(row)

    skip(row, "bob")

    assert waits_for_leads(row)
    assert not given_to(row, "cem")


def test_a_row_that_nobody_is_left_for_goes_to_the_leads_at_once(row: Candidate) -> None:
    User.objects.exclude(username="ada").update(is_active=False)

    skip(row, "ada")

    assert waits_for_leads(row)


def test_undoing_the_skip_brings_the_row_back_from_the_leads(row: Candidate) -> None:
    skip(row, "ada")
    skip(row, "bob")

    undo(row, "bob")

    assert not waits_for_leads(row)
    assert given_to(row, "bob")


def test_who_decides_after_all_takes_the_row_from_the_leads(row: Candidate) -> None:
    open_two = row.criteria_set
    open_two.labels_per_row = 2
    open_two.save()
    open_slots(version=live(open_two), candidate_ids=[row.pk])
    skip(row, "ada")
    skip(row, "bob")

    give_label(
        candidate=row,
        version=live(row.criteria_set),
        labeler=user("ada"),
        verdict="pass",
        marks={},
        comment="",
        seconds=None,
        now=NOW,
    )

    assert not waits_for_leads(row)
    assert row.slots.get(state="open").priority == SECOND
    assert given_to(row, "cem")


def test_a_row_that_is_put_back_comes_first_and_not_to_those_who_skipped(row: Candidate) -> None:
    lead = make_user(lead_of=row.criteria_set)
    make_candidate(row.criteria_set, slots=1)
    skip(row, "ada")
    skip(row, "bob")

    put_back(candidate=row, version=live(row.criteria_set), actor=lead)

    assert not given_to(row, "ada")
    assert given_to(row, "cem")
    assert row.slots.get().priority == FIRST
    event = AuditEvent.objects.get()
    assert (event.action, event.actor, event.details["candidate"]) == ("row_put_back", lead, row.pk)


def test_put_back_it_takes_two_more_skips(row: Candidate) -> None:
    skip(row, "ada")
    skip(row, "bob")
    put_back(candidate=row, version=live(row.criteria_set), actor=user("dot"))

    skip(row, "cem")

    assert not waits_for_leads(row)


def test_put_back_where_all_have_skipped_it_goes_to_them_again(row: Candidate) -> None:
    User.objects.exclude(username__in=["ada", "bob"]).update(is_active=False)
    skip(row, "ada")
    skip(row, "bob")

    put_back(candidate=row, version=live(row.criteria_set), actor=user("dot"))

    assert given_to(row, "ada")
    assert not Skip.objects.current().exists()


def test_put_back_twice_is_refused_with_a_sentence(row: Candidate) -> None:
    skip(row, "ada")
    skip(row, "bob")
    put_back(candidate=row, version=live(row.criteria_set), actor=user("dot"))

    with pytest.raises(NotWanted, match="ruled on or put back meanwhile"):
        put_back(candidate=row, version=live(row.criteria_set), actor=user("dot"))


def test_a_ruling_takes_the_row_from_the_leads(row: Candidate) -> None:
    skip(row, "ada")
    skip(row, "bob")
    make_ruling(row)

    assert close_settled(version=live(row.criteria_set), candidate_ids=[row.pk], now=NOW) == 1
    assert not waits_for_leads(row)


def test_a_place_that_somebody_holds_stays_with_them(row: Candidate) -> None:
    skip(row, "ada")
    assert given_to(row, "cem")

    skip(row, "bob")

    assert given_to(row, "cem", NOW + timedelta(hours=2))
    assert not waits_for_leads(row)


def test_an_answered_skip_can_still_be_undone(row: Candidate) -> None:
    skip(row, "ada")
    skip(row, "bob")
    put_back(candidate=row, version=live(row.criteria_set), actor=user("dot"))

    undo(row, "bob")

    assert given_to(row, "bob")
    assert last_act(labeler=user("bob"), version=live(row.criteria_set)) is None


def test_a_row_whose_last_labeler_leaves_goes_to_the_leads(row: Candidate) -> None:
    lead = make_user(lead_of=row.criteria_set)
    skip(row, "ada")
    User.objects.filter(username__in=["cem", "dot", lead.username]).update(is_active=False)

    remove_member(membership=user("bob").memberships.get(), actor=lead)

    assert waits_for_leads(row)


def test_a_row_whose_last_labelers_account_is_closed_goes_to_the_leads(row: Candidate) -> None:
    skip(row, "ada")
    User.objects.filter(username__in=["cem", "dot"]).update(is_active=False)
    client = Client()
    client.force_login(User.objects.create_superuser("root"))

    bob, moment = user("bob"), {"date_joined_0": "2026-01-01", "date_joined_1": "10:00:00"}
    answer = client.post(f"/admin/auth/user/{bob.pk}/change/", {"username": "bob", **moment})

    assert answer.status_code == 302
    assert waits_for_leads(row)


def test_who_leaves_costs_as_many_queries_however_many_rows_were_skipped(row: Candidate) -> None:
    def cost(name: str, rows: int) -> int:
        for _ in range(rows):
            skip(make_candidate(row.criteria_set, slots=1), "ada")
        with CaptureQueriesContext(connection) as asked:
            remove_member(membership=user(name).memberships.get(), actor=user("ada"))
        return len(asked)

    assert cost("bob", 2) == cost("cem", 20)
    assert cost("dot", 0) > 0
    assert passed_on(live(row.criteria_set)).count() == 22


def test_members_are_only_read_in_the_administration(row: Candidate) -> None:
    client = Client()
    client.force_login(User.objects.create_superuser("root"))

    html = client.get(f"/admin/labeling/criteriaset/{row.criteria_set_id}/change/").content.decode()

    assert "ada" in html
    assert 'name="memberships-0-role"' not in html
