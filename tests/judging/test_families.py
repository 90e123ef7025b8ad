"""What people are told of model families: jurors that share one, and rows that their own family wrote."""

import re

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from judging.models import JudgeVersion
from judging.services.families import own_family_warnings, written, written_in_sets
from judging.services.questions import is_independent
from labeling.models import Candidate, CriteriaSet
from tests.factories import (
    live,
    make_candidate,
    make_criteria_set,
    make_judge,
    make_panel,
    make_ruling,
    make_user,
)
from tests.judging.golden import certified, make_run

pytestmark = pytest.mark.django_db

SHARED = "one and two are of one family, OpenAI."


def golden(*families: str) -> CriteriaSet:
    """A set with one golden row by each family; a row by "" has no submission."""
    criteria_set = make_criteria_set("replies")
    for family in families:
        make_ruling(submitted(make_candidate(criteria_set), family))
    return criteria_set


def submitted(candidate: Candidate, family: str) -> Candidate:
    if family:
        candidate.submissions.create(generator_family=family, source="import")
    return candidate


def kin() -> JudgeVersion:
    return make_panel([make_judge("one", family="OpenAI"), make_judge("two", family="open ai")], "panel")


def enter(client: Client, criteria_set: CriteriaSet) -> User:
    lead = make_user(lead_of=criteria_set)
    client.force_login(lead, backend="django.contrib.auth.backends.ModelBackend")
    return lead


def text_of(client: Client, address: str) -> str:
    return re.sub(r"\s+", " ", client.get(address).content.decode()).replace("&#x27;", "'")


def test_each_row_counts_once_a_family_however_it_is_spelled() -> None:
    criteria_set = golden("OpenAI", "open ai", "qwen", "")
    submitted(submitted(make_candidate(criteria_set), "openai"), "OPENAI")

    found = written(Candidate.objects.filter(criteria_set=criteria_set))

    assert found.by_family == {"openai": 3, "qwen": 1}
    assert found.rows == 5
    assert written_in_sets([criteria_set.pk]) == {criteria_set.pk: found}


def test_a_juror_of_another_family_is_not_warned_of() -> None:
    criteria_set = golden("qwen", "qwen")
    jurors = [make_judge("one", family="Qwen"), make_judge("two", family="meta")]

    warnings = own_family_warnings(jurors, written(Candidate.objects.filter(criteria_set=criteria_set)))

    assert [warning.split(":")[0] for warning in warnings] == [
        "2 of 2 rows were written by a model of one's own family"
    ]


def test_verdicts_are_marked_by_the_same_rule() -> None:
    assert is_independent("Open AI", ["openai"]) is False
    assert is_independent("openai", ["open mind"]) is True


def test_the_page_of_a_panel_warns(client: Client) -> None:
    criteria_set, panel = golden("openai"), kin()
    certified(make_run(panel, criteria_set, a=1, d=1))
    enter(client, criteria_set)

    shown = text_of(client, "/judges/panel/")

    assert SHARED in shown
    assert "In “replies” 1 of 3 rows were written by a model of one's own family" in shown


def test_the_page_of_a_panel_costs_the_same_for_any_number_of_versions(client: Client) -> None:
    panel = kin()
    enter(client, make_criteria_set())

    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            assert client.get("/judges/panel/").status_code == 200
        return len(captured)

    before = queries()
    second = JudgeVersion.objects.create(judge=panel.judge, number=2, kind="panel", fingerprint="2" * 64)
    for seat in panel.seats.all():
        second.seats.create(juror=seat.juror, position=seat.position)

    assert queries() == before


def test_the_form_of_a_panel_warns_of_the_jurors_that_sit(client: Client) -> None:
    kin()
    make_panel([make_judge("three", family="qwen"), make_judge("four", family="meta")], "mixed")
    enter(client, make_criteria_set())

    assert SHARED in text_of(client, "/judges/panel/new-version/")
    assert "of one family" not in text_of(client, "/judges/mixed/new-version/")


def test_the_form_warns_of_what_was_chosen_where_it_is_shown_again(client: Client) -> None:
    panel = kin()
    enter(client, make_criteria_set())
    members = [juror.pk for juror in panel.jurors()]

    answer = client.post("/judges/add/panel/", {"slug": "", "members": members, "on_split": "majority"})

    assert answer.status_code == 422
    assert SHARED in answer.content.decode()


def test_a_run_warns_before_it_starts_of_just_the_rows_it_is_about(client: Client) -> None:
    criteria_set, panel = golden("openai", "openai", "qwen"), kin()
    make_ruling(submitted(make_candidate(criteria_set, split="tune"), "openai"))
    enter(client, criteria_set)

    address = f"/runs/new/?judge_version={panel.pk}&criteria_version={live(criteria_set).pk}&rows=certify"
    shown = text_of(client, address)

    assert SHARED in shown
    assert "2 of 3 rows were written by a model of two's own family: its verdicts about them are not" in shown
