"""A model on a server of one's own, from the form to its first verdict."""

from html import unescape

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from judging.models import JudgeVersion, Trial
from judging.services.trying import answer_trial
from judging.services.workers import mark_seen
from labeling.models import CriteriaSet
from tests.factories import live, make_criteria_set, make_user
from tests.scripted_judge import ScriptedJudge

pytestmark = pytest.mark.django_db

FORM = {
    "server": "ollama",
    "model": "qwen3:8b",
    "family": "qwen",
    "slug": "house-qwen",
    "base_url_env": "",
    "api_key_env": "",
    "context_tokens": "8192",
    "max_tokens": "1500",
}


@pytest.fixture
def lead() -> User:
    return make_user("lead", lead_of=make_criteria_set("replies"))


@pytest.fixture
def as_lead(lead: User, client: Client) -> Client:
    client.force_login(lead, backend="django.contrib.auth.backends.ModelBackend")
    return client


def test_from_the_form_over_the_lines_to_copy_to_a_verdict(
    as_lead: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved = as_lead.post(reverse("judge_add_local"), FORM)
    mark_seen(name="a worker")
    lines = unescape(as_lead.get(saved["Location"]).content.decode())

    version = JudgeVersion.objects.get()
    assert (version.model, version.base_url_env) == ("openai/qwen3:8b", "VERA_JUROR_OLLAMA_URL")
    assert version.params == {"temperature": 0, "context_tokens": 8192, "max_tokens": 1500}
    assert version.price == {"input": "0", "output": "0"}
    assert "VERA_JUROR_OLLAMA_URL=http://127.0.0.1:11434/v1" in lines
    assert "The workers lack" in lines

    with ScriptedJudge() as server:
        monkeypatch.setenv("VERA_JUROR_OLLAMA_URL", server.url)
        mark_seen(name="a worker")
        assert "The workers have all" in unescape(as_lead.get(saved["Location"]).content.decode())
        trial = try_it(as_lead, version)

    [juror] = trial.answers["jurors"]
    assert (juror["outcome"], juror["cost"]) == ("pass", "0")
    [asked] = server.calls
    assert (asked.body["model"], asked.body["max_tokens"]) == ("qwen3:8b", 1500)
    assert asked.headers["Authorization"] == "Bearer none"
    assert "context_tokens" not in asked.body


def try_it(client: Client, version: JudgeVersion) -> Trial:
    criteria_version = live(CriteriaSet.objects.get(slug="replies"))
    form = {
        "criteria_version": str(criteria_version.pk),
        "version": str(version.number),
        "row": "own",
        "request": "Say hello.",
        "output": "Hello!",
    }
    response = client.post(reverse("judge_try", args=[version.judge.slug]), form)
    assert response.status_code == 302, response.content.decode()
    trial = Trial.objects.get()
    assert answer_trial(trial.pk)
    trial.refresh_from_db()
    return trial


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"slug": "taken"}, "There is a judge of this name already"),
        ({"model": "two words"}, "has no space in it"),
        ({"base_url_env": "DATABASE_URL"}, "may not read the variable"),
        ({"base_url_env": "http://127.0.0.1:11434/v1"}, "no such name"),
        ({"context_tokens": "1000", "max_tokens": "1000"}, "leave room"),
        ({"context_tokens": ""}, "Ollama cuts the beginning of what does not fit"),
        ({"server": "none"}, "not one of the available choices"),
    ],
)
def test_what_cannot_be_is_refused_in_place(as_lead: Client, changed: dict[str, str], said: str) -> None:
    as_lead.post(reverse("judge_add_local"), FORM | {"slug": "taken"})

    response = as_lead.post(reverse("judge_add_local"), FORM | changed)

    assert response.status_code == 422
    assert said in unescape(response.content.decode())
    assert JudgeVersion.objects.count() == 1
