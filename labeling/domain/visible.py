"""How a text is shown to a person: as text, with everything that hides or misleads made visible.

Returns typed pieces, never markup: the template escapes them. All of it is linear in the text.
"""

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

FOLD_AT = 3_000  # characters that stand open on the page
PAGE_LIMIT = 20_000  # characters that are sent with the page; the rest is fetched on request
_DEEPEST_INDENT = 30


@dataclass(frozen=True, slots=True)
class Plain:
    """Characters that show themselves; `isolated` where their direction ends with them."""

    text: str
    isolated: bool = False


@dataclass(frozen=True, slots=True)
class Token:
    """Stands for characters that show nothing or change the order of others: short name, full title."""

    text: str
    title: str


type Piece = Plain | Token
type Kind = Literal["text", "code", "json"]


@dataclass(frozen=True, slots=True)
class Block:
    """Pieces that are set alike: prose, code in monospace, or JSON laid out."""

    kind: Kind
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Shown:
    """A text ready for the page: what stands open, what is folded, and how many characters are not sent."""

    open: tuple[Block, ...]
    folded: tuple[Block, ...]
    characters: int
    unsent: int
    laid_out: bool  # JSON whose spacing differs from the original


# Controls (not tab and newline), format characters, line and paragraph separators, fillers and tags. A
# variation selector after another one and a joiner outside an emoji carry hidden data, so they show too.
_EMOJI = "[\u2190-\u2bff\ufe0f\U0001f000-\U0001faff]"
_HIDDEN = re.compile(
    "(?P<again>[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200c"
    "\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff])(?P=again)*"
    f"|(?<!{_EMOJI})\u200d+|\u200d+(?!{_EMOJI})"
    "|(?<=[\ufe00-\ufe0f])[\ufe00-\ufe0f]|[\ufe00-\ufe0d]"
)
_SHORT = {
    0x1B: "ESC", 0x0D: "CR", 0x00: "NUL", 0x08: "BS", 0x7F: "DEL", 0xAD: "SHY", 0x061C: "ALM",
    0x200B: "ZWSP", 0x200C: "ZWNJ", 0x200D: "ZWJ", 0x200E: "LRM", 0x200F: "RLM",
    0x202A: "LRE", 0x202B: "RLE", 0x202C: "PDF", 0x202D: "LRO", 0x202E: "RLO",
    0x2060: "WJ", 0x2066: "LRI", 0x2067: "RLI", 0x2068: "FSI", 0x2069: "PDI", 0xFEFF: "BOM",
}  # fmt: skip
_CONTROL_NAMES = {0x1B: "ESCAPE", 0x0D: "CARRIAGE RETURN", 0x00: "NULL", 0x08: "BACKSPACE", 0x7F: "DELETE"}


def visible(text: str) -> tuple[Piece, ...]:
    """`text` cut into plain stretches and tokens; a run of one hidden character is one token (`ZWSP ×3`)."""
    return tuple(_pieces(text.replace("\r\n", "\n")))


def _pieces(text: str) -> Iterator[Piece]:
    place = 0
    for hidden in _HIDDEN.finditer(text):
        if hidden.start() > place:
            yield Plain(text[place : hidden.start()])
        yield _token(hidden.group())
        place = hidden.end()
    if place < len(text):
        yield Plain(text[place:])


def _token(run: str) -> Token:
    code = ord(run[0])
    name = unicodedata.name(run[0], "") or _CONTROL_NAMES.get(code, "CONTROL CHARACTER")
    times = f" ×{len(run)}" if len(run) > 1 else ""
    return Token(_SHORT.get(code, f"U+{code:04X}") + times, f"U+{code:04X} {name}{times}")


def show(text: str, *, fold_at: int = FOLD_AT, limit: int = PAGE_LIMIT) -> Shown:
    """Lay `text` out for a page: at most `limit` characters of it, folded where more than `fold_at` stand.

    Both are numbers of characters. JSON that parses is indented (its words and numbers stay as they are
    written), fenced code is told from prose, everything else is prose.
    """
    sent = text[:limit]
    laid_out = lay_out_json(text) if len(text) <= limit else None
    blocks = [Block("json", _json_pieces(laid_out))] if laid_out is not None else list(_fenced(sent))
    stand, folded = _fold(blocks, fold_at)
    return Shown(stand, folded, len(text), len(text) - len(sent), laid_out is not None and laid_out != text)


