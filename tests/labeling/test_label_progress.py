"""Figures beside a row: today's goal and the set's, and that they tell nothing of what others said."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from labeling.models import Candidate, CriteriaSet, Label, Repeat, Slot
from labeling.services.counts import counts_of
from labeling.services.labels import correct_label
from labeling.services.progress import decided_today, progress_of, rows_with_their_labels
from labeling.services.queue import rows_left
from tests.factories import live, make_candidate, make_criteria_set, make_label, make_ruling, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def criteria_set() -> CriteriaSet:
    cache.clear()
    return make_criteria_set("summaries")


@pytest.fixture
def labeler(criteria_set: CriteriaSet, client: Client) -> User:
    """A labeler of the set, logged in with `client`."""
    user = make_user("lena", labels=criteria_set)
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return user


def counted(criteria_set: CriteriaSet) -> int:
    return rows_with_their_labels(live(criteria_set), timezone.now() + timedelta(seconds=1))


def decided(criteria_set: CriteriaSet, *verdicts: str) -> Candidate:
    """A row with these labels, and nobody else wanted."""
    row = make_candidate(criteria_set)
    for verdict in verdicts:
        make_label(row, make_user(), verdict)
    return row


def test_rows_count_when_they_have_their_labels_agreed_or_not(criteria_set: CriteriaSet) -> None:
    decided(criteria_set, "pass", "pass")
    decided(criteria_set, "pass", "fail")
    make_ruling(make_candidate(criteria_set))
    make_candidate(criteria_set)

    assert counted(criteria_set) == 3


def test_a_row_of_which_a_label_is_wanted_does_not_count(criteria_set: CriteriaSet) -> None:
    row = decided(criteria_set, "pass")
    for _ in range(2):
        make_user(labels=criteria_set)

    Slot.objects.create(candidate=row, version=live(criteria_set), number=2)

    assert counted(criteria_set) == 0


def test_a_row_does_not_count_at_the_moment_it_gets_its_last_label(
    criteria_set: CriteriaSet, labeler: User
) -> None:
    row, now = decided(criteria_set, "pass"), timezone.now()
    Label.objects.update(created_at=now - timedelta(hours=1))

    make_label(row, labeler, "fail")

    assert rows_with_their_labels(live(criteria_set), now - timedelta(minutes=5)) == 0
    assert counted(criteria_set) == 1


def test_the_figure_of_the_set_stands_still_for_ten_minutes(criteria_set: CriteriaSet, labeler: User) -> None:
    version, noon = live(criteria_set), timezone.now().replace(hour=12, minute=0, second=0, microsecond=0)
    noon += timedelta(days=1)
    first = progress_of(version=version, labeler=labeler, now=noon + timedelta(seconds=1))
    decided(criteria_set, "pass")

    still = progress_of(version=version, labeler=labeler, now=noon + timedelta(seconds=599))
    later = progress_of(version=version, labeler=labeler, now=noon + timedelta(seconds=600))

    assert (first.rows, still.rows, later.rows) == (0, 0, 1)
    assert (first.as_of, still.as_of) == (noon, noon)


def test_a_second_answer_counts_today_and_an_old_label_put_right_does_not(
    criteria_set: CriteriaSet, labeler: User
) -> None:
    now = timezone.now()
    old, other = (make_label(make_candidate(criteria_set), labeler) for _ in range(2))
    Label.objects.update(created_at=now - timedelta(days=2))
    Repeat.objects.create(label=other, due_at=now, shown_at=now, answered_at=now, verdict="pass")
    old.refresh_from_db()
    correct_label(label=old, verdict="fail", marks={}, comment="", now=now)

    assert decided_today(criteria_set=criteria_set, labeler=labeler, now=now) == 1


def test_what_is_put_right_changes_no_count_of_today(criteria_set: CriteriaSet, labeler: User) -> None:
    now = timezone.now()
    old, new = (make_label(make_candidate(criteria_set), labeler) for _ in range(2))
    Label.objects.filter(pk=old.pk).update(created_at=now - timedelta(days=2))

    for label in (old, new):
        for verdict, source in (("fail", Label.Source.BROWSER), ("pass", Label.Source.HISTORY)):
            label = correct_label(label=label, verdict=verdict, marks={}, comment="", source=source, now=now)

    assert decided_today(criteria_set=criteria_set, labeler=labeler, now=now) == 1
    sets = CriteriaSet.objects.all()
    assert counts_of(labeler, sets)[criteria_set.pk].today == 1


def test_the_home_page_counts_repeats_as_the_labeling_page_does(
    criteria_set: CriteriaSet, labeler: User
) -> None:
    CriteriaSet.objects.update(repeat_share=1)
    label, now = make_label(make_candidate(criteria_set), labeler), timezone.now()
    Repeat.objects.create(label=label, due_at=now)

    def counted() -> tuple[int, int]:
        version = CriteriaSet.objects.select_related("live_version").get().live_version
        assert version
        left = rows_left(version=version, labeler=labeler, now=timezone.now()).rows
        return counts_of(labeler, CriteriaSet.objects.all())[criteria_set.pk].to_label, left

    assert counted() == (0, 0)
    make_label(make_candidate(criteria_set), labeler)
    assert counted() == (1, 1)


def test_the_row_that_reaches_todays_goal_is_followed_by_a_kind_sentence(
    client: Client, criteria_set: CriteriaSet, labeler: User
) -> None:
    CriteriaSet.objects.update(daily_goal=1)
    make_candidate(criteria_set, slots=1)
    url = "/sets/summaries/label/"
    assert "0</b> of 1 today" in client.get(url).content.decode()

    make_label(make_candidate(criteria_set), labeler)
    reached = client.get(url).content.decode()
    make_label(make_candidate(criteria_set), labeler)

    assert "Today's goal is reached: 1 row.</b> Thank you! A good moment for a pause" in reached
    assert "goal is reached" not in client.get(url).content.decode()


def test_without_goals_nothing_is_aimed_at(client: Client, criteria_set: CriteriaSet, labeler: User) -> None:
    CriteriaSet.objects.update(daily_goal=0, rows_goal=0)
    make_candidate(criteria_set, slots=1)

    html = client.get("/sets/summaries/label/").content.decode()

    assert "0</b> labelled today" in html
    assert "<progress" not in html
