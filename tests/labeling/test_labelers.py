"""Each labeler: how much, how fast, and how far others, rulings and they themselves agree."""

from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth.models import User
from pytest_django import DjangoAssertNumQueries

from labeling.models import Candidate, CriteriaSet, Label, Ruling, Skip
from labeling.services.labelers import Labeler, labelers_of, silent_members
from tests.factories import live, make_candidate, make_criteria_set, make_label, make_ruling, make_user
from tests.labeling.people import labelled, people, repeated

pytestmark = pytest.mark.django_db

P, F, NONE = "pass", "fail", ""
NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)


@pytest.fixture
def criteria_set() -> CriteriaSet:
    return make_criteria_set("replies")


@pytest.fixture
def ada(criteria_set: CriteriaSet) -> User:
    return make_user("ada", labels=criteria_set)


def of(labeler: User, criteria_set: CriteriaSet) -> Labeler:
    return next(each for each in labelers_of(live(criteria_set), NOW) if each.pk == labeler.pk)


def given(labels: list[Label], *, ago: int, **values: object) -> None:
    Label.objects.filter(pk__in=[each.pk for each in labels]).update(
        created_at=NOW - timedelta(days=ago), **values
    )


def test_labels_are_counted_by_day_and_those_of_files_only_in_all(
    criteria_set: CriteriaSet, ada: User
) -> None:
    labels = [make_label(make_candidate(criteria_set), ada, (P, F)[n % 2]) for n in range(10)]
    for part, ago in ((labels[:3], 0), (labels[3:5], 6), (labels[5:6], 7), (labels[6:7], 40)):
        given(part, ago=ago)
    given(labels[7:], ago=0, source="import")

    found = of(ada, criteria_set)

    assert (found.today, found.week, found.labels, found.pass_share) == (3, 5, 10, 0.5)
    assert [n for _, n in found.days if n] == [1, 2, 3]


def test_time_away_is_apart_from_the_pace(criteria_set: CriteriaSet, ada: User) -> None:
    for seconds, idle in ((10, 0), (20, 600), (40, None), (None, None)):
        label = make_label(make_candidate(criteria_set), ada)
        given([label], ago=0, seconds=seconds, idle_seconds=idle)

    found = of(ada, criteria_set)

    assert found.pace is not None
    assert (found.pace.median, found.pace.n, found.idle) == (20, 3, 600)


def test_others_are_what_most_of_them_say(criteria_set: CriteriaSet, ada: User) -> None:
    others = people(3)
    rows = [(P, P, P, F), (P, F, F, NONE), (F, F, NONE, NONE), (F, F, F, F), (P, P, P, P), (F, P, P, NONE)]
    labelled(criteria_set, [ada, *others], *rows, (P, F, P, NONE), (P, NONE, NONE, NONE))

    found = of(ada, criteria_set).others

    # One row is a tie of the others, one is hers alone: neither counts.
    assert found is not None
    assert (found.same, found.rows) == (4, 6)


def test_rulings_of_others_count_and_ones_own_do_not(criteria_set: CriteriaSet, ada: User) -> None:
    for verdict, ruled_by, blind in (
        (P, None, True),
        (F, make_user(), True),
        (P, ada, True),
        (F, None, False),
    ):
        row = make_candidate(criteria_set)
        make_label(row, ada, P)
        Ruling.objects.filter(pk=make_ruling(row, verdict, blind=blind).pk).update(ruled_by=ruled_by)

    found = of(ada, criteria_set).rulings

    assert found is not None
    assert (found.same, found.rows) == (1, 2)


def test_labels_given_after_a_look_are_compared_with_nothing(criteria_set: CriteriaSet, ada: User) -> None:
    row = make_candidate(criteria_set)
    make_label(row, ada, P, blind=False)
    make_label(row, make_user(), P)
    make_ruling(row, P)

    found = of(ada, criteria_set)

    assert found.labels == 1
    assert found.others is not None
    assert found.rulings is not None
    assert (found.others.rows, found.rulings.rows) == (0, 0)


def test_second_answers_and_skips_are_told(criteria_set: CriteriaSet, ada: User) -> None:
    for first, second in ((P, P), (F, F), (P, F)):
        repeated(make_label(make_candidate(criteria_set), ada, first), second)
    for row in Candidate.objects.all()[:2]:
        Skip.objects.create(candidate=row, version=live(criteria_set), labeler=ada, reason="broken_row")

    found = of(ada, criteria_set)

    assert found.again is not None
    assert (found.again.same, found.again.rows, found.skips) == (2, 3, 2)


def test_who_begins_to_differ_is_found_and_who_does_not_is_not(criteria_set: CriteriaSet, ada: User) -> None:
    bo, cy = make_user("bo"), make_user("cy")
    for day in range(10):
        for number in range(4):
            wrong = F if day >= 5 and number else P
            [labels] = labelled(criteria_set, [ada, bo, cy], (wrong, P, P))
            given(labels, ago=20 - day)

    of_ada, of_bo = of(ada, criteria_set), of(bo, criteria_set)

    assert of_ada.change is not None
    assert (of_ada.change.before, of_ada.change.after) == ((20, 20), (5, 20))
    assert (of_ada.changed, of_ada.change.worse, of_bo.changed) == (True, True, False)


def test_a_backlog_of_rulings_accuses_nobody(criteria_set: CriteriaSet, ada: User) -> None:
    bo = make_user("bo")
    for day in range(10):
        for number in range(10):
            [labels] = labelled(criteria_set, [ada, bo], (F if number < 4 else P, P))
            given(labels, ago=20 - day)
            if day < 5 and number < 4:
                make_ruling(labels[0].candidate, F)  # the first half is ruled on already, all as she said

    found = of(ada, criteria_set)

    assert found.change is not None
    assert (found.change.before, found.change.after, found.changed) == ((30, 50), (30, 50), False)


def test_two_people_are_one_comparison(criteria_set: CriteriaSet, ada: User) -> None:
    bo = make_user("bo")
    for day in range(2):
        for number in range(20):
            [labels] = labelled(criteria_set, [ada, bo], (F if day and number < 5 else P, P))
            given(labels, ago=2 - day)

    of_ada, of_bo = of(ada, criteria_set), of(bo, criteria_set)

    # Fisher's p of 20 of 20 and 15 of 20 is .047: below .05, and not below half of it.
    assert of_ada.change == of_bo.change
    assert (of_ada.changed, of_bo.changed) == (True, True)


def test_members_who_said_nothing_are_named(criteria_set: CriteriaSet, ada: User) -> None:
    make_user("bo", labels=criteria_set)
    make_label(make_candidate(criteria_set), ada)

    assert silent_members(live(criteria_set)) == ["bo"]


def test_it_asks_as_often_for_twenty_people_as_for_two(
    criteria_set: CriteriaSet, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    labelled(criteria_set, people(2), (P, F), (P, P))
    with django_assert_num_queries(6):
        labelers_of(live(criteria_set), NOW)

    labelled(criteria_set, people(20), (P,) * 20, (F,) * 20, (P, F) * 10)

    with django_assert_num_queries(6):
        assert len(labelers_of(live(criteria_set), NOW)) == 22
