from typing import Any

import pytest

from judging.domain import fingerprint
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


def test_another_prompt_is_another_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    before = judge_fingerprint(**JUDGE)
    monkeypatch.setattr(fingerprint, "TEMPLATE", "juror-2")

    assert judge_fingerprint(**JUDGE) != before
