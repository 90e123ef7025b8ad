"""One way to write a JSON value, so that two programs sign and check the same bytes: RFC 8785.

Names sorted, nothing between, numbers as ECMAScript writes them, text as it is.
"""

import json
from decimal import Decimal
from typing import Any

_LARGEST = 2**1023  # all numbers are doubles to ECMAScript, so whole ones must be among these, too


def canonical(value: Any) -> bytes:
    """The value's bytes. Raises `ValueError` for what JSON cannot say, such as NaN or half a character."""
    return _written(value).encode()


def _written(value: Any) -> str:
    if isinstance(value, dict):
        if not all(isinstance(name, str) for name in value):
            raise ValueError("A name in a JSON object is a text.")
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        return "{" + ",".join(f"{_written(name)}:{_written(value[name])}" for name in names) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(_written, value)) + "]"
    if value is None or isinstance(value, bool | str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, int) and abs(value) < _LARGEST and int(float(value)) == value:
        return _number(float(value))
    if isinstance(value, float):
        return _number(value)
    raise ValueError(f"Not every program could read this {type(value).__name__} from JSON as it is.")


def _number(value: float) -> str:
    """The shortest digits that give the number back, in the form that ECMAScript chooses."""
    if value != value or value in (float("inf"), float("-inf")):
        raise ValueError("JSON has no number that is infinite or none.")
    if value == 0:
        return "0"
    if value.is_integer() and abs(value) < 1e21:
        return str(int(value))
    if abs(value) < 1e21 and abs(value) >= 1e-6:
        return format(Decimal(repr(value)), "f")
    digits, _, exponent = repr(value).partition("e")
    return f"{digits.removesuffix('.0')}e{int(exponent):+d}"
