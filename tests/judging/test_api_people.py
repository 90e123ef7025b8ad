"""How far people agree with each other, over the API."""

import pytest
from django.test import Client

from judging.services.tokens import create_token
from labeling.models import CriteriaSet
from tests.factories import make_criteria_set
from tests.labeling.importing import by, import_rows, said
from tests.labeling.people import graded, labelled, mark, people, repeated

pytestmark = pytest.mark.django_db


def client_with(scope: str, criteria_set: CriteriaSet) -> Client:
    _, secret = create_token(name="reader", scopes=[scope], criteria_sets=[criteria_set])
    return Client(headers={"authorization": f"Bearer {secret}"})


def test_all_and_every_pair_are_told() -> None:
    criteria_set = make_criteria_set("replies")
    verdicts = [("pass", "pass")] * 12 + [("fail", "fail")] * 6 + [("pass", "fail")] * 2
    rows = [said(f"{number}.", [by("a1", one), by("a2", two)]) for number, (one, two) in enumerate(verdicts)]
    import_rows("replies", *rows)

    found = client_with("export", criteria_set).get("/api/v1/people/replies").json()

    # Agreement .9; by chance .7 * .6 + .3 * .4 = .54.
    assert (found["criteria_version"], found["n"], found["method"]) == (1, 20, "Cohen's kappa")
    assert found["kappa"] == pytest.approx(0.36 / 0.46)
    (pair,) = found["pairs"]
    assert (pair["one"], pair["other"], pair["n"], pair["agreement"]) == ("a1@replies", "a2@replies", 20, 0.9)
    assert pair["interval"] == found["interval"]
    assert found["interval"][0] < found["kappa"]


def test_where_nobody_met_nothing_is_known() -> None:
    criteria_set = make_criteria_set("replies")

    found = client_with("export", criteria_set).get("/api/v1/people/replies").json()

    assert (found["kappa"], found["interval"], found["n"], found["pairs"]) == (None, None, 0, [])


def test_people_with_themselves_are_told_apart_from_people_with_each_other() -> None:
    criteria_set, [ada] = make_criteria_set("replies"), people(1)
    for first, second in [("pass", "pass")] * 12 + [("fail", "fail")] * 6 + [("pass", "fail")] * 2:
        [[label]] = labelled(criteria_set, [ada], (first,))
        repeated(label, second)

    found = client_with("export", criteria_set).get("/api/v1/people/replies").json()

    again = found["self_agreement"]
    assert (again["n"], again["agreement"]) == (20, 0.9)
    assert again["kappa"] == pytest.approx(0.36 / 0.46)
    assert again["interval"][0] < again["kappa"] <= again["interval"][1]
    assert (found["kappa"], found["ceiling_method"]) == (None, "self-agreement, Cohen's kappa")


def test_two_rows_are_counted_and_no_kappa() -> None:
    criteria_set = make_criteria_set("replies")
    labelled(criteria_set, people(2), ("pass", "pass"), ("fail", "fail"))

    found = client_with("export", criteria_set).get("/api/v1/people/replies").json()

    assert (found["kappa"], found["n"], found["ceiling_method"]) == (None, 2, None)
    assert found["pairs"][0]["interval"] is None


def test_each_criterion_is_told() -> None:
    criteria_set, two = make_criteria_set("replies"), people(2)
    criterion = graded(criteria_set)
    for scores in ((1, 1), (2, 3), (5, 4), (4, 4), (2, 2)):
        [labels] = labelled(criteria_set, two, ("pass", "fail"))
        for label, score in zip(labels, scores, strict=True):
            mark(label, criterion, score)
    labelled(criteria_set, two, ("fail", "fail"))

    found = client_with("export", criteria_set).get("/api/v1/people/replies").json()["per_criterion"]

    assert [(each["criterion"], each["n"], each["without_marks"]) for each in found] == [
        ("meets_criteria", 0, 6),
        ("tone", 5, 1),
    ]
    assert (found[0]["kappa"], found[1]["method"]) == (None, "quadratic-weighted kappa")


def test_people_are_named_to_nobody_who_may_only_ask_the_gate() -> None:
    criteria_set, other = make_criteria_set("replies"), make_criteria_set("other")

    assert client_with("gate", criteria_set).get("/api/v1/people/replies").status_code == 403
    assert client_with("export", other).get("/api/v1/people/replies").status_code == 404
    assert client_with("export", criteria_set).get("/api/v1/people/replies?version=2").status_code == 404
