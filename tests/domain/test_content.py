"""Identity of a candidate, and texts that cannot be stored."""

import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeling.domain.content import canonical_json, content_hash, request_hash, text_problem

storable = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"))


def test_the_content_hash_is_sha256_of_the_canonical_json_of_the_four_texts() -> None:
    spelled_out = '{"criteria_text":"kurz","grounding":"é","output":"o\\"","request":"r"}'

    hashed = content_hash(request="r", output='o"', grounding="é", criteria_text="kurz")

    assert hashed == hashlib.sha256(spelled_out.encode("utf-8")).hexdigest()


def test_each_text_counts_and_in_its_own_place() -> None:
    texts = ("request", "output", "grounding", "criteria")
    orders = [texts, texts[::-1], ("output", "request", *texts[2:]), (*texts[:2], "", "groundingcriteria")]

    assert len({content_hash(*order) for order in orders}) == len(orders)


def test_absent_and_empty_are_the_same() -> None:
    assert content_hash("r", "o", None, None) == content_hash("r", "o", "", "")


@given(st.tuples(storable, storable, storable, storable), st.tuples(storable, storable, storable, storable))
def test_equal_hashes_mean_equal_texts(one: tuple[str, ...], other: tuple[str, ...]) -> None:
    assert (content_hash(*one) == content_hash(*other)) == (one == other)


def test_the_request_hash_is_sha256_of_its_utf8_bytes() -> None:
    # Published test vector of FIPS 180-2 for the message "abc".
    assert request_hash("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_canonical_json_refuses_what_json_does_not_have(number: float) -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        canonical_json({"score": [number]})


@given(st.dictionaries(storable, st.integers() | storable | st.lists(st.booleans() | st.none())))
def test_canonical_json_is_one_spelling_that_reads_back(value: dict[str, object]) -> None:
    backwards = dict(reversed(value.items()))

    assert canonical_json(value) == canonical_json(backwards)
    assert json.loads(canonical_json(value)) == value


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("\x00", "The text has a NUL character at character 1: remove it."),
        ("ab\x00\ud800", "The text has a NUL character at character 3: remove it."),
        ("😀\ud83d", "The text has a lone surrogate (U+D83D) at character 2, half of a character"),
        ("\ude00\ud83d", "The text has a lone surrogate (U+DE00) at character 1, half of a character"),
    ],
)
def test_the_first_unstorable_character_is_named_with_its_place(text: str, problem: str) -> None:
    assert (text_problem(text) or "").startswith(problem)


@given(storable)
def test_every_other_text_can_be_stored(text: str) -> None:
    assert text_problem(text) is None
    assert len(content_hash(text, text, text, text)) == 64
