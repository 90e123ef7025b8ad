"""How texts are shown: nothing hidden stays hidden, nothing that is text becomes markup."""

import time
from collections.abc import Iterable

import pytest
from django.template import Context, Template

from labeling.domain.visible import Block, Plain, Token, lay_out_json, show, visible


def as_words(text: str) -> str:
    """The pieces in one line, tokens in brackets."""
    return "".join(f"[{piece.text}]" if isinstance(piece, Token) else piece.text for piece in visible(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain\ttext\nin lines", "plain\ttext\nin lines"),
        ("dos\r\nlines", "dos\nlines"),
        ("over\rwritten", "over[CR]written"),
        ("\x1b[31mred\x1b[0m", "[ESC][31mred[ESC][0m"),
        ("\u202egnp.exe\u202c", "[RLO]gnp.exe[PDF]"),
        ("a\u2066b\u2069", "a[LRI]b[PDI]"),
        ("pass\u200b\u200b\u200bword", "pass[ZWSP ×3]word"),
        ("\ufeff{}", "[BOM]{}"),
        ("soft\xadhyphen", "soft[SHY]hyphen"),
        ("tag\U000e0041", "tag[U+E0041]"),
        ("a\u200db", "a[ZWJ]b"),
        ("\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U0001f468\u200d\U0001f469\u200d\U0001f467"),
        ("\u2764\ufe0f", "\u2764\ufe0f"),
        ("\u2764\ufe0f\ufe0e", "\u2764\ufe0f[U+FE0E]"),
        ("data\U000e0101", "data[U+E0101]"),
        ("\u05e2\u05d1\u05e8\u05d9\u05ea", "\u05e2\u05d1\u05e8\u05d9\u05ea"),
    ],
)
def test_hidden_characters_become_tokens(text: str, expected: str) -> None:
    assert as_words(text) == expected


def test_a_token_says_its_full_name() -> None:
    assert visible("\u202e") == (Token("RLO", "U+202E RIGHT-TO-LEFT OVERRIDE"),)
    assert visible("\x1b") == (Token("ESC", "U+001B ESCAPE"),)


def test_json_is_laid_out_and_its_words_stay_as_written() -> None:
    laid_out = lay_out_json('{"a":1.50,"a":[],"b":[1e5,"x, {y}: \\u200b"],"c":{}}')

    assert laid_out == (
        '{\n  "a": 1.50,\n  "a": [],\n  "b": [\n    1e5,\n    "x, {y}: \\u200b"\n  ],\n  "c": {}\n}'
    )


@pytest.mark.parametrize("text", ["", "3", '"text"', '{"a": 1', "[NaN]", "{not json}", "[" * 50_000])
def test_what_is_no_json_document_is_left_alone(text: str) -> None:
    assert lay_out_json(text) is None


def test_words_from_right_to_left_do_not_change_places_in_json() -> None:
    shown = show('{"שלום": "עולם", "a": 1}')

    isolated = [piece.text for piece in shown.open[0].pieces if isinstance(piece, Plain) and piece.isolated]
    assert isolated == ['"שלום"', '"עולם"', '"a"']
    assert "".join(piece.text for piece in shown.open[0].pieces) == '{\n  "שלום": "עולם",\n  "a": 1\n}'


def test_fenced_code_is_told_from_prose_and_keeps_its_fences() -> None:
    shown = show("Look:\n```python\nx = 1\n```\nDone.")

    assert [block.kind for block in shown.open] == ["text", "code", "text"]
    assert shown.open[1] == Block("code", (Plain("```python\nx = 1\n```\n"),))


def test_an_open_fence_runs_to_the_end() -> None:
    assert [block.kind for block in show("a\n```\nb").open] == ["text", "code"]


def test_a_long_text_folds_at_the_end_of_a_line() -> None:
    text = "A line of some length.\n" * 400

    shown = show(text, fold_at=1_000)

    parts = [
        "".join(piece.text for block in half for piece in block.pieces) for half in (shown.open, shown.folded)
    ]
    assert "".join(parts) == text
    assert len(parts[0]) <= 1_000
    assert parts[0].endswith("\n")


def written(blocks: Iterable[Block]) -> str:
    return "".join(piece.text for block in blocks for piece in block.pieces)


def test_a_text_little_longer_than_the_fold_is_not_folded() -> None:
    assert show("x" * 1_400, fold_at=1_000).folded == ()


@pytest.mark.parametrize(
    "text", ["a" * 10_000_000, "\u202e\u200b" * 5_000_000, "[" * 10_000_000, "```\n" * 2_500_000]
)
def test_ten_megabytes_cost_a_moment_and_a_bounded_page(text: str) -> None:
    started = time.perf_counter()

    shown = show(text)

    assert time.perf_counter() - started < 1
    assert shown.unsent == 10_000_000 - 20_000
    assert len(written(shown.open + shown.folded)) < 150_000


def test_deeply_nested_json_does_not_explode() -> None:
    text = "[" * 900 + "]" * 900

    assert len(written(show(text).open + show(text).folded)) < 200_000


def test_templates_show_markup_as_text() -> None:
    page = Template("{% load visible %}{% show_text text %}|{{ text|visible }}")

    html = page.render(Context({"text": "<script>x</script>\u202e</div>"}))

    assert "<script>" not in html
    assert html.count("&lt;script&gt;") == 2
    assert html.count('<span class="token" title="U+202E RIGHT-TO-LEFT OVERRIDE">RLO</span>') == 2
