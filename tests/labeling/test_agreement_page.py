"""The page of agreement: for leads, in words, with no figure where there is nothing to tell."""

from dataclasses import replace
from datetime import date

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from labeling.domain.agreement import Interval, Table
from labeling.domain.labelers import Change, compared, pace_of
from labeling.models import CriteriaSet, Draw, Membership
from labeling.services.human_agreement import HumanAgreement
from labeling.services.labelers import Labeler
from labeling.views.agreement import hints, words_of
from tests.factories import (
    live,
    make_candidate,
    make_criteria_set,
    make_label,
    make_ruling,
    make_user,
    make_version,
)
from tests.labeling.people import graded, labelled, mark, people, repeated

pytestmark = pytest.mark.django_db

P, F = "pass", "fail"
PAGE = "/sets/notes/agreement/"


@pytest.fixture
def criteria_set(client: Client) -> CriteriaSet:
    """The client is its lead's."""
    criteria_set = make_criteria_set("notes")
    client.force_login(make_user("lead", lead_of=criteria_set))
    return criteria_set


def words(client: Client, address: str = PAGE) -> str:
    answer = client.get(address)
    assert answer.status_code == 200
    return " ".join(answer.text.split())


def labelers(criteria_set: CriteriaSet, *names: str) -> list[User]:
    return [make_user(name, labels=criteria_set) for name in names]


def test_two_people_are_told_in_words(client: Client, criteria_set: CriteriaSet) -> None:
    rows = [(P, P)] * 30 + [(P, F)] * 4 + [(F, P)] * 6 + [(F, F)] * 20
    labelled(criteria_set, labelers(criteria_set, "ada", "bo"), *rows)

    page = words(client)

    assert "<dd>0.658</dd>" in page
    assert "That is substantial" in page
    assert "about 0.81 against single labels" in page  # √.658
    assert "ada and bo" in page
    assert "differs on 10 of 60" in page


def test_one_person_is_told_as_one_person(client: Client, criteria_set: CriteriaSet) -> None:
    for first, second in [(P, P)] * 9 + [(F, F)] * 6 + [(P, F)]:
        [[label]] = labelled(criteria_set, [ada(criteria_set)], (first,))
        repeated(label, second)

    page = words(client)

    assert "People with themselves" in page
    assert "It is an upper limit of how far they would agree with anybody else." in page
    assert "Pairs of labelers" not in page


def ada(criteria_set: CriteriaSet) -> User:
    return User.objects.filter(username="ada").first() or make_user("ada", labels=criteria_set)


def test_where_nobody_labelled_it_says_what_to_do(client: Client, criteria_set: CriteriaSet) -> None:
    page = words(client)

    assert "Nobody has labelled a row" in page
    assert "None" not in page


def test_a_few_rows_give_no_figure(client: Client, criteria_set: CriteriaSet) -> None:
    labelled(criteria_set, labelers(criteria_set, "ada", "bo"), (P, F), (F, F), (P, P))

    page = words(client)

    assert "3 rows that two people labelled are too few to tell" in page
    assert "3 rows, too few to tell" in page
    assert "None" not in page


def test_many_rows_that_all_say_the_same_are_not_called_few(
    client: Client, criteria_set: CriteriaSet
) -> None:
    labelled(criteria_set, labelers(criteria_set, "ada", "bo"), *[(P, P)] * 39, (P, F))

    page = words(client)

    assert "40 rows have labels of two people or more, but (almost) all of them say the same" in page
    assert "0.000" not in page
    assert "too few to tell" not in page


def test_rulings_have_counts_and_no_kappa_and_few_rows_no_interval(
    client: Client, criteria_set: CriteriaSet
) -> None:
    two = labelers(criteria_set, "ada", "bo")
    for labels in labelled(criteria_set, two, *[(P, P), (F, F), (P, F)] * 4):
        make_ruling(labels[0].candidate, labels[1].verdict)
    Draw.objects.create(version=live(criteria_set), strategy="stratified")

    page = words(client)

    assert '<td data-label="With rulings"> <div>differs on 4 of 12</div> </td>' in page
    assert "too few rows for an interval: 12 of 20" in page
    assert "count each row once and are not weighed" in page
    assert "It is the figure of 12 rows only" in " ".join(words_of(few_and_low()))


