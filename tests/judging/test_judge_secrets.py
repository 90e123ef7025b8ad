"""A key in the environment never appears: not on a page, in the database, a log, a message or an error."""

import json
import logging
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.conf import settings
from django.core.management import CommandError, call_command
from django.test import Client

from judging.domain.judges import InvalidJudge
from judging.llm_secrets import forget_keys, keys_of
from judging.models import JudgeVersion, Run
from judging.services.connections import connection_of
from judging.services.engine import work_on
from judging.services.judges import add_model_version
from judging.tasks import start_work
from tests.factories import make_panel, make_user
from tests.judging.running import KEY, juror, panel, rows, scoring
from tests.scripted_judge import ScriptedJudge, spellings

pytestmark = pytest.mark.django_db

SECRET = "house-4f9c2b7e51d84a06"  # unlike any provider's keys, so that no pattern for those hides it


def database_text() -> str:
    """Everything that any table of ours holds."""
    models = [model for app in ("labeling", "judging") for model in apps.get_app_config(app).get_models()]
    return json.dumps([list(model.objects.values()) for model in models], default=str)  # type: ignore[attr-defined]


def broker_text() -> str:
    """What lies in the embedded broker's folders."""
    files = Path(settings.VERA_VAR, "broker").rglob("*")
    return "".join(path.read_text(errors="replace") for path in files if path.is_file())


@pytest.fixture
def secret(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv(KEY, SECRET)
    return SECRET


@pytest.mark.parametrize("behaviour", ["pass", "401", "500", "echo"])
def test_a_run_leaves_no_key_behind(
    behaviour: str, secret: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setattr("judging.domain.backoff._FIRST", 0.01)
    with ScriptedJudge() as provider:
        monkeypatch.setenv("VERA_JUROR_TEST_URL", provider.url)
        run = scoring(panel(behaviour, behaviour), rows(1))
        start_work(run.pk)
        work_on(run.pk)
        assert f"Bearer {secret}" in provider.calls[0].headers["Authorization"]

    assert secret not in database_text()
    assert secret not in caplog.text
    assert secret not in broker_text()
    assert secret not in "".join(pages(run))


@pytest.mark.parametrize("behaviour", ["leak-reply", "leak-prose", "leak-401", "leak-400"])
def test_a_key_that_the_library_takes_by_itself_is_not_kept_either(
    behaviour: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    forget_keys()
    with ScriptedJudge() as provider:
        monkeypatch.setenv("OPENAI_API_KEY", SECRET)
        monkeypatch.setenv("OPENAI_BASE_URL", provider.url)
        monkeypatch.setenv("OPENAI_API_BASE", provider.url)
        unset = {"base_url_env": "", "api_key_env": ""}
        run = scoring(make_panel([juror(behaviour, **unset), juror(behaviour, **unset)]), rows(1))
        start_work(run.pk)
        work_on(run.pk)
        assert f"Bearer {SECRET}" in provider.calls[0].headers["Authorization"]

    everything = database_text() + caplog.text + broker_text() + "".join(pages(run))
    assert not [each for each in spellings(SECRET) if each in everything]
    assert "[key]" in everything


def test_what_is_hidden_are_keys_and_no_addresses_settings_or_mere_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    held = {"VERA_JUROR_MINE": "a-key-of-my-own", "MISTRAL_API_KEY": "another-key-01", "X_API_KEY": "ollama"}
    held |= {"VERA_JUROR_MY_URL": "http://127.0.0.1:1/v1", "VERA_JUROR_HOSTS": "host-of-ours:443"}
    for name, value in held.items():
        monkeypatch.setenv(name, value)
    forget_keys()

    assert {"a-key-of-my-own", "another-key-01", "a-longer-key-of-its-own"} <= set(
        keys_of("a-longer-key-of-its-own")
    )
    assert not {"ollama", "http://127.0.0.1:1/v1", "host-of-ours:443"} & set(keys_of("ollama"))


def pages(run: Run) -> list[str]:
    """Every page that tells of a run and its judges."""
    client = Client()
    lead = make_user(lead_of=run.criteria_version.criteria_set)
    client.force_login(lead, backend="django.contrib.auth.backends.ModelBackend")
    client.post(f"/runs/{run.pk}/verdicts/")
    slug = run.judge_version.judge.slug
    juror_slug = run.judge_version.members.all()[0].judge.slug
    addresses = [f"/runs/{run.pk}/{page}" for page in ("", "skips/", "verdicts/")]
    addresses += [f"/judges/{name}{page}" for name in (slug, juror_slug) for page in ("/", "/new-version/")]
    return [client.get(address).content.decode() for address in (*addresses, "/judges/", "/runs/new/")]


def test_an_export_names_the_variable_and_holds_no_value(secret: str) -> None:
    juror()
    out = StringIO()

    call_command("export_judges", stdout=out)

    assert f'api_key_env = "{KEY}"' in out.getvalue()
    assert secret not in out.getvalue()


def test_a_connection_does_not_show_its_key(secret: str) -> None:
    version = juror()
    JudgeVersion.objects.filter(pk=version.pk).update(base_url_env="")
    version.refresh_from_db()

    assert secret not in repr(connection_of(version))


@pytest.mark.parametrize("pasted", [SECRET, "sk-proj-0123456789abcdef", "AKIAIOSFODNN7EXAMPLE"])
def test_a_key_pasted_in_place_of_a_name_is_not_repeated(
    pasted: str, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(InvalidJudge, match="it was not stored") as refusal:
        add_model_version(slug="careful", model="openai/gpt", family="openai", api_key_env=pasted)

    assert pasted not in str(refusal.value) + caplog.text + database_text()


def test_a_variable_that_is_none_of_the_judges_keeps_its_value(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("DATABASE_URL", f"postgres://vera:{SECRET}@127.0.0.1/vera")
    path = tmp_path / "judges.toml"
    judge: dict[str, Any] = {"slug": "x", "kind": "model", "model": "m", "family": "f"}
    lines = [f'{name} = "{value}"' for name, value in (judge | {"base_url_env": "DATABASE_URL"}).items()]
    path.write_text("\n".join(["[[judge]]", *lines]))

    with pytest.raises(CommandError, match="may not read the variable") as refusal:
        call_command("load_judges", str(path))

    assert SECRET not in str(refusal.value) + caplog.text + database_text()
