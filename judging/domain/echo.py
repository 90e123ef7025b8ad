"""Whether a verdict was copied from the judged material, in whatever form it stands there."""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

# So often a text may be escaped, one JSON inside a string of the next.
_LEVELS = 3

_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_CONTROLS = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_ENTITY = re.compile(r"&#?\w{1,8};")
_NO_WORD = re.compile(r"[\W_]+")
_SCORE = re.compile(r"score\d")
_BEFORE = 6  # letters before a score that tell which one it is
_MOST_SCORES = 50
_SHORTEST_PIECE = 8  # letters and digits


class Material:
    """The texts that were judged or judged by."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._readings = [_words(level) for text in texts if _may_score(text) for level in _levels(text)]

    def holds_part_of(self, entries: Iterable[Mapping[str, Any]]) -> bool:
        """Whether one of a verdict's entries stands there: its name, its score and what reason it gives.

        Only letters and digits are compared, so that layout, order, escapes and further keys hide nothing.
        """
        needles = [_needles(entry) for entry in entries] if self._readings else []
        return any(all(each in words for each in entry) for entry in needles for words in self._readings)

    def gives_a_score_of(self, text: str) -> bool:
        """Whether a text gives a score just as it stands there, with the letters before it; JSON or not.

        A text with very many scores counts as one that does: it is no verdict, and looking would take long.
        """
        if not self._readings or not _may_score(text):
            return False
        given = [list(islice(_scores(_words(level)), _MOST_SCORES)) for level in _levels(text)]
        too_many = any(len(pieces) == _MOST_SCORES for pieces in given)
        return too_many or any(
            piece in words for pieces in given for piece in pieces for words in self._readings
        )


def is_piece_of(text: str, texts: Iterable[str]) -> bool:
    """Whether a text is nothing but a piece of one of these, by letters and digits; a word or two is not."""
    words = _words(text)
    return len(words) >= _SHORTEST_PIECE and any(words in _words(each) for each in texts)


def _may_score(text: str) -> bool:
    return "\\u" in text or "score" in text.lower()


def _scores(words: str) -> Iterator[str]:
    """Every score in a text of letters and digits, with a few letters before it."""
    return (words[max(0, found.start() - _BEFORE) : found.end()] for found in _SCORE.finditer(words))


def _levels(text: str) -> Iterator[str]:
    """The text as it stands, then with its JSON escapes undone once, twice, …"""
    yield text
    for _ in range(_LEVELS):
        if "\\" not in text:
            return
        text = _ESCAPE.sub(_unescaped, text)
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
        yield text


def _unescaped(escape: re.Match[str]) -> str:
    return chr(int(escape[1], 16)) if escape[1] else _CONTROLS.get(escape[2], escape[2])


def _needles(entry: Mapping[str, Any]) -> list[str]:
    parts = [(key, entry.get(key)) for key in ("name", "score", "reason")]
    return [key + _words(str(part)) for key, part in parts if isinstance(part, (str, int, float))]


def _words(text: str) -> str:
    return _NO_WORD.sub("", _ENTITY.sub(" ", text)).casefold()
