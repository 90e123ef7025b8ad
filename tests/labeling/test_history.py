"""A labeler's own labels: what is listed, what is not, and putting one right."""

import re
import time

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from labeling.models import CriteriaSet, Exposure, Label, Mark, Repeat, Skip, Slot
from labeling.services.labels import correct_label
from tests.factories import live, make_candidate, make_criteria_set, make_label, make_user, make_version

pytestmark = pytest.mark.django_db

URL = "/sets/summaries/label/history/"


@pytest.fixture
def criteria_set() -> CriteriaSet:
    return make_criteria_set("summaries")


@pytest.fixture
def labeler(criteria_set: CriteriaSet, client: Client) -> User:
    """A labeler of the set, logged in with `client`."""
    user = make_user("lena", labels=criteria_set)
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return user


@pytest.fixture
def label(criteria_set: CriteriaSet, labeler: User) -> Label:
    return make_label(make_candidate(criteria_set, "Mine, an output."), labeler)


def listed(client: Client, query: str = "") -> str:
    """The page below its head, which has a token of its own every time."""
    return client.get(URL + query).content.decode().split("<main")[1]


def edit_url(label: Label) -> str:
    return reverse("label_edit", args=["summaries", label.pk])


def test_ones_own_labels_are_listed_newest_first(client: Client, label: Label, labeler: User) -> None:
    newer = make_label(make_candidate(live_set(label), "Another output."), labeler, "fail")

    html = listed(client)

    assert html.index(f"Change row {newer.candidate_id}") < html.index(f"Change row {label.candidate_id}")


def live_set(label: Label) -> CriteriaSet:
    return label.version.criteria_set


def test_nothing_of_others_and_no_second_answer_is_in_it(client: Client, label: Label) -> None:
    make_label(make_candidate(live_set(label), "Theirs, unseen."), make_user())
    make_label(label.candidate, make_user(), "fail")
    before = listed(client)
    now = timezone.now()
    Repeat.objects.create(
        label=label, due_at=now, shown_at=now, answered_at=now, verdict="fail", comment="Hm."
    )

    assert listed(client) == before
    assert "Theirs, unseen." not in before
    assert "badge fail" not in before


def test_a_row_that_is_on_show_again_is_not_to_be_found(client: Client, label: Label) -> None:
    make_label(make_candidate(live_set(label), "Another output."), label.labeler)
    Repeat.objects.create(label=label, due_at=timezone.now(), shown_at=timezone.now())

    assert "Another output." in listed(client)
    assert "Mine, an output." not in listed(client) + listed(client, "?text=Mine")
    assert client.get(edit_url(label)).status_code == 404


def test_a_label_that_was_taken_back_is_not_listed(client: Client, label: Label) -> None:
    Label.objects.update(withdrawn_at=timezone.now())

    assert "You have not labelled a row here yet." in listed(client)


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("?verdict=pass", True),
        ("?verdict=fail", False),
        ("?text=an+output", True),
        ("?text=elsewhere", False),
        ("?verdict=maybe", True),
    ],
)
def test_the_list_is_narrowed(client: Client, label: Label, query: str, shown: bool) -> None:
    assert ("Mine, an output." in listed(client, query)) is shown


def test_a_change_supersedes_and_says_from_what(client: Client, label: Label) -> None:
    client.post(edit_url(label), {"verdict": "fail", "comment": "It misses the date.", "mark-1": "0"})

    changed = Label.objects.current().get()
    assert (changed.verdict, changed.comment, changed.supersedes) == ("fail", "It misses the date.", label)
    assert changed.source == Label.Source.HISTORY
    assert Mark.objects.get(label=changed).score == 0
    assert "changed from pass" in listed(client)


def test_the_form_shows_the_label_as_it_stands(client: Client, label: Label) -> None:
    changed = correct_label(
        label=label, verdict="fail", marks={"meets_criteria": 0}, comment="Not so.", now=timezone.now()
    )

    html = client.get(edit_url(changed)).content.decode()

    assert re.search(r'name="verdict" value="fail"[^>]* checked', html)
    assert re.search(r'name="mark-1" value="0"[^>]* checked', html)
    assert ">Not so.</textarea>" in html


def test_what_is_wrong_is_said_and_nothing_changes(client: Client, label: Label) -> None:
    response = client.post(edit_url(label), {"comment": "No verdict."})

    assert response.status_code == 422
    assert "Choose pass or fail." in response.content.decode()
    assert Label.objects.get() == label


