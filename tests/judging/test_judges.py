"""Judges and their versions: added where something changed, promoted, refused with a sentence."""

from decimal import Decimal
from typing import Any

import pytest
from pytest_django import Settings

from judging.checks import juror_hosts
from judging.domain.judges import InvalidJudge, Price
from judging.models import Judge, JudgeVersion
from judging.services.judges import add_model_version, add_panel_version, promote_judge
from labeling.models import AuditEvent
from tests.factories import make_judge, make_panel, make_user

pytestmark = pytest.mark.django_db


def add(slug: str = "careful", **changes: Any) -> JudgeVersion:
    values: dict[str, Any] = {
        "model": "openai/gpt",
        "family": "openai",
        "params": {"temperature": 0},
    } | changes
    return add_model_version(slug=slug, **values)


def live_number(slug: str) -> int:
    live = Judge.objects.get(slug=slug).live_version
    assert live is not None
    return live.number


def test_the_first_version_is_live_and_a_later_one_a_draft() -> None:
    first = add()

    second = add(params={"temperature": 1})

    assert (first.number, second.number) == (1, 2)
    assert live_number("careful") == 1


def test_the_address_of_new_judges_is_no_name_of_one() -> None:
    with pytest.raises(InvalidJudge, match="address"):
        add("add")


def test_nothing_changed_is_no_new_version() -> None:
    first = add()

    assert add() == first
    assert add(params={"temperature": 0.0}) == first
    assert JudgeVersion.objects.count() == 1


def test_a_price_is_corrected_in_place() -> None:
    first = add()

    again = add(price=Price(Decimal("0.15"), Decimal("0.6")))

    first.refresh_from_db()
    assert again == first
    assert first.price == {"input": "0.15", "output": "0.6"}


def test_promote_and_roll_back_are_recorded() -> None:
    lead = make_user("lead")
    first, second = add(), add(family="other")

    promote_judge(judge=first.judge, version=second, actor=lead)
    promote_judge(judge=first.judge, version=first, actor=lead)

    assert live_number("careful") == 1
    moves = AuditEvent.objects.filter(action="judge_promoted", actor=lead).order_by("pk")
    assert [(event.details["before"], event.details["after"]) for event in moves] == [(1, 2), (2, 1)]


def test_a_version_of_another_judge_is_not_promoted() -> None:
    with pytest.raises(ValueError, match="no version of"):
        promote_judge(judge=add().judge, version=add("other"), actor=None)


def test_a_panel_pins_the_versions_of_its_members() -> None:
    first, other = add("first"), add("other")
    panel = add_panel_version(slug="panel", members=[first, other])

    newer = add_panel_version(slug="panel", members=[add("first", family="new"), other])

    assert add_panel_version(slug="panel", members=[newer.members.get(judge__slug="first"), other]) == newer
    assert [seat.juror for seat in panel.seats.order_by("position")] == [first, other]
    assert (newer.number, live_number("panel")) == (2, 1)


@pytest.mark.parametrize(
    "name", ["DATABASE_URL", "VERA_SECRET_KEY", "VERA_JUROR_HOSTS", "VERA_JUROR_ENV_NAMES", "PATH_X"]
)
@pytest.mark.parametrize("where", ["base_url_env", "api_key_env"])
def test_only_variables_meant_for_judges_may_be_named(name: str, where: str) -> None:
    with pytest.raises(InvalidJudge, match="may not read the variable"):
        add(**{where: name})

    event = AuditEvent.objects.get(action="judge_refused")
    assert name in event.details["reason"]
    assert not Judge.objects.exists()


def test_an_address_outside_the_list_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERA_JUROR_X_URL", "http://169.254.169.254/latest")

    with pytest.raises(InvalidJudge, match="VERA_JUROR_HOSTS"):
        add(base_url_env="VERA_JUROR_X_URL")

    assert AuditEvent.objects.filter(action="judge_refused").exists()


def test_an_address_on_the_list_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERA_JUROR_X_URL", "http://127.0.0.1:9/v1")

    assert add(base_url_env="VERA_JUROR_X_URL").base_url_env == "VERA_JUROR_X_URL"


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"params": {"api_base": "http://x"}}, "parameter “api_base”"),
        ({"params": {"extra_headers": {"a": "b"}}}, "parameter “extra_headers”"),
        ({"params": {"temperature": float("nan")}}, "must be a number"),
        ({"params": {"stop": ["\x00"]}}, "must be a number, a text"),
        ({"model": "huggingface/https://evil.example"}, "as litellm knows it"),
        ({"model": ""}, "as litellm knows it"),
        ({"family": " "}, "“family” is missing"),
        ({"family": "f" * 81}, "“family”"),
        ({"slug": "no slug"}, "“slug”"),
        ({"price": Price(Decimal(-1), Decimal(0))}, "A price is"),
    ],
)
def test_a_model_that_cannot_be_is_refused(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidJudge, match=sentence):
        add(**changes)

    assert not Judge.objects.exists()


def test_panels_that_cannot_be_are_refused() -> None:
    juror, other = make_judge("juror"), make_judge("other")
    panel = make_panel([juror, other], "panel")

    for members, sentence in [
        ([juror], "at least 2"),
        ([juror, juror], "twice"),
        ([juror, panel], "itself a panel"),
    ]:
        with pytest.raises(InvalidJudge, match=sentence):
            add_panel_version(slug="new", members=members)

    assert not Judge.objects.filter(slug="new").exists()


def test_a_model_does_not_become_a_panel() -> None:
    juror = add("juror")

    with pytest.raises(InvalidJudge, match="is a model"):
        add_panel_version(slug="juror", members=[juror, add("other")])


@pytest.mark.parametrize("entry", ["http://llm.internal", "llm.internal/v1", "*", ""])
def test_an_allow_list_that_allows_nothing_is_an_error(entry: str, settings: Settings) -> None:
    settings.VERA_JUROR_HOSTS = ["llm.internal:8080", "[::1]", entry]

    assert [error.id for error in juror_hosts(None)] == ["judging.E001"]