def few_and_low() -> HumanAgreement:
    return HumanAgreement(0.4, None, 12, 2, 0, "Cohen's kappa")


def test_the_version_is_chosen(client: Client, criteria_set: CriteriaSet) -> None:
    make_version(criteria_set)
    labelled(criteria_set, labelers(criteria_set, "ada"), (P,))

    assert "Nobody has labelled" not in words(client)
    assert "Nobody has labelled a row under version 2" in words(client, f"{PAGE}?version=2")
    assert client.get(f"{PAGE}?version=3").status_code == 404


def test_each_criterion_has_a_line(client: Client, criteria_set: CriteriaSet) -> None:
    tone, two = graded(criteria_set), labelers(criteria_set, "ada", "bo")
    for scores in ((1, 1), (2, 3), (5, 4), (4, 4), (2, 2)):
        for label, score in zip(labelled(criteria_set, two, (P, P))[0], scores, strict=True):
            mark(label, tone, score)

    page = words(client)

    assert "quadratic-weighted kappa" in page
    assert "No row has marks of two people." in page


@pytest.mark.parametrize(("role", "status"), [("labeler", 403), (None, 404), ("lead", 200)])
def test_colleagues_see_nothing_of_each_other(
    client: Client, criteria_set: CriteriaSet, role: str | None, status: int
) -> None:
    cleo = make_user("cleo")
    if role:
        Membership.objects.create(user=cleo, criteria_set=criteria_set, role=role)
    make_label(make_candidate(criteria_set), ada(criteria_set))
    client.force_login(cleo)

    answer = client.get(PAGE)

    assert answer.status_code == status
    assert ("ada" in answer.text) == (status == 200)
    assert ("/agreement/" in client.get("/sets/notes/golden/").text) == (status == 200)


def test_it_asks_as_often_for_many_rows_and_people(client: Client, criteria_set: CriteriaSet) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as asked:
            words(client)
        return len(asked)

    labelled(criteria_set, people(3), *[(P, F, P), (F, F, F), (P, P, P)] * 3)
    few = queries()
    labelled(criteria_set, people(6), *[(P, F, P, F, F, P), (F,) * 6] * 6)

    assert queries() == few


@pytest.mark.parametrize(
    ("kappa", "said"),
    [
        (0.85, "That is strong"),
        (0.59, "every certificate warns of it"),
        (0.41, "it certifies none"),
        (-0.2, "about 0.00 against"),
    ],
)
def test_words_by_the_bands(kappa: float, said: str) -> None:
    found = HumanAgreement(kappa, Interval(kappa - 0.1, kappa + 0.1), 60, 2, 0, "Cohen's kappa")

    assert said in " ".join(words_of(found))


def test_who_was_left_out_is_said() -> None:
    found = HumanAgreement(0.7, None, 60, 3, 1, "Krippendorff's alpha")

    assert "1 person is left out" in " ".join(words_of(found))


def test_hints_are_told_with_their_numbers() -> None:
    change = Change(date(2026, 11, 14), (45, 50), (30, 50), 0.001)
    quick, usual = pace_of({4: 40}), pace_of({20: 40})

    told = list(
        hints(
            [
                Labeler(1, "ada", pace=quick, hurried=True),
                Labeler(2, "bo", pace=usual, change=change, changed=True),
                Labeler(3, "cy", pace=usual, change=change),
            ]
        )
    )

    assert len(told) == 2
    assert told[1].startswith("ada takes 4 seconds for a row, others 20")
    assert told[0].startswith("bo: agreement with most of the others fell from 45 of 50 rows")
    assert "30 of 50 since 14 Nov 2026" in told[0]
    assert "at one look" in told[0]
    assert "It may be the others who changed" in told[0]


def test_of_two_people_a_change_is_told_once_and_of_both() -> None:
    change, met = Change(date(2026, 11, 14), (45, 50), (30, 50), 0.001), compared(Table(50, 25, 0, 25))
    ada = Labeler(1, "ada", change=change, changed=True, others=met)

    told = list(hints([ada, replace(ada, pk=2, name="bo")]))

    assert len(told) == 1
    assert told[0].startswith("ada and bo: agreement with each other fell")
    assert "which of the two changed" in told[0]
