"""How far people agree with each other, over the API."""

import pytest
from django.test import Client

from judging.services.tokens import create_token
from labeling.models import CriteriaSet
from tests.factories import make_criteria_set
from tests.labeling.importing import by, import_rows, said

pytestmark = pytest.mark.django_db


def client_with(scope: str, criteria_set: CriteriaSet) -> Client:
    _, secret = create_token(name="reader", scopes=[scope], criteria_sets=[criteria_set])
    return Client(headers={"authorization": f"Bearer {secret}"})


def test_all_and_every_pair_are_told() -> None:
    criteria_set = make_criteria_set("replies")
    verdicts = [("pass", "pass")] * 6 + [("fail", "fail")] * 3 + [("pass", "fail")]
    rows = [said(f"{number}.", [by("a1", one), by("a2", two)]) for number, (one, two) in enumerate(verdicts)]
    import_rows("replies", *rows)

    found = client_with("export", criteria_set).get("/api/v1/people/replies").json()

    # Agreement .9; by chance .7 * .6 + .3 * .4 = .54.
    assert (found["criteria_version"], found["n"], found["method"]) == (1, 10, "Cohen's kappa")
    assert found["kappa"] == pytest.approx(0.36 / 0.46)
    (pair,) = found["pairs"]
    assert (pair["one"], pair["other"], pair["n"], pair["agreement"]) == ("a1@replies", "a2@replies", 10, 0.9)
    assert pair["interval"] == found["interval"]


def test_where_nobody_met_nothing_is_known() -> None:
    criteria_set = make_criteria_set("replies")

    found = client_with("export", criteria_set).get("/api/v1/people/replies").json()

    assert (found["kappa"], found["interval"], found["n"], found["pairs"]) == (None, None, 0, [])


def test_people_are_named_to_nobody_who_may_only_ask_the_gate() -> None:
    criteria_set, other = make_criteria_set("replies"), make_criteria_set("other")

    assert client_with("gate", criteria_set).get("/api/v1/people/replies").status_code == 403
    assert client_with("export", other).get("/api/v1/people/replies").status_code == 404
    assert client_with("export", criteria_set).get("/api/v1/people/replies?version=2").status_code == 404