_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_JSON_STRING = re.compile(r'("(?:[^"\\]|\\.)*")')


def _json_pieces(text: str) -> tuple[Piece, ...]:
    """Two words from right to left would else change places, and a key stand where its value belongs."""
    if not _RIGHT_TO_LEFT.search(text):
        return visible(text)
    return tuple(
        Plain(piece.text, isolated=True) if isinstance(piece, Plain) and part.startswith('"') else piece
        for part in _JSON_STRING.split(text)
        for piece in visible(part)
    )


def lay_out_json(text: str) -> str | None:
    """`text` with two-space indentation where it is a JSON object or array, else None.

    Only spacing between the words of the JSON changes: numbers, escapes and repeated keys stay as written.
    """
    if text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        json.loads(text, parse_constant=_no_json)
    except (ValueError, RecursionError):
        return None
    return "".join(_indented(_JSON_WORD.findall(text)))


_JSON_WORD = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')


def _no_json(word: str) -> None:
    raise ValueError(f"{word} is not JSON")


def _indented(words: list[str]) -> Iterator[str]:
    depth = 0
    for before, word, after in zip(["", *words], words, [*words[1:], ""], strict=False):
        if word in "}]":
            depth -= 1
            yield word if before in ("{", "[") else f"{_new_line(depth)}{word}"
        elif word in "{[":
            depth += 1
            yield word if after in ("}", "]") else f"{word}{_new_line(depth)}"
        else:
            yield {",": f",{_new_line(depth)}", ":": ": "}.get(word, word)


def _new_line(depth: int) -> str:
    # Deeper is not set further in: thousands of nested brackets must not become millions of spaces.
    return "\n" + "  " * min(depth, _DEEPEST_INDENT)


_FENCE = re.compile(r"^[ \t]{0,3}(```|~~~)[^\n]*$", re.MULTILINE)


def _fenced(text: str) -> Iterator[Block]:
    """Prose and fenced code in turn; the fences stay on the page, for they are part of the output."""
    place, fence = 0, ""
    for match in _FENCE.finditer(text):
        if fence and match.group(1) != fence:
            continue
        end = min(match.end() + 1, len(text)) if fence else match.start()
        yield from _block("code" if fence else "text", text[place:end])
        place, fence = end, "" if fence else match.group(1)
    yield from _block("code" if fence else "text", text[place:])


def _block(kind: Kind, text: str) -> Iterator[Block]:
    if text:
        yield Block(kind, visible(text))


def _fold(blocks: list[Block], fold_at: int) -> tuple[tuple[Block, ...], tuple[Block, ...]]:
    """Split at a line's end near `fold_at` characters; a remainder of less than half of it is not folded."""
    if sum(_length(block.pieces) for block in blocks) <= fold_at * 3 // 2:
        return tuple(blocks), ()
    stand: list[Block] = []
    room = fold_at
    for number, block in enumerate(blocks):
        if _length(block.pieces) > room:
            first, rest = _cut(block, room)
            return (*stand, *first), (*rest, *blocks[number + 1 :])
        room -= _length(block.pieces)
        stand.append(block)
    return tuple(stand), ()


def _length(pieces: Iterable[Piece]) -> int:
    return sum(len(piece.text) for piece in pieces)


def _cut(block: Block, room: int) -> tuple[list[Block], list[Block]]:
    stand: list[Piece] = []
    for number, piece in enumerate(block.pieces):
        if len(piece.text) <= room:
            room -= len(piece.text)
            stand.append(piece)
            continue
        place = _line_end(piece.text, room) if isinstance(piece, Plain) else 0
        halves = [Plain(half) for half in (piece.text[:place], piece.text[place:]) if half]
        rest: list[Piece] = [*(halves[1:] if place else [piece]), *block.pieces[number + 1 :]]
        return _blocks(block.kind, [*stand, *halves[:1]] if place else stand), _blocks(block.kind, rest)
    return [block], []


def _blocks(kind: Kind, pieces: list[Piece]) -> list[Block]:
    return [Block(kind, tuple(pieces))] if pieces else []


def _line_end(text: str, room: int) -> int:
    """Just behind the last line break, else the last space, in the second half of `room`, else `room`."""
    for mark in ("\n", " "):
        place = text.rfind(mark, room // 2, room)
        if place >= 0:
            return place + 1
    return room
