"""The pages of judges with examples: chosen by ticking, seen and kept by who leads their criteria set."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from judging.models import JudgeVersion
from labeling.models import CriteriaSet
from tests.factories import live, make_candidate, make_criteria_set, make_label, make_user
from tests.judging.test_judge_examples import told, tune

pytestmark = pytest.mark.django_db


@pytest.fixture
def replies() -> CriteriaSet:
    return make_criteria_set("replies")


@pytest.fixture
def as_lead(replies: CriteriaSet, client: Client) -> Client:
    client.force_login(
        make_user("lead", lead_of=replies), backend="django.contrib.auth.backends.ModelBackend"
    )
    return client


FORM = {"slug": "told", "model": "openai/scripted", "family": "scripted", "params": "{}"}


def text_of(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200
    return re.sub(r"\s+", " ", response.content.decode())


def test_rows_of_a_set_are_ticked_and_become_examples(as_lead: Client, replies: CriteriaSet) -> None:
    row, other = tune(replies, "fail", "A bad one."), tune(replies)
    address = "/judges/add/model/"

    shown = as_lead.post(address, FORM | {"examples_of": replies.pk, "show_rows": "1"}).content.decode()
    as_lead.post(address, FORM | {"examples_of": replies.pk, "example_rows": [row.pk]})

    assert f"Row {row.pk}, people say fail: A bad one." in shown
    assert 'value="openai/scripted"' in shown
    assert [each["content_hash"] for each in JudgeVersion.objects.get().examples["rows"]] == [
        row.content_hash
    ]
    assert other.content_hash not in str(JudgeVersion.objects.get().examples)


def test_saving_the_same_form_again_makes_no_version(as_lead: Client, replies: CriteriaSet) -> None:
    rows = [tune(replies), tune(replies)]
    told(*reversed(rows))
    page = text_of(as_lead, "/judges/told/new-version/")

    as_lead.post(
        "/judges/told/new-version/",
        FORM | {"examples_of": replies.pk, "example_rows": [row.pk for row in rows]},
    )

    assert page.count("checked") == 2
    assert JudgeVersion.objects.count() == 1


def test_only_the_list_comes_when_htmx_asks_for_a_set_s_rows(as_lead: Client, replies: CriteriaSet) -> None:
    rows = [tune(replies) for _ in range(3)]
    address = f"/judges/add/model/?examples_of={replies.pk}&example_rows={rows[0].pk}"

    part = as_lead.get(address, headers={"HX-Request": "true"}).content.decode()
    found = as_lead.get(f"{address}&find_row={rows[2].pk}", headers={"HX-Request": "true"}).content.decode()

    assert "<html" not in part
    assert (part.count("people say pass"), found.count("people say pass")) == (3, 2)
    assert "checked" in found
    assert f'value="{rows[2].pk}" id="id_find_row"' not in found


def test_enter_in_the_field_that_finds_a_row_finds_it_and_saves_nothing(
    as_lead: Client, replies: CriteriaSet
) -> None:
    row = tune(replies, output="The one that is sought.")

    page = as_lead.post("/judges/add/model/", FORM | {"examples_of": replies.pk, "find_row": row.pk})

    assert "The one that is sought." in page.content.decode()
    assert (page.status_code, JudgeVersion.objects.count()) == (200, 0)


@pytest.mark.parametrize(
    ("sent", "sentence"),
    [
        ({}, "No row is chosen as an example"),
        ({"example_rows": ["999999"]}, "There is no row 999999 in “replies”"),
        ({"example_rows": ["x"]}, "is not one of the available choices"),
        ({"example_rows": ["1" * 30]}, "is not one of the available choices"),
    ],
)
def test_a_form_without_rows_or_with_none_is_refused_in_place(
    as_lead: Client, replies: CriteriaSet, sent: dict[str, Any], sentence: str
) -> None:
    response = as_lead.post("/judges/add/model/", FORM | {"examples_of": replies.pk} | sent)

    assert response.status_code == 422
    assert sentence in response.content.decode()


def test_a_certify_row_is_refused_in_place(as_lead: Client, replies: CriteriaSet) -> None:
    row = make_candidate(replies)
    make_label(row, make_user())

    response = as_lead.post("/judges/add/model/", FORM | {"examples_of": replies.pk, "example_rows": row.pk})

    assert response.status_code == 422
    assert "Only tune rows can be examples" in response.content.decode()


def stranger(client: Client) -> User:
    """Somebody who leads another set only."""
    user = make_user("stranger", lead_of=make_criteria_set("elsewhere"))
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return user


def test_who_does_not_lead_their_set_neither_sees_nor_loses_the_examples(
    client: Client, replies: CriteriaSet
) -> None:
    told(tune(replies, output="A secret of this set."))
    stranger(client)

    pages = text_of(client, "/judges/told/") + text_of(client, "/judges/told/new-version/")
    client.post("/judges/told/new-version/", FORM | {"params": '{"seed": 1}'})

    assert "secret" not in pages
    assert "replies" not in pages
    assert "1 row of a criteria set that you do not lead" in pages
    assert JudgeVersion.objects.get(number=2).examples["rows"][0]["candidate"] == "A secret of this set."


def test_a_set_that_somebody_does_not_lead_is_not_to_be_chosen(client: Client, replies: CriteriaSet) -> None:
    row = tune(replies, output="A secret of this set.")
    stranger(client)

    asked = FORM | {"examples_of": replies.pk, "example_rows": row.pk}
    shown = client.post("/judges/add/model/", asked | {"show_rows": "1"})
    saved = client.post("/judges/add/model/", asked)

    assert "secret" not in shown.content.decode() + saved.content.decode()
    assert (saved.status_code, JudgeVersion.objects.count()) == (422, 0)


def test_a_judge_s_page_says_what_a_version_changed_of_template_and_examples(
    as_lead: Client, replies: CriteriaSet
) -> None:
    told(template="juror-1")
    told(tune(replies, "fail", "A bad one."))

    page = text_of(as_lead, "/judges/told/")

    assert "juror-2 <small>was juror-1</small>" in page
    assert re.search(r"1 row of replies \(\w{8}\) <small>was none</small>", page)
    assert "sent back once, to be put right <small>was skipped at once</small>" in page
    assert "A bad one." in page


def test_the_run_form_says_what_becomes_of_the_examples(as_lead: Client, replies: CriteriaSet) -> None:
    other = make_criteria_set("other")
    other.memberships.create(user=User.objects.get(username="lead"), role="lead")
    make_label(make_candidate(other), make_user())
    make_label(make_candidate(replies), make_user())
    version = told(tune(replies))
    asked = f"/runs/new/?judge_version={version.pk}&rows=certify&kind=calibration&criteria_version="

    assert "the judge is not asked about its own examples" in text_of(as_lead, f"{asked}{live(replies).pk}")
    assert "without its examples here" in text_of(as_lead, f"{asked}{live(other).pk}")
