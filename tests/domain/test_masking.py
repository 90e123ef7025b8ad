"""A key is taken out of a text in every spelling, and nothing else is."""

import base64
import json
import time
from collections.abc import Callable
from html import escape
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.domain.masking import MASK, without_key
from tests.scripted_judge import spellings

KEY = "house+4f9c/2b7e=51d84a06&x9"


@pytest.mark.parametrize("number", range(len(spellings(KEY))))
def test_every_spelling_is_taken_out(number: int) -> None:
    spelled = spellings(KEY)[number]

    masked = without_key(f"It was {spelled}, I think.", KEY)

    assert MASK in masked
    assert "4f9c" not in masked
    assert len(masked) < len(f"It was {MASK}, I think.") + 16  # what a prefix leaves of base64


@given(st.text("abcdefXYZ0189-_+/=&%.", min_size=12, max_size=60), st.integers(0, 5))
def test_any_key_in_any_mixture_of_escapes(key: str, salt: int) -> None:
    ways: list[Callable[[str], str]] = [
        str,
        lambda c: f"\\u{ord(c):04x}",
        lambda c: f"%{ord(c):02X}",
        lambda c: f"&#{ord(c)};",
    ]
    mixed = "".join(ways[(place + salt) % 4](letter) for place, letter in enumerate(key))

    for text in (mixed, json.dumps(mixed), quote(key), quote_plus(key), escape(key), json.dumps(key)):
        assert key not in text or key not in without_key(text, key)
        assert MASK in without_key(f"<{text}>", key)


@given(st.binary(max_size=9), st.text("abcXYZ019+/=", min_size=16, max_size=40), st.binary(max_size=9))
def test_a_key_inside_of_what_is_encoded_in_base64(before: bytes, key: str, after: bytes) -> None:
    encoded = base64.b64encode(before + key.encode() + after).decode()

    assert MASK in without_key(encoded, key)


@given(st.text())
def test_other_texts_stay_as_they_are(text: str) -> None:
    assert without_key(text, KEY) == text
    assert without_key(text, None) == text


def test_a_short_key_is_only_taken_out_as_it_is() -> None:
    assert without_key("an ollama", "ollama") == f"an {MASK}"
    assert without_key("6f6c6c616d61 \\u006f", "ollama") == "6f6c6c616d61 \\u006f"


def test_a_long_reply_takes_no_long_time() -> None:
    text = "house+4f9c\\u002f" * 130_000

    began = time.perf_counter()
    assert without_key(text, KEY) == text

    assert time.perf_counter() - began < 3
