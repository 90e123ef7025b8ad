"""JSON as RFC 8259 has it: no NaN, no Infinity, nothing after the document, any depth, any number."""

import json
import re
from dataclasses import dataclass

BLANKS = " \t\r\n"
STRINGS = re.compile(r'"(?:[^"\\]|\\.?)*+(?:"|\Z)', re.DOTALL)


class NotJson(ValueError):
    """The text is certainly not a JSON document; the message is a clause that says why."""


class TooDeep(ValueError):
    """The text nests deeper than can be read here: neither JSON nor not JSON can be shown."""


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed document. Numbers are kept as their text: `value` is for looking at names and flags."""

    value: object
    repeated_name: str | None


def parse(text: str) -> Document:
    """Parse one JSON document, a byte order mark allowed before it.

    Raises NotJson with the place, or TooDeep where the nesting is too deep to read but not provably broken.
    """
    repeated: list[str] = []

    def collect(pairs: list[tuple[str, object]]) -> dict[str, object]:
        names = dict(pairs)
        if len(names) < len(pairs) and not repeated:
            repeated.append(_first_repeated(pairs))
        return names

    try:
        value = json.loads(
            text.removeprefix("\ufeff").strip(BLANKS),
            object_pairs_hook=collect,
            parse_constant=_refuse_constant,
            parse_int=str,  # int() refuses long digit strings that JSON allows
            parse_float=str,
        )
    except RecursionError:
        _refuse_unbalanced(text)
        raise TooDeep("The text nests too deep to be read.") from None
    except json.JSONDecodeError as error:
        raise NotJson(f"{error.msg} at line {error.lineno} column {error.colno}") from None
    return Document(value, repeated[0] if repeated else None)


def starts_document(text: str, start: int) -> bool:
    """Whether a JSON document begins at `start`, or may begin there but nests too deep to be read."""
    decoder = json.JSONDecoder(parse_constant=_refuse_constant, parse_int=str, parse_float=str)
    try:
        decoder.raw_decode(text, start)
    except RecursionError:
        return True
    except (json.JSONDecodeError, NotJson):
        return False
    return True


def _first_repeated(pairs: list[tuple[str, object]]) -> str:
    seen: set[str] = set()
    for name, _ in pairs:
        if name in seen:
            return name
        seen.add(name)
    raise ValueError("No name is repeated.")


def _refuse_constant(name: str) -> object:
    raise NotJson(f"{name} is not a JSON value")


def _refuse_unbalanced(text: str) -> None:
    bare = STRINGS.sub("", text)
    for opening, closing in ("[]", "{}"):
        if bare.count(opening) != bare.count(closing):
            raise NotJson(f"unequal numbers of '{opening}' and '{closing}'")
