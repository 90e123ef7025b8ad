"""Recorded judges on pages: brought in by a form, marked wherever they are shown, asked by nobody."""

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from judging.models import JudgeVersion
from judging.services.judges import add_panel_version
from labeling.models import CriteriaSet
from tests.factories import make_criteria_set, make_judge, make_user
from tests.judging.dashboards import text
from tests.judging.recorded import calibrated
from tests.labeling.importing import import_rows

pytestmark = pytest.mark.django_db

ADD = "/judges/add/recorded/"
NOTE = "Its verdicts were brought in from a file; no model is asked."


@pytest.fixture
def criteria_set() -> CriteriaSet:
    made = make_criteria_set("replies")
    import_rows(
        "replies", {"id": "q1", "candidate": "Ja.", "human": "PASS"}, {"candidate": "Nein.", "human": "FAIL"}
    )
    return made


@pytest.fixture
def lead(client: Client, criteria_set: CriteriaSet) -> Client:
    client.force_login(make_user("lena", lead_of=criteria_set))
    return client


def send(lead: Client, rows: list[dict[str, Any]], **fields: Any) -> Any:
    """The form sent with a file of these rows."""
    content = "\n".join(json.dumps(row) for row in rows).encode()
    chosen = {"criteria_set": CriteriaSet.objects.get(slug="replies").pk}
    return lead.post(ADD, {"file": SimpleUploadedFile("old.jsonl", content)} | chosen | fields)


def row(**verdicts: str) -> dict[str, Any]:
    return {
        "candidate": "Ja.",
        "judges": [{"judge": name, "verdict": said} for name, said in verdicts.items()],
    }


def test_a_file_makes_a_judge_that_says_where_it_is_from(lead: Client) -> None:
    answer = send(lead, [row(GPT="pass")], family="openai")

    assert answer.url == "/judges/gpt/"
    page = text(lead.get(answer.url))
    assert NOTE in page
    assert "“GPT” in the file old.jsonl" in page
    assert "/judges/gpt/try/" not in page
    assert JudgeVersion.objects.get().created_by is not None


def test_of_a_set_that_somebody_does_not_lead_no_file_is_named(lead: Client) -> None:
    lead.get(send(lead, [row(GPT="pass")]).url)  # which takes the message away
    lead.force_login(make_user(lead_of=make_criteria_set("other")))

    page = text(lead.get("/judges/gpt/"))

    assert "“GPT” in a file" in page
    assert "old.jsonl" not in page
    assert "replies" not in page


def test_all_judges_of_a_file_come_in_where_none_is_named(lead: Client) -> None:
    answer = send(lead, [row(one="pass", two="fail")])

    assert answer.url == "/judges/"
    assert text(lead.get("/judges/")).count("in the file old.jsonl") == 2


def test_refused_rows_are_listed_and_nothing_is_kept(lead: Client) -> None:
    answer = send(
        lead, [row(one="pass"), {"candidate": "Hm.", "judges": [{"judge": "one", "verdict": "pass"}]}]
    )

    assert answer.status_code == 422
    assert "Nothing of old.jsonl was kept" in text(answer)
    assert "replies has no row with these very texts" in text(answer)
    assert not JudgeVersion.objects.exists()


def test_a_check_says_what_would_come_of_it(lead: Client) -> None:
    answer = send(lead, [row(one="pass")], dry_run="on")

    assert answer.status_code == 200
    assert "This was a check: nothing was kept." in text(answer)
    assert "1 pass, 0 fail, 0 without a verdict" in text(answer)
    assert not JudgeVersion.objects.exists()


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"name": "three"}, "There is no judge &#x27;three&#x27; in it"),
        ({"judge": "both"}, "Several judges speak in this file"),
        ({"name": "one", "judge": "taken"}, "“taken” is a model."),
        ({"criteria_set": 0}, "Select a valid choice"),
    ],
)
def test_what_cannot_be_loaded_is_said_at_its_field(
    lead: Client, fields: dict[str, Any], sentence: str
) -> None:
    make_judge("taken")

    answer = send(lead, [row(one="pass", two="fail")], **fields)

    assert answer.status_code == 422
    assert sentence in text(answer)


