"""Rows that come back to the same person: unannounced, apart in time, and without effect on any verdict."""

from datetime import datetime, timedelta
from decimal import Decimal
from itertools import pairwise
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from labeling.models import Candidate, CriteriaSet, CriteriaVersion, Draft, Label, Repeat
from labeling.services.drafts import draft_of, save_draft
from labeling.services.labels import Given, correct_label, current_answer, give_label, skip_row
from labeling.services.progress import decided_today
from labeling.services.queue import next_row, renew_lease, rows_left
from labeling.services.undo import act_name, last_act, undo_last
from tests.factories import live, make_candidate, make_criteria_set, make_user, make_version

pytestmark = pytest.mark.django_db


@pytest.fixture
def now() -> datetime:
    return timezone.now()


@pytest.fixture
def tomorrow(now: datetime) -> datetime:
    return now + timedelta(days=2)


@pytest.fixture
def criteria_set() -> CriteriaSet:
    """All labels of this set come back."""
    criteria_set = make_criteria_set()
    criteria_set.repeat_share = Decimal(1)
    criteria_set.save()
    return criteria_set


@pytest.fixture
def version(criteria_set: CriteriaSet) -> CriteriaVersion:
    return live(criteria_set)


@pytest.fixture
def labeler(criteria_set: CriteriaSet) -> User:
    return make_user(labels=criteria_set)


def give(row: Candidate, labeler: User, now: datetime, verdict: str = "pass", **said: Any) -> Given:
    given: dict[str, Any] = {"marks": {}, "comment": "", "seconds": 7, "idle_seconds": 3} | said
    version = live(row.criteria_set)
    return give_label(candidate=row, version=version, labeler=labeler, verdict=verdict, now=now, **given)


def work(labeler: User, criteria_set: CriteriaSet, now: datetime, rows: int) -> list[Candidate]:
    """Label as many rows as come, one a minute, new ones made as they are needed; those that came."""
    came = []
    for minute in range(rows):
        make_candidate(criteria_set, slots=1)
        moment = now + timedelta(minutes=minute)
        row = next_row(version=live(criteria_set), labeler=labeler, now=moment)
        assert row is not None
        label = give(row, labeler, moment).label
        if isinstance(label, Label):
            Label.objects.filter(pk=label.pk).update(created_at=moment)
        came.append(row)
    return came


@pytest.fixture
def first(criteria_set: CriteriaSet, labeler: User, now: datetime) -> Candidate:
    """A row that was labelled today and comes back, with another that was labelled after it and does not."""
    row = make_candidate(criteria_set, slots=1)
    give(row, labeler, now)
    give(make_candidate(criteria_set, slots=1), labeler, now)
    Repeat.objects.exclude(label__candidate=row).delete()
    return row


@pytest.fixture
def shown(first: Candidate, version: CriteriaVersion, labeler: User, tomorrow: datetime) -> Candidate:
    """That row, handed out once more."""
    assert next_row(version=version, labeler=labeler, now=tomorrow) == first
    return first


def test_a_repeat_is_due_on_another_day_at_the_earliest(
    first: Candidate, labeler: User, version: CriteriaVersion, now: datetime
) -> None:
    due = Repeat.objects.get().due_at

    assert due >= now + timedelta(hours=20)
    assert timezone.localtime(due).date() > timezone.localtime(now).date()
    assert next_row(version=version, labeler=labeler, now=due - timedelta(minutes=1)) is None


def test_the_share_is_drawn_by_the_row_and_the_person(criteria_set: CriteriaSet, now: datetime) -> None:
    CriteriaSet.objects.update(repeat_share="0.3", labels_per_row=2)
    rows = [make_candidate(criteria_set, f"Note {number}", slots=2) for number in range(40)]

    asked = []
    for labeler in (make_user("ada"), make_user("bob")):
        for row in rows:
            give(Candidate.objects.get(pk=row.pk), labeler, now)
        asked.append(set(Repeat.objects.filter(label__labeler=labeler).values_list("label__candidate")))

    assert asked[0] != asked[1]
    assert all(5 <= len(each) <= 20 for each in asked)


def test_the_second_answer_is_no_label_and_changes_nothing(
    shown: Candidate, labeler: User, version: CriteriaVersion, tomorrow: datetime
) -> None:
    given = give(shown, labeler, tomorrow, "fail", marks={"meets_criteria": 0}, comment="Now I see.")

    [repeat] = Repeat.objects.answered()
    assert given == Given(repeat, already=False)
    assert (repeat.verdict, repeat.marks, repeat.comment) == ("fail", {"meets_criteria": 0}, "Now I see.")
    assert (repeat.seconds, repeat.idle_seconds, repeat.blind) == (7, 3, True)
    assert Candidate.objects.with_truth(version).get(pk=shown.pk).truth == "pass"
    assert Label.objects.count() == 2


def test_sent_twice_the_second_answer_stands_and_is_what_is_told(
    shown: Candidate, labeler: User, version: CriteriaVersion, tomorrow: datetime
) -> None:
    first = give(shown, labeler, tomorrow, "fail").label

    again = give(shown, labeler, tomorrow, "pass")

    assert again == Given(first, already=True)
    assert current_answer(candidate=shown, version=version, labeler=labeler) == first


def test_the_second_answer_is_corrected_like_a_label(
    shown: Candidate, labeler: User, tomorrow: datetime
) -> None:
    answer = give(shown, labeler, tomorrow, "fail").label

    assert isinstance(answer, Repeat)
    corrected = correct_label(label=answer, verdict="pass", marks={}, comment="No.", now=tomorrow)

    assert list(Repeat.objects.answered()) == [corrected]
    assert Repeat.objects.count() == 2
    assert not Label.objects.exclude(superseded_at=None).exists()


