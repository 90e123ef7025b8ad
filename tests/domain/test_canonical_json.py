"""JSON in one way only: RFC 8785."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.domain.canonical_json import canonical

_TEXT = st.text(st.characters(exclude_categories=["Cs"]))
_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | _TEXT,
    lambda inner: st.lists(inner) | st.dictionaries(_TEXT, inner),
    max_leaves=20,
)


# What ECMAScript's JSON.stringify writes, by the rules of ECMA-262 for Number::toString.
@pytest.mark.parametrize(
    ("number", "written"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (1.0, "1"),
        (-7, "-7"),
        (0.65, "0.65"),
        (0.8666666666666667, "0.8666666666666667"),
        (1e-6, "0.000001"),
        (0.00001, "0.00001"),
        (1e-7, "1e-7"),
        (1.5e-9, "1.5e-9"),
        (1e20, "100000000000000000000"),
        (1e21, "1e+21"),
        (1.25e30, "1.25e+30"),
        (5e-324, "5e-324"),
        (1.7976931348623157e308, "1.7976931348623157e+308"),
    ],
)
def test_numbers_are_written_as_ecmascript_writes_them(number: float, written: str) -> None:
    assert canonical(number) == written.encode()


def test_names_are_sorted_by_their_utf_16_and_nothing_stands_between() -> None:
    value = {"\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\U0001f600": 5, "\u0080": 6, "\u00f6": 7}

    names = list(json.loads(canonical(value)))

    # The order of the example in section 3.2.3 of the RFC.
    assert names == ["\r", "1", "\u0080", "\u00f6", "\u20ac", "\U0001f600", "\ufb33"]
    assert canonical({"b": [1, True, None], "a": "x"}) == b'{"a":"x","b":[1,true,null]}'


def test_text_is_kept_and_only_what_must_be_is_escaped() -> None:
    assert canonical('€\\"\n\x0f\x7f/') == '"€\\\\\\"\\n\\u000f\x7f/"'.encode()


@pytest.mark.parametrize(
    "value", [math.nan, math.inf, -math.inf, 2**53 + 1, 10**400, "\ud800", {1: 2}, {"a": {1}}, b"x"]
)
def test_what_json_cannot_say_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match=r"JSON|surrogates"):
        canonical(value)


@given(_VALUES)
def test_what_is_written_reads_back_and_is_written_the_same(value: object) -> None:
    read = json.loads(canonical(value))

    assert read == value
    assert canonical(read) == canonical(value)
