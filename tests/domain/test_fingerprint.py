from dataclasses import replace
from typing import Any

import pytest

from judging.domain.examples import Example, Examples
from judging.domain.fingerprint import judge_fingerprint

JUDGE: dict[str, Any] = {
    "kind": "model",
    "model": "openai/gpt-4o",
    "family": "openai",
    "base_url_env": "VERA_JUROR_URL",
    "api_key_env": "OPENAI_API_KEY",
    "params": {"temperature": 0, "seed": 1},
    "members": ["a", "b"],
    "on_split": "majority",
}


def test_the_same_judge_has_the_same_fingerprint() -> None:
    reordered = JUDGE | {"params": {"seed": 1, "temperature": 0}}

    assert judge_fingerprint(**JUDGE) == judge_fingerprint(**reordered)
    assert len(judge_fingerprint(**JUDGE)) == 64


@pytest.mark.parametrize(
    ("what", "value"),
    [
        ("kind", "panel"),
        ("model", "openai/gpt-4o-mini"),
        ("family", "other"),
        ("base_url_env", ""),
        ("api_key_env", "VERA_JUROR_KEY"),
        ("params", {"temperature": 0}),
        ("members", ["b", "a"]),
        ("on_split", "human"),
    ],
)
def test_any_change_is_another_judge(what: str, value: Any) -> None:
    assert judge_fingerprint(**JUDGE | {what: value}) != judge_fingerprint(**JUDGE)


def shown(**changes: Any) -> Examples:
    row = Example("a" * 64, "Ask.", "Answer.", "", "", "pass", "Well said.", {"correct": 1})
    return replace(Examples("replies", 1, "0" * 32, (row,)), **changes)


def test_another_prompt_is_another_judge() -> None:
    assert judge_fingerprint(**JUDGE, template="juror-2") != judge_fingerprint(**JUDGE, template="juror-1")


@pytest.mark.parametrize(
    "changes",
    [
        {"criteria_set": "summaries"},
        {"rows": (replace(shown().rows[0], verdict="fail"),)},
        {"rows": (replace(shown().rows[0], comment=""),)},
        {"rows": (replace(shown().rows[0], marks={}),)},
        {"rows": shown().rows * 2},
    ],
)
def test_other_examples_are_another_judge(changes: dict[str, Any]) -> None:
    judges = {judge_fingerprint(**JUDGE, examples=each) for each in (None, shown(), shown(**changes))}

    assert len(judges) == 3


def test_the_random_word_around_examples_makes_no_other_judge() -> None:
    again = shown(boundary="1" * 32, criteria_version=2)

    assert judge_fingerprint(**JUDGE, examples=again) == judge_fingerprint(**JUDGE, examples=shown())


def test_fingerprints_that_were_given_before_there_were_templates_to_choose_are_still_the_same() -> None:
    """Computed by the release that had juror-1 alone; certificates in databases name them."""
    model = judge_fingerprint(
        kind="model",
        model="openai/gpt-4o",
        family="openai",
        base_url_env="VERA_JUROR_URL",
        api_key_env="OPENAI_API_KEY",
        params={"temperature": 0, "seed": 1},
        template="juror-1",
    )
    panel = judge_fingerprint(kind="panel", members=["a" * 64, "b" * 64], on_split="human")

    assert model == "899bfe552ac7bd15f6c0e972793dd9ecae2b981c0799949157a5bb522116492b"
    assert panel == "86ce9e2576a8a29d45ff8defb94adb43d62c13ecb2f3ed36c70c1b4ad00b55f9"
