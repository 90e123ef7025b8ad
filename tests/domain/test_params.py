"""A judge's parameters: those that shape the answer, with values that can be."""

from contextlib import suppress
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.domain.params import OWN, SENT, InvalidJudgeParams, check_names, check_params


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"temperature": 0, "top_p": 0.9, "top_k": 40, "seed": -7, "max_tokens": 2000},
        {"max_completion_tokens": 1, "reasoning_effort": "minimal", "verbosity": "low"},
        {"stop": "END"},
        {"stop": ["END", "DONE"], "presence_penalty": -2, "frequency_penalty": 2.0},
        {"expect_model": "gpt-4o-2024-08-06", "context_tokens": 8192, "corrections": 0},
        {"answers_as": "gpt-4o", "response_format": "json"},
    ],
)
def test_what_shapes_an_answer_is_taken(params: dict[str, Any]) -> None:
    check_params(params)


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"temperature": 2.1}, "“temperature” must be a number from 0 to 2"),
        ({"temperature": "0"}, "“temperature” must be a number"),
        ({"temperature": True}, "“temperature” must be a number"),
        ({"temperature": float("nan")}, "“temperature” must be a number"),
        ({"temperature": Decimal("nan")}, "“temperature” must be a number"),
        ({"top_p": Decimal("-inf")}, "“top_p” must be a number"),
        ({"top_p": -0.1}, "“top_p” must be a number from 0 to 1"),
        ({"max_tokens": 0}, "“max_tokens” must be a whole number of tokens, such as 2000"),
        ({"max_tokens": 10.5}, "whole number"),
        ({"max_completion_tokens": "many"}, "whole number"),
        ({"seed": 1.5}, "“seed” must be a whole number"),
        ({"seed": 2**63}, "“seed” must be a whole number"),
        ({"stop": []}, "“stop” must be a text, or a list of up to four"),
        ({"stop": ["a"] * 5}, "up to four"),
        ({"reasoning_effort": "hard"}, "one of none, minimal, low, medium, high"),
        ({"verbosity": "chatty"}, "one of low, medium, high"),
        ({"presence_penalty": 3}, "a number from -2 to 2"),
        ({"expect_model": " "}, "a model's name"),
        ({"context_tokens": -1}, "such as 8192"),
        ({"corrections": 2}, "0 or 1"),
        ({"corrections": True}, "0 or 1"),
        ({"response_format": "xml"}, "schema, json, none"),
        ({"api_base": "http://127.0.0.1"}, "cannot have the parameter “api_base”"),
        ({"expect_model": "a", "answers_as": "a"}, "either “expect_model” or “answers_as”"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(params: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidJudgeParams, match=said) as refused:
        check_params(params)

    assert str(refused.value).endswith(".")


@given(
    params=st.dictionaries(
        st.sampled_from(sorted(SENT | OWN)),
        st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.lists(st.text()),
    )
)
def test_nothing_but_a_refusal_comes_of_any_value(params: dict[str, Any]) -> None:
    with suppress(InvalidJudgeParams):
        check_params(params)


def test_an_older_version_with_a_value_that_is_refused_today_can_still_be_asked() -> None:
    check_names({"temperature": 3, "reasoning_effort": "hard"})