def test_a_corrected_file_starts_from_the_judge_that_is_there(lead: Client) -> None:
    send(lead, [row(GPT="pass")], family="openai")

    answer = lead.get("/judges/gpt/new-version/", follow=True)

    assert answer.redirect_chain[0][0] == f"{ADD}?judge=gpt"
    assert 'value="GPT"' in text(answer)
    assert 'value="openai"' in text(answer)
    assert send(lead, [row(GPT="fail")], name="GPT", judge="gpt").url == "/judges/gpt/"
    assert "Version 2 <span" in text(lead.get("/judges/gpt/"))


@pytest.mark.parametrize("page", ["try", "connect"])
def test_nobody_is_tried_or_connected(lead: Client, page: str) -> None:
    send(lead, [row(gpt="pass")])

    answer = lead.get(f"/judges/gpt/{page}/", follow=True)

    assert answer.redirect_chain[-1][0] == "/judges/gpt/"
    assert "there is nobody to try" in text(answer) or "there is nothing to connect" in text(answer)


def test_recorded_is_said_wherever_the_judge_is_measured(lead: Client) -> None:
    send(lead, [row(gpt="pass", opus="fail")])
    run = calibrated("gpt", "replies")
    add_panel_version(slug="bench", members=list(JudgeVersion.objects.order_by("judge__slug")))
    of_panel = calibrated("bench", "replies")

    badge = '<span class="badge plain">recorded</span>'
    for page in ("/dashboard/gpt/replies/", f"/runs/{run.pk}/"):
        assert NOTE in text(lead.get(page))
    for page in ("/dashboard/bench/replies/", f"/runs/{of_panel.pk}/", "/judges/bench/"):
        assert "some or all of its jurors were brought in from a file" in text(lead.get(page))
    for page in ("/dashboard/", "/dashboard/gpt/replies/", "/runs/"):
        assert badge in text(lead.get(page))
    assert "with recorded jurors" in text(lead.get("/judges/"))
    assert "· verdicts brought in from a file</title>" in text(lead.get("/api/v1/badge/gpt/replies.svg"))


def test_a_run_is_offered_for_nothing(lead: Client, criteria_set: CriteriaSet) -> None:
    send(lead, [row(gpt="pass")])
    chosen: dict[str, Any] = {
        "judge_version": JudgeVersion.objects.get().pk,
        "criteria_version": criteria_set.live_version_id,
        "rows": "certify",
    }

    page = text(lead.get("/runs/new/", chosen))

    assert NOTE in page
    assert "<dt>Expected calls</dt><dd>0</dd>" in page
    assert "<dt>Expected cost</dt><dd>nothing</dd>" in page


def test_a_panel_may_be_made_of_recorded_judges_on_its_page(lead: Client) -> None:
    send(lead, [row(gpt="pass", opus="fail")])
    members = list(JudgeVersion.objects.values_list("pk", flat=True))

    answer: Any = lead.post(
        "/judges/add/panel/", {"slug": "bench", "members": members, "on_split": "majority"}
    )

    assert answer.url == "/judges/bench/"
    assert JudgeVersion.objects.get(kind="panel").has_recorded


def test_only_leads_of_the_set_bring_verdicts_in(client: Client, criteria_set: CriteriaSet) -> None:
    client.force_login(make_user("lara", lead_of=make_criteria_set("other")))
    assert send(client, [row(gpt="pass")]).status_code == 422
    client.force_login(make_user("lars", labels=criteria_set))
    assert client.get(reverse("judge_add_recorded")).status_code == 403

    assert not JudgeVersion.objects.exists()


def test_a_schedule_offers_no_recorded_judge(lead: Client) -> None:
    send(lead, [row(gpt="pass")])
    make_judge("model")

    page = text(lead.get("/schedules/add/"))

    assert ">model</option>" in page
    assert ">gpt</option>" not in page
