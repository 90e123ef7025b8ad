"""Reading a whole candidate as one JSON document, or as an object printed with Python quotes."""

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from judging.domain.precheck.strict_json import Document, NotJson, TooDeep, parse

LITERAL_LIMIT = 20_000
"""Longest text read as a Python literal: printed error objects are short."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A document, or why the text is none; neither where the text is too deep to say."""

    document: Document | None = None
    trouble: str | None = None


def read(*forms: str) -> Reading:
    """Read the first of several forms of a text that is JSON; the trouble is that of the last form."""
    trouble: str | None = None
    for form in forms:
        try:
            return Reading(document=parse(form))
        except TooDeep:
            return Reading()
        except NotJson as error:
            trouble = str(error)
    return Reading(trouble=trouble)


def record_of(value: object) -> Mapping[str, object] | None:
    """The object that a value is, or the only one in a list."""
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if not isinstance(value, dict):
        return None
    return {name: each for name, each in value.items() if isinstance(name, str)}


def printed_record(text: str) -> Mapping[str, object] | None:
    """The object that a text printed by Python (`{'error': None}`) stands for, if it is one."""
    if not text.startswith(("{'", "[{'")) or len(text) > LITERAL_LIMIT:
        return None
    try:
        return record_of(ast.literal_eval(text))
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        return None
