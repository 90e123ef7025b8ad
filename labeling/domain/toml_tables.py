"""Tables of a TOML file: checked key by key on the way in, written as text on the way out."""

import json
import tomllib
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

_WORDS = {
    str: "a text",
    int: "a whole number",
    bool: "true or false",
    Decimal: "a number",
    dict: "a table",
    list: "an array",
}


_LARGEST_EXPONENT = 300  # either way; computing with Decimals far beyond would take hours


def read_toml(text: str, refusal: type[ValueError]) -> dict[str, Any]:
    """The document, its decimals as Decimal. Raises `refusal` with a sentence where there is none."""
    try:
        return tomllib.loads(text, parse_float=_decimal)
    except tomllib.TOMLDecodeError as error:
        raise refusal(f"This is not TOML: {error}.") from error
    except RecursionError as error:
        raise refusal("This TOML is nested too deeply to be read.") from error
    except ValueError as error:  # from a number, a date or a time that is none
        raise refusal("This TOML holds a number too long to be read, or a date that is none.") from error


def _decimal(literal: str) -> Decimal:
    number = Decimal(literal)
    if number.is_finite() and abs(number.adjusted()) > _LARGEST_EXPONENT:
        raise ValueError(literal)
    return number


def check_table(table: Any, known: Mapping[str, type], place: str, refusal: type[ValueError]) -> None:
    """Raise `refusal`, naming the place, for an unknown key or a value that is not of its key's type.

    `object` takes anything; `Decimal` takes whole numbers and finite decimals (`parse_float=Decimal`).
    """
    if not isinstance(table, dict):
        raise refusal(f"{place}: this must be a table with the keys {', '.join(known)}.")
    for key, value in table.items():
        if key not in known:
            raise refusal(f"{place}: unknown key “{key}”. Known are {', '.join(known)}.")
        if not _fits(value, known[key]):
            raise refusal(f"{place}: “{key}” must be {_WORDS[known[key]]}.")


def _fits(value: Any, wanted: type) -> bool:
    if wanted is object:
        return True
    if wanted is Decimal:
        return type(value) is int or (isinstance(value, Decimal) and value.is_finite())
    return type(value) is wanted


def toml_lines(values: Mapping[str, Any]) -> list[str]:
    """One `key = value` line each. Values: texts, numbers, booleans, and lists and tables of them."""
    return [f"{key} = {toml_value(value)}" for key, value in values.items()]


def toml_value(value: Any) -> str:
    """One value as TOML writes it, tables in line."""
    if isinstance(value, str):
        # JSON's escapes are TOML's, but for DEL, which JSON leaves as it is.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")
    if isinstance(value, Mapping):
        return "{ " + ", ".join(toml_lines(value)) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml_value, value)) + "]"
    return str(value).lower()  # True is true, and numbers have no capitals
