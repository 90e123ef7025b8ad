"""What changed in a text, word by word."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

type Kind = Literal["", "ins", "del"]

_WORD = re.compile(r"\w+|\s+|[^\w\s]")
MOST_WORDS = 4000  # of longer texts, one is shown in place of the other: comparing costs the square
LEAST_ALIKE = 0.5  # share of words in both below which a text reads as another one, not as a changed one


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text: new ("ins"), gone ("del"), or in both ("")."""

    kind: Kind
    text: str


def word_diff(before: str, after: str) -> list[Piece]:
    """`before` and `after` as one text: without what is new it is `before`, without what is gone `after`."""
    if before == after:
        return [Piece("", before)] if before else []
    old, new = _WORD.findall(before), _WORD.findall(after)
    if max(len(old), len(new)) > MOST_WORDS or _alike(old, new) < LEAST_ALIKE:
        return list(_filled([Piece("del", before), Piece("ins", after)]))
    return list(_filled(_pieces(old, new)))


def _alike(old: list[str], new: list[str]) -> float:
    """The share of the words of both, spaces apart, that stand in the same order in both."""
    before, after = ([word for word in side if word.strip()] for side in (old, new))
    return SequenceMatcher(None, before, after, autojunk=False).ratio()


def _pieces(old: list[str], new: list[str]) -> Iterator[Piece]:
    gone: list[str] = []
    come: list[str] = []
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        # A lone space between two changed words is no island: it goes with them.
        if tag == "equal" and (not (gone or come) or "".join(old[a:b]).strip()):
            yield from _flush(gone, come)
            yield Piece("", "".join(old[a:b]))
            continue
        gone += old[a:b]
        come += new[c:d]
    yield from _flush(gone, come)


def _flush(gone: list[str], come: list[str]) -> Iterator[Piece]:
    yield Piece("del", "".join(gone))
    yield Piece("ins", "".join(come))
    gone.clear()
    come.clear()


def _filled(pieces: Iterable[Piece]) -> Iterator[Piece]:
    return (piece for piece in pieces if piece.text)
