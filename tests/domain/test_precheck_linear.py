"""Millions of characters of anything end soon and raise nothing: a quadratic step would not end in hours."""

import pytest

from judging.domain.precheck import Case, Layer1, run_precheck

JSON = "valid_json: The output must be one valid JSON document."
SIZES = (390, 2_900, 900_000, 2_500_000)
"""The shorter ones lie just below the lengths beyond which some checks do not look."""
HEADS = [
    "Traceback (most recent call last):\n  ", "<think>", "KeyError: 'a", "\x1b]", '{"a": "',
    "Max steps reached ", "bash: ", "ERROR x\n", "thread 'main' panicked at ", "litellm.",
    'File "a", line 1\n', "<html>", "Agent stopped due to ",
    "I'm sorry, ", "HTTP/1.1 502 x\nA: ", "Could not parse LLM output: ", "a.errors.", "<think ", "Error in ",
    '{"success": false, "note": "', "<h1>502 bad gateway ",
]  # fmt: skip
PATTERNS = [
    "a", "(", "[", "{", '{"a":', '"', '\\"', "\x1b[", "\x1b[0", "\x1b]", "\x9b", "[1;", "<think>",
    "<think></think>", "Traceback (most recent call last):\n", "Error: ", "Error\n", "at x\n", 'File "',
    "```", "```json\n", "~~~\n", "\u200b", "\n", "\r", "a\r", "a\n", " a", "null ", "<html>", "<title>",
    "<title", "&nbsp;", "expected ", "- ", "{'", "[{'a':", "9", "-", "max iterations ", "\x00", "🙂",
    "a.", "a: ", "json ",
]  # fmt: skip


@pytest.mark.parametrize("pattern", PATTERNS, ids=ascii)
def test_megabytes_of_anything(pattern: str) -> None:
    for size in SIZES:
        case = Case(pattern * (size // len(pattern)), criteria=JSON, request="Return it.")

        assert run_precheck(case).verdict in Layer1


@pytest.mark.parametrize("pattern", "a([{ ")
def test_ten_megabytes(pattern: str) -> None:
    assert run_precheck(Case(pattern * 10_000_000, criteria=JSON)).verdict in Layer1


@pytest.mark.parametrize("head", HEADS, ids=ascii)
def test_a_known_start_before_a_long_text(head: str) -> None:
    for filling in ("a b\\", "1", "ERROR ", "a.b", "(1)", " a", "Error: "):
        for size in SIZES[:3]:
            assert run_precheck(Case(head + filling * (size // len(filling)))).verdict in Layer1


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
