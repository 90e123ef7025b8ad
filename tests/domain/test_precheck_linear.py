"""Millions of characters of anything end soon and raise nothing: a quadratic step would not end in hours."""

import pytest

from judging.domain.precheck import Case, Layer1, run_precheck

JSON = "valid_json: The output must be one valid JSON document."
SIZE = 10_000_000
PATTERNS = [
    "a", "(", "[", "{", '{"a":', '"', '\\"', "\x1b[", "\x1b[0", "\x1b]", "\x9b", "[1;", "<think>",
    "<think></think>",
    "Traceback (most recent call last):\n", "Error: ", "Error\n", "at x\n", 'File "', "```", "```json\n",
    "~~~\n",
    "\u200b", "\n", "\r", "a\r", "a\n", " a", "null ", "<html>", "<title>", "<title", "&nbsp;", "expected ",
    "- ",
    "{'", "[{'a':", "9", "-", "max iterations ", "\x00", "🙂", "a.", "a: ", "json ",
]  # fmt: skip


@pytest.mark.parametrize("pattern", PATTERNS, ids=ascii)
def test_ten_megabytes_of_anything(pattern: str) -> None:
    text = pattern * (SIZE // 4 // len(pattern) if pattern != "a" else SIZE)

    assert run_precheck(Case(text, criteria=JSON, request="Return it.")).verdict in Layer1


@pytest.mark.parametrize(
    "head", ["Traceback (most recent call last):\n  ", "<think>", "KeyError: 'a", "\x1b]", '{"a": "']
)
def test_a_known_start_before_a_long_text(head: str) -> None:
    assert run_precheck(Case(head + "a b\\" * 1_000_000)).verdict in Layer1


@pytest.mark.parametrize(
    "words", ["json ", "empty ", "not ", "return the ", "error ", "no ", "expected ", "is ", "a"]
)
def test_long_requests_and_criteria(words: str) -> None:
    ask = words * (2_000_000 // len(words))

    assert run_precheck(Case("", criteria=ask, request=ask)).verdict in Layer1
    assert run_precheck(Case('{"success": false}', criteria=ask, request=ask)).verdict in Layer1


@pytest.mark.parametrize("nested", ["[" * 1_000_000, '{"a":' * 1_000_000, "[" * 9 + "]" * 8])
def test_deep_nesting_that_cannot_balance_is_no_json(nested: str) -> None:
    assert run_precheck(Case(nested, criteria=JSON)).check == "schema_violation"
