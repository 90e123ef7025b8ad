"""Plain text with light structure: paragraphs, "# " headings and "- " lists. Nothing in it is markup."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

type Kind = Literal["heading", "items", "paragraph"]
_ITEM = ("- ", "* ", "• ")


@dataclass(frozen=True, slots=True)
class Block:
    """One heading or paragraph with its text in a single line, or a list with a line for each item."""

    kind: Kind
    lines: tuple[str, ...]


def blocks(text: str) -> list[Block]:
    """The text's blocks in their order. An empty line ends a paragraph; every character stays a character.

    Lines of one paragraph stay lines, as somebody typed them. A line that is indented below an item goes on
    with that item.
    """
    return [block for part in _parts(text) for block in _of_part(part)]


def _parts(text: str) -> Iterator[list[str]]:
    """The lines between empty lines."""
    lines = text.splitlines()
    for filled, part in groupby(lines, key=lambda line: bool(line.strip())):
        if filled:
            yield list(part)


def _of_part(lines: list[str]) -> Iterator[Block]:
    found: list[tuple[Kind, list[str]]] = []
    for line in lines:
        kind, words = _read(line)
        before = found[-1] if found else None
        if kind == "paragraph" and before and before[0] == "items" and line[0].isspace():
            before[1][-1] += f" {words}"
        elif before and before[0] == kind and kind != "heading":
            before[1].append(words)
        else:
            found.append((kind, [words]))
    for kind, words_of in found:
        yield Block(kind, tuple(words_of))


def _read(line: str) -> tuple[Kind, str]:
    """What kind of line it is, and its text without the sign that says so."""
    stripped = line.strip()
    if stripped.startswith("#") and stripped.lstrip("#").startswith(" "):
        return "heading", stripped.lstrip("#").strip()
    if stripped.startswith(_ITEM):
        return "items", stripped[2:].strip()
    return "paragraph", stripped
