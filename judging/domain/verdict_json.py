"""Find JSON of the reply's shape in a text, strictly, and in time linear in the text's length."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

# The agreed shape is three levels deep. Objects below this many open braces are not looked at, which bounds
# how often a character is read and so keeps the search linear.
_MAX_DEPTH = 8

_OBJECT_MARKS = re.compile(r'["{}\\\n]')
_WHOLE = re.compile(r"-?\d+\.0+")
_ESCAPED_VERDICT = re.compile(r'\\"criteria\\+"\s*:\s*\[\s*\{[^{}]*\\"score\\')
# In the second form braces may stand in a text before the score. Its bounds keep a search linear.
_SCORED = re.compile(
    r'"criteria"\s*:\s*\[\s*\{'
    r'(?:[^{}]*|(?:[^{}"]{1,2000}+|"(?:[^"\\\n]|\\.){0,2000}+"){0,40}?)"score"\s*:\s*["\d-]'
)
# Where JSON that is cut off may have its error: at its very end, in a word, a number or an escape.
_STUB = re.compile(r"\s*|-|[.eEtfn][-+a-z]{0,4}|u[\da-fA-F]{0,3}")


@dataclass(frozen=True, slots=True)
class Found:
    """A JSON object found in a text, where, and what its parts say that strict JSON forbids.

    `outer`: where the braces start that were open around it.
    """

    value: dict[str, Any]
    duplicate: str
    constant: str
    start: int = 0
    end: int = 0
    outer: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class _Span:
    start: int
    end: int
    outer: tuple[int, ...]


def verdicts(text: str) -> Iterator[Found]:
    """Every outermost JSON object of the reply's shape in a text."""
    if not _may_hold_verdict(text):
        return
    read_to = 0
    for span in _scan(text)[0]:
        # The slice keeps a failure cheap: the JSON error counts the lines before it, which for a
        # position in the whole text would make many small failures quadratic.
        found = _read_object(text, span) if span.start >= read_to else None
        if found is not None:
            read_to = span.end
            if _has_shape(found.value):
                yield found


def holds_verdict(text: str) -> bool:
    """Whether a text contains JSON of the reply's shape, plainly or escaped inside other JSON."""
    may_score = '"score"' in text or "\\u" in text
    plain = may_score and any("score" in entry for each in verdicts(text) for entry in each.value["criteria"])
    return plain or bool(_ESCAPED_VERDICT.search(text))


def masked(text: str, found: Iterable[Found]) -> str:
    """The text with blanks in place of these objects, which must be in order."""
    parts, at = [], 0
    for each in found:
        parts += [text[at : each.start], " " * (each.end - each.start)]
        at = each.end
    return "".join([*parts, text[at:]])


def breaks_off(text: str) -> bool:
    """Whether the text ends within a JSON object, which was right so far."""
    return any(_is_begun(text[start:]) for start in _scan(text)[1][:_MAX_DEPTH])


def holds_broken_verdict(text: str, found: Iterable[Found]) -> bool:
    """Whether somewhere beside these objects scores are given in JSON that cannot be read."""
    return bool(_SCORED.search(masked(text, found)))


def is_part(text: str, found: Found) -> bool:
    """Whether the object is a part of greater JSON, be it whole, broken or cut off."""
    before, after = text[: found.start].rstrip(), text[found.end :].lstrip()
    in_array = before.endswith("[") or after.startswith(("]", ","))
    return in_array or any(_is_begun(text[outer : found.start]) for outer in found.outer)


def _may_hold_verdict(text: str) -> bool:
    return '"criteria"' in text or "\\u" in text


def _scan(text: str) -> tuple[list[_Span], list[int]]:
    """The closed objects in order, and where those start that are still open at the end of the text.

    Quotes count only inside braces. A line break inside a string means that it was no JSON string, so
    whatever was open is given up: prose with a lone brace or quote does not hide what follows it.
    """
    spans: list[_Span] = []
    stack: list[int] = []
    in_string = False
    escaped_at = -1
    for mark in _OBJECT_MARKS.finditer(text):
        char, at = mark[0], mark.start()
        if at == escaped_at:
            continue
        if char == "\\" and in_string:
            escaped_at = at + 1
        elif char == '"' and stack:
            in_string = not in_string
        elif char == "\n" and in_string:
            stack.clear()
            in_string = False
        elif char == "{" and not in_string:
            stack.append(at)
        elif char == "}" and not in_string and stack:
            start = stack.pop()
            if len(stack) < _MAX_DEPTH:
                spans.append(_Span(start, at + 1, tuple(stack)))
    return sorted(spans, key=lambda span: span.start), stack


def _read_object(text: str, span: _Span) -> Found | None:
    """A part of a text read as one JSON object; None when it is none. Notes what strict JSON forbids."""
    part = text[span.start : span.end]
    if not _may_hold_verdict(part):
        return None
    duplicates: list[str] = []
    constants: list[str] = []

    def keep(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        counted = Counter(key for key, _ in pairs)
        duplicates.extend(key for key, times in counted.items() if times > 1)
        return dict(pairs)

    try:
        value = json.loads(
            part, object_pairs_hook=keep, parse_constant=constants.append, parse_float=_exact_number
        )
    except (ValueError, RecursionError):
        return None
    return Found(
        value, next(iter(duplicates), ""), next(iter(constants), ""), span.start, span.end, span.outer
    )


def _is_begun(text: str) -> bool:
    """Whether a text is the beginning of a JSON value, lacking nothing but its rest."""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return error.msg.startswith("Unterminated string") or bool(_STUB.fullmatch(text, error.pos))
    except (ValueError, RecursionError):
        return False
    return False


def _exact_number(literal: str) -> int | float:
    return int(literal.partition(".")[0]) if _WHOLE.fullmatch(literal) else float(literal)


def _has_shape(value: dict[str, Any]) -> bool:
    entries = value.get("criteria")
    return isinstance(entries, list) and all(isinstance(entry, dict) for entry in entries)
