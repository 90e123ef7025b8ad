import time
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from labeling.domain.criteria import CriteriaSpec, CriterionSpec, InvalidCriteria, check_criteria
from labeling.domain.rules import InvalidParams, UnknownStrategy, find_rule
from tests.domain.specs import CORRECT, SPEC

WORDS = CriterionSpec("brief", "Short.", strategy="max_words", params={"words": 3}, minimum=1)


def shortfall(strategy: str, params: dict[str, Any], candidate: str) -> str:
    return find_rule(strategy).shortfall(params, candidate)


@pytest.mark.parametrize(
    ("strategy", "params", "good", "bad"),
    [
        ("valid_json", {}, ' {"a": [1, null]} ', '{"a": 1,}'),
        ("valid_json", {}, "0", "NaN"),
        ("valid_json", {}, '""', ""),
        ("valid_json", {}, "[]", "[" * 200_000),
        ("max_words", {"words": 2}, "two  words\n", "now three words"),
        ("includes", {"text": ["Friday", "tab"]}, "Cut the tab by Friday.", "Cut it by Friday."),
    ],
)
def test_a_rule_tells_good_from_bad(strategy: str, params: dict[str, Any], good: str, bad: str) -> None:
    assert shortfall(strategy, params, good) == ""
    assert shortfall(strategy, params, bad).endswith(".")


def test_the_sentence_says_what_is_lacking() -> None:
    assert shortfall("includes", {"text": ["Friday", "tab"]}, "Friday") == "The output lacks: tab."


@pytest.mark.parametrize(
    ("strategy", "params"),
    [
        ("valid_json", {"strict": True}),
        ("max_words", {}),
        ("max_words", {"words": "3"}),
        ("max_words", {"words": True}),
        ("max_words", {"words": 0}),
        ("includes", {"text": []}),
        ("includes", {"text": [""]}),
        ("includes", {"text": "Friday"}),
    ],
)
def test_wrong_parameters_are_refused(strategy: str, params: dict[str, Any]) -> None:
    with pytest.raises(InvalidParams):
        find_rule(strategy).check(params)


def test_an_unknown_strategy_is_an_error_that_names_the_known_ones() -> None:
    with pytest.raises(UnknownStrategy, match="“judge” or one of includes, max_words, valid_json"):
        find_rule("vibes")


@pytest.mark.parametrize("strategy", ["valid_json", "max_words", "includes"])
def test_rules_take_linear_time(strategy: str) -> None:
    all_params: dict[str, dict[str, Any]] = {"max_words": {"words": 5}, "includes": {"text": ["b"]}}
    started = time.perf_counter()

    assert shortfall(strategy, all_params.get(strategy, {}), "a " * 2_500_000)
    assert time.perf_counter() - started < 5


def test_complete_criteria_are_accepted() -> None:
    check_criteria(SPEC)
    check_criteria(CriteriaSpec((CORRECT, WORDS)))


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"name": ""}, "is empty"),
        ({"name": "a\u200b"}, "nobody can see"),
        ({"description": " "}, "it has no description"),
        ({"weight": 0}, "its weight must be"),
        ({"scale_min": 1}, "its scale must rise"),
        ({"minimum": None}, "it is required but has no minimum"),
        ({"minimum": 2}, "its minimum 2 is outside its scale 0 to 1"),
        ({"params": {"words": 3}}, "only a rule takes parameters"),
    ],
)
def test_an_incomplete_criterion_is_refused_by_name(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidCriteria, match=sentence):
        check_criteria(CriteriaSpec((replace(CORRECT, **changes),)))


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        (CriteriaSpec(()), "At least one criterion"),
        (CriteriaSpec((WORDS,)), "At least one criterion"),
        (CriteriaSpec((CORRECT, CORRECT)), "Two criteria are called “correct”"),
        (CriteriaSpec((CORRECT,), Decimal(0)), "threshold"),
        (CriteriaSpec((CORRECT,), Decimal("1.1")), "threshold"),
        (CriteriaSpec((CORRECT, replace(WORDS, strategy="vibes"))), "“brief”: “vibes” is no strategy"),
        (CriteriaSpec((CORRECT, replace(WORDS, params={}))), "“brief”: the rule “max_words” needs"),
    ],
)
def test_contradictory_criteria_are_refused(spec: CriteriaSpec, sentence: str) -> None:
    with pytest.raises(InvalidCriteria, match=sentence):
        check_criteria(spec)