def test_repeats_come_between_others_at_places_that_nobody_can_tell(
    criteria_set: CriteriaSet, labeler: User, now: datetime, tomorrow: datetime
) -> None:
    yesterday = work(labeler, criteria_set, now, 12)

    came = work(labeler, criteria_set, tomorrow, 60)

    places = [place for place, row in enumerate(came) if row in yesterday]
    gaps = {after - before for before, after in pairwise(places)}
    assert places[0] >= 2
    assert len(gaps) > 1
    assert max(gaps) <= 10


def test_the_row_that_was_labelled_last_does_not_come_at_once(
    criteria_set: CriteriaSet, version: CriteriaVersion, labeler: User, now: datetime, tomorrow: datetime
) -> None:
    give(make_candidate(criteria_set, slots=1), labeler, now)

    assert next_row(version=version, labeler=labeler, now=tomorrow) is None
    assert rows_left(version=version, labeler=labeler, now=tomorrow).rows == 0


def test_it_counts_like_any_row(
    first: Candidate, labeler: User, version: CriteriaVersion, tomorrow: datetime
) -> None:
    assert rows_left(version=version, labeler=labeler, now=tomorrow).rows == 1
    next_row(version=version, labeler=labeler, now=tomorrow)
    assert rows_left(version=version, labeler=labeler, now=tomorrow).rows == 1

    give(first, labeler, tomorrow)

    assert rows_left(version=version, labeler=labeler, now=tomorrow).rows == 0
    assert decided_today(criteria_set=version.criteria_set, labeler=labeler, now=tomorrow) == 1


def test_it_stays_theirs_while_it_is_on_show(
    shown: Candidate, criteria_set: CriteriaSet, version: CriteriaVersion, labeler: User, tomorrow: datetime
) -> None:
    make_candidate(criteria_set, slots=1)
    later = tomorrow + timedelta(hours=3)

    assert next_row(version=version, labeler=labeler, now=later) == shown
    until = renew_lease(candidate=shown, version=version, labeler=labeler, now=later)
    assert until
    assert until > later


def test_what_is_typed_is_kept_and_forgotten_like_of_any_row(
    shown: Candidate, version: CriteriaVersion, labeler: User, tomorrow: datetime
) -> None:
    row: dict[str, Any] = {"candidate": shown, "version": version, "labeler": labeler}

    assert save_draft(**row, content={"comment": "hm"}, now=tomorrow)
    give(shown, labeler, tomorrow)

    assert not Draft.objects.exists()
    assert save_draft(**row, content={"comment": "late"}, now=tomorrow) is None


def test_undo_asks_again_at_once_and_keeps_what_was_said(
    shown: Candidate, criteria_set: CriteriaSet, version: CriteriaVersion, labeler: User, tomorrow: datetime
) -> None:
    answer = give(shown, labeler, tomorrow, "fail", comment="No date.").label
    make_candidate(criteria_set, slots=1)
    assert next_row(version=version, labeler=labeler, now=tomorrow) != shown
    last = last_act(labeler=labeler, version=version)
    assert last == answer
    assert last is not None

    later = tomorrow + timedelta(seconds=9)
    undo_last(labeler=labeler, version=version, now=later, act=act_name(last))

    assert next_row(version=version, labeler=labeler, now=later) == shown
    draft = draft_of(candidate=shown, version=version, labeler=labeler)
    assert draft
    assert draft.content == {"comment": "No date.", "verdict": "fail", "marks": {}}
    assert not Repeat.objects.answered().exists()
    assert decided_today(criteria_set=version.criteria_set, labeler=labeler, now=tomorrow) == 0


def test_undo_of_a_change_has_the_first_of_the_second_answers_count_again(
    shown: Candidate, version: CriteriaVersion, labeler: User, tomorrow: datetime
) -> None:
    answer = give(shown, labeler, tomorrow, "fail").label
    assert isinstance(answer, Repeat)
    later = tomorrow + timedelta(seconds=9)
    correct_label(label=answer, verdict="pass", marks={}, comment="", now=later)

    undo_last(labeler=labeler, version=version, now=later)
    assert list(Repeat.objects.answered()) == [answer]

    undo_last(labeler=labeler, version=version, now=later)
    assert next_row(version=version, labeler=labeler, now=later) == shown


def test_a_skip_ends_it_and_undo_brings_it_back(
    shown: Candidate, version: CriteriaVersion, labeler: User, tomorrow: datetime
) -> None:
    skip_row(candidate=shown, version=version, labeler=labeler, reason="broken_row", comment="", now=tomorrow)
    assert next_row(version=version, labeler=labeler, now=tomorrow) is None
    assert shown.slots.get().state == "done"
    assert not shown.skips.exists()

    undo_last(labeler=labeler, version=version, now=tomorrow)

    assert next_row(version=version, labeler=labeler, now=tomorrow) == shown
    give(shown, labeler, tomorrow)
    assert Repeat.objects.answered().count() == 1


@pytest.mark.parametrize("how", ["corrected", "withdrawn", "replaced", "switched off"])
def test_it_is_dropped_with_what_it_repeats(
    how: str, first: Candidate, criteria_set: CriteriaSet, labeler: User, now: datetime, tomorrow: datetime
) -> None:
    label = first.labels.get()
    if how == "corrected":
        correct_label(label=label, verdict="fail", marks={}, comment="", now=now)
    elif how == "withdrawn":
        Label.objects.filter(pk=label.pk).update(withdrawn_at=now)
    elif how == "replaced":
        make_version(criteria_set, live=True)
    else:
        CriteriaSet.objects.update(repeat_share=0)

    criteria_set.refresh_from_db()
    assert next_row(version=live(criteria_set), labeler=labeler, now=tomorrow) is None
