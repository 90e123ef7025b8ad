"""What a run is said to cost before it starts: by prices that are known without loading the model library."""

import os
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import pytest

from judging.domain.prompt import build_messages
from judging.models import JudgeVersion
from judging.services import known_prices
from judging.services.estimates import Estimate, estimate
from judging.services.known_prices import known_price
from judging.services.runs import Scope
from labeling.models import CriteriaSet
from labeling.services.criteria import spec_of
from tests.factories import live, make_candidate, make_criteria_set, make_judge
from tests.judging.running import frugal, judged, juror, rows, scripted

pytestmark = pytest.mark.django_db

MODELS = [
    "openai/gpt-4o-mini",
    "gpt-4o-mini",
    "openai/GPT-4o-mini",
    "gpt-4.1",
    "anthropic/claude-sonnet-4-5",
    "gemini/gemini-2.5-flash",
    "vertex_ai/gemini-2.5-flash",
    "groq/openai/gpt-oss-20b",
    "deepseek/deepseek-chat",
    "azure/gpt-4o",
]


def expected(judge: JudgeVersion, criteria_set: CriteriaSet, scope: Scope = "all") -> Estimate:
    return estimate(
        judge_version=judge,
        criteria_version=live(criteria_set),
        kind="scoring",
        scope=scope,
        include_unlabelled=True,
    )


@pytest.mark.parametrize("model", MODELS)
def test_a_price_is_the_one_that_the_library_books(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(os.environ, "LITELLM_LOCAL_MODEL_COST_MAP", "True")
    import litellm

    booked: Any = litellm.cost_per_token(model=model, prompt_tokens=1000, completion_tokens=100)
    price = known_price(model)

    assert price is not None
    assert [float(price[0] / 1000), float(price[1] / 10_000)] == pytest.approx(booked)


@pytest.mark.parametrize(
    "model", ["openai/mine", "mine", "groq/gpt-4o-mini", "ollama/llama3", "openai/text-embedding-3-small", ""]
)
def test_no_price_is_made_up(model: str) -> None:
    assert known_price(model) is None


@pytest.mark.parametrize("text", [None, "", "[]", '{"a": 1}', '{"a": {"mode": "chat"}}'])
def test_without_the_library_s_file_no_price_is_known(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any, text: str | None
) -> None:
    if text is not None:
        (tmp_path / "model_prices_and_context_window_backup.json").write_text(text)
    elsewhere = SimpleNamespace(origin=str(tmp_path / "__init__.py"))
    monkeypatch.setattr(known_prices, "find_spec", lambda _: elsewhere)
    known_prices._shipped.cache_clear()
    try:
        assert known_price("openai/gpt-4o-mini") is None
    finally:
        known_prices._shipped.cache_clear()


def test_an_ordinary_judge_has_its_cost_told() -> None:
    criteria_set = rows(3)
    found = expected(make_judge(model="openai/gpt-4o-mini"), criteria_set)

    assert found.cost == (Decimal("0.15") * found.tokens_in + Decimal("0.6") * found.tokens_out) / 1_000_000


def test_a_judge_s_own_price_comes_first() -> None:
    found = expected(juror(model="openai/gpt-4o-mini", price={"input": 1, "output": 0}), rows(3))

    assert found.cost == Decimal(found.tokens_in) / 1_000_000


def test_where_no_price_is_known_what_its_answers_cost_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    judge = juror("pass", price={"input": 1000, "output": 1000})
    with scripted(monkeypatch):
        frugal(judge, rows(2))
    JudgeVersion.objects.filter(pk=judge.pk).update(price=None)
    judge.refresh_from_db()

    assert expected(judge, rows(5)).cost == 5 * Decimal("0.12")  # 100 tokens in, 20 out
    assert expected(juror("mine"), rows(5)).cost is None


def test_what_the_criteria_take_is_counted() -> None:
    criteria_set = make_criteria_set()
    make_candidate(criteria_set)
    judge, spec = make_judge(), spec_of(live(criteria_set))
    told = build_messages(judge.template, spec, "", "", "", "", "0" * 32)
    with_each = sum(len(message["content"]) for message in told)

    found = expected(judge, criteria_set)

    assert 0 < found.tokens_in - with_each // 4 < 100  # and the row's own texts


def test_the_estimate_is_near_what_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    judge = juror()
    with scripted(monkeypatch) as server:
        run = judged(judge, 3)
        sent = sum(len(each["content"]) for call in server.calls for each in call.body["messages"])
    found = expected(judge, run.criteria_version.criteria_set)

    assert found.tokens_in == pytest.approx(sent / 4, rel=0.1)