def test_who_saw_others_is_warned_before_changing(client: Client, label: Label, labeler: User) -> None:
    warning = "the row would lose your vote"
    assert warning not in client.get(edit_url(label)).content.decode()

    Exposure.objects.create(
        user=labeler, candidate=label.candidate, version=label.version, what=Exposure.What.LABELS
    )

    assert warning in client.get(edit_url(label)).content.decode()


def test_the_way_to_others_is_there_only_where_the_set_shows_labels(client: Client, label: Label) -> None:
    address = reverse("candidate", args=["summaries", label.candidate_id])
    assert address in listed(client)

    CriteriaSet.objects.update(shows_labels=False)

    assert address not in listed(client)


def test_a_label_under_an_earlier_version_is_marked_and_changed_there(client: Client, label: Label) -> None:
    make_version(live_set(label), live=True)
    assert "criteria version 1" in listed(client)

    client.post(edit_url(label), {"verdict": "fail"})

    assert Label.objects.current().get().version == label.version


def test_a_label_that_was_carried_is_listed_once(client: Client, label: Label, labeler: User) -> None:
    make_version(live_set(label), live=True)
    carried = make_label(label.candidate, labeler)
    Label.objects.filter(pk=carried.pk).update(carried_from=label, source="carried")

    assert listed(client).count("Change row") == 1


def test_nobody_changes_what_another_said(client: Client, label: Label) -> None:
    theirs = make_label(label.candidate, make_user())

    assert client.post(edit_url(theirs), {"verdict": "fail"}).status_code == 404
    assert not Label.objects.exclude(superseded_at=None).exists()


def test_more_labels_cost_no_more_queries(client: Client, criteria_set: CriteriaSet, labeler: User) -> None:
    def queries(labels: int) -> int:
        for _ in range(labels):
            given = make_label(make_candidate(criteria_set), labeler)
            correct_label(
                label=given, verdict="fail", marks={"meets_criteria": 0}, comment="x", now=timezone.now()
            )
        with CaptureQueriesContext(connection) as context:
            listed(client)
        return len(context)

    assert queries(1) == queries(10)


@pytest.fixture
def skip(criteria_set: CriteriaSet, labeler: User) -> Skip:
    """A row that the labeler skipped and that nobody has decided yet."""
    row = make_candidate(criteria_set, "Hard to tell.", slots=1)
    return Skip.objects.create(
        candidate=row, version=live(criteria_set), labeler=labeler, reason="needs_expert"
    )


def test_what_was_skipped_is_found_again(client: Client, skip: Skip) -> None:
    html = listed(client, "?verdict=skipped")

    assert "You skipped 1 row; others decide it." in listed(client)
    assert "Hard to tell." in html
    assert "Somebody who knows the subject should decide" in html
    assert "Hard to tell." not in listed(client)


@pytest.mark.parametrize("verdict", ["pass", "fail"])
def test_where_a_skipped_row_is_tells_of_no_verdict(client: Client, skip: Skip, verdict: str) -> None:
    assert "<td>with others</td>" in listed(client, "?verdict=skipped")
    Slot.objects.update(state="lead")
    assert "<td>with the leads</td>" in listed(client, "?verdict=skipped")
    Slot.objects.update(state="done")
    make_label(skip.candidate, make_user(), verdict)

    html = listed(client, "?verdict=skipped")

    assert "<td>decided</td>" in html
    assert f"badge {verdict}" not in html
    assert "Take it back" not in html


def test_a_skipped_row_is_taken_back_and_shown(client: Client, skip: Skip, labeler: User) -> None:
    response = client.post(URL, {"skip": skip.pk}, follow=True)

    assert "Hard to tell." in response.content.decode()
    assert not Skip.objects.current().exists()
    assert Slot.objects.get().labeler == labeler


def test_a_skipped_row_that_somebody_has_is_not_taken_from_them(client: Client, skip: Skip) -> None:
    Slot.objects.update(labeler=make_user(), lease_until="2999-01-01T00:00Z")

    response = client.post(URL, {"skip": skip.pk}, follow=True)

    assert "somebody else has this row now" in response.content.decode()
    assert Skip.objects.current().exists()


def test_nobody_takes_back_what_another_skipped(client: Client, skip: Skip) -> None:
    Skip.objects.update(labeler=make_user())

    assert client.post(URL, {"skip": skip.pk}).status_code == 404


def test_the_time_of_putting_right_is_kept(client: Client, label: Label) -> None:
    client.post(edit_url(label), {"verdict": "fail", "shown": str(time.time() - 12)})

    seconds = Label.objects.current().get().seconds
    assert seconds is not None
    assert 12 <= seconds < 60
