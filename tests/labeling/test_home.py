"""The first page: what there is to do, for whom."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from labeling.models import CriteriaSet, Repeat
from labeling.services.progress import decided_today
from labeling.views.home import make_cards
from tests.factories import make_candidate, make_criteria_set, make_label, make_user

pytestmark = pytest.mark.django_db


def busy_set() -> CriteriaSet:
    """Four rows: one labelled, one in conflict, two waiting for a first label."""
    criteria_set, ada, bo = make_criteria_set(), make_user(), make_user()
    settled, tied, *_ = (make_candidate(criteria_set, slots=2) for _ in range(4))
    make_label(settled, ada)
    make_label(tied, ada, "pass")
    make_label(tied, bo, "fail")
    return criteria_set


def test_a_card_counts_what_there_is_to_do() -> None:
    criteria_set = busy_set()
    lead = make_user(lead_of=criteria_set)

    [card] = make_cards(lead, [criteria_set])

    assert (card.rows, card.settled, card.conflicts, card.to_label) == (4, 1, 1, 4)
    assert card.leads


def test_rows_that_i_labelled_or_somebody_holds_do_not_wait_for_me() -> None:
    criteria_set = make_criteria_set()
    me, other = make_user(labels=criteria_set), make_user(labels=criteria_set)
    mine, held, _ = (make_candidate(criteria_set, slots=1) for _ in range(3))
    make_label(mine, me)
    held.slots.update(labeler=other, lease_until="2999-01-01T00:00Z")

    assert make_cards(me, [criteria_set])[0].to_label == 1
    assert make_cards(other, [criteria_set])[0].to_label == 3


def test_a_labeler_reads_how_far_todays_goal_is(client: Client) -> None:
    criteria_set = make_criteria_set("notes")
    ada, rows = make_user(labels=criteria_set), [make_candidate(criteria_set, slots=1) for _ in range(3)]
    client.force_login(ada)
    make_label(rows[0], ada)

    def after(goal: int) -> str:
        CriteriaSet.objects.update(daily_goal=goal)
        return client.get("/").text

    assert "1 more row and today’s goal is reached." in after(2)
    assert "After these 2 rows nothing waits for you here." in after(50)
    assert "Today’s goal is reached." in after(1)


def test_hidden_repeats_are_counted_as_the_page_counts_them(client: Client) -> None:
    criteria_set = make_criteria_set("notes")
    criteria_set.repeat_share = 1
    criteria_set.save()
    ada = make_user(labels=criteria_set)
    first, last = (make_label(make_candidate(criteria_set), ada) for _ in range(2))
    for label, answered in ((first, None), (last, timezone.now())):
        verdict = "pass" if answered else ""
        Repeat.objects.create(label=label, due_at=timezone.now(), answered_at=answered, verdict=verdict)

    [card] = make_cards(ada, [criteria_set])

    assert (card.to_label, card.today) == (1, 3)
    assert card.today == decided_today(criteria_set=criteria_set, labeler=ada, now=timezone.now())


def test_a_labeler_reads_no_figure_that_moves_with_what_others_say(client: Client) -> None:
    criteria_set = busy_set()

    client.force_login(make_user(lead_of=criteria_set))
    assert "Settled" in client.get("/").text
    client.force_login(make_user(labels=criteria_set))
    assert "Settled" not in client.get("/").text


def test_only_ones_own_sets_are_listed(client: Client) -> None:
    mine, _ = make_criteria_set("mine"), make_criteria_set("others")
    client.force_login(make_user(labels=mine))

    page = client.get("/").text

    assert "Mine" in page
    assert "Others" not in page


def test_a_labeler_is_not_offered_a_leads_pages(client: Client) -> None:
    criteria_set = busy_set()
    client.force_login(make_user(labels=criteria_set))

    page = client.get("/").text

    assert f"/sets/{criteria_set.slug}/golden/" in page
    assert "Conflicts" not in page
    assert "rulings" not in page


def test_an_empty_page_says_what_to_do(client: Client) -> None:
    user = make_user("ada")
    client.force_login(user)
    assert "Ask a lead to add you" in client.get("/").text

    user.is_superuser = True
    user.save()
    assert "New criteria set" in client.get("/").text


def test_more_sets_ask_no_more_queries(client: Client) -> None:
    admin = make_user()
    admin.is_superuser = True
    admin.save()
    client.force_login(admin)

    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            client.get("/")
        return len(captured)

    for _ in range(3):
        busy_set()
    few = queries()
    for _ in range(3):
        busy_set()

    assert queries() == few


def test_who_is_not_logged_in_is_sent_to_the_login(client: Client) -> None:
    assert client.get("/").headers["Location"] == "/accounts/login/?next=/"
