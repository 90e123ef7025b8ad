"""A judge at an address of its own whose context nobody told: warned of, never blocked."""

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from judging.models import JudgeVersion
from judging.services.judges import add_model_version
from tests.factories import make_criteria_set, make_user

pytestmark = pytest.mark.django_db

WORDS = "A server that cuts long questions silently would judge half of them; give context_tokens"
LOCAL: dict[str, Any] = {"model": "openai/qwen3:8b", "family": "qwen", "base_url_env": "VERA_JUROR_HOUSE_URL"}
FILE = """
[[judge]]
kind = "model"
slug = "house"
model = "openai/qwen3:8b"
family = "qwen"
base_url_env = "VERA_JUROR_HOUSE_URL"
"""


@pytest.fixture
def as_lead(client: Client) -> Client:
    client.force_login(make_user(lead_of=make_criteria_set()))
    return client


@pytest.mark.parametrize(("params", "warned"), [("", True), ("params = {context_tokens = 8192}", False)])
def test_a_file_is_loaded_with_a_warning(tmp_path: Path, params: str, warned: bool) -> None:
    path, out = tmp_path / "judges.toml", StringIO()
    path.write_text(FILE + params)

    call_command("load_judges", str(path), stdout=out)

    assert (f"warning: {WORDS}" in out.getvalue()) == warned
    assert JudgeVersion.objects.count() == 1


@pytest.mark.parametrize("address", ["/judges/house/", "/judges/house/new-version/"])
@pytest.mark.parametrize("params", [{}, {"context_tokens": 8192}], ids=["unknown", "known"])
def test_the_judges_pages_warn(as_lead: Client, address: str, params: dict[str, int]) -> None:
    add_model_version(slug="house", params=params, **LOCAL)

    assert (WORDS in as_lead.get(address).text) == (not params)


def test_a_form_that_was_refused_warns_too_and_what_is_complete_is_saved(as_lead: Client) -> None:
    form = LOCAL | {"slug": "house", "params": "{}"}

    refused = as_lead.post("/judges/add/model/", form | {"model": ""})
    saved = as_lead.post("/judges/add/model/", form)

    assert (refused.status_code, WORDS in refused.text) == (422, True)
    assert saved.status_code == 302


@pytest.mark.parametrize("other", [{"base_url_env": ""}, {"family": "scripted"}])
def test_a_providers_own_address_and_a_scripted_judge_need_none(
    as_lead: Client, other: dict[str, str]
) -> None:
    add_model_version(slug="house", **LOCAL | other)

    assert WORDS not in as_lead.get("/judges/house/").text
