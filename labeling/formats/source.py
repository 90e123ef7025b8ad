"""From the bytes of a file to its JSON objects, one at a time, each with the line it stands on.

JSON Lines are streamed: memory is bounded by the largest row. A JSON array is read whole, up to a limit.
"""

import codecs
from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple

from labeling.formats.rows import FileProblem, Refused
from labeling.formats.strict_json import StrictDecoder

LARGEST_ROW = 16 * 1024 * 1024  # bytes of one line
LARGEST_ARRAY = 64 * 1024 * 1024  # bytes of a file that is one JSON array
_PIECE = 64 * 1024
_BLANK = b" \t\r\n"


class Found(NamedTuple):
    """One JSON object of a file; `element` counts from 1 where the file is a JSON array."""

    line: int
    value: dict[str, Any]
    element: int | None = None


def read_objects(stream: BinaryIO) -> Iterator[Found | Refused]:
    """Every object of a seekable file, from its start. Raises FileProblem where the file is unreadable."""
    if _is_array(stream):
        return _read_array(stream)
    return _read_lines(stream)


def begins_as_json(stream: BinaryIO) -> bool:
    """Whether the first character of a seekable file is that of a JSON object or array."""
    return _begins(stream).startswith((b"[", b"{"))


def _is_array(stream: BinaryIO) -> bool:
    return _begins(stream).startswith(b"[")


def _begins(stream: BinaryIO) -> bytes:
    for piece in utf8_pieces(stream):
        if begins := piece.lstrip(_BLANK):
            return begins
    raise FileProblem("The file is empty: there is nothing to import.")


def utf8_pieces(stream: BinaryIO) -> Iterator[bytes]:
    """The file from its start, in pieces, as UTF-8 without a byte order mark."""
    stream.seek(0)
    head = stream.read(4)
    stream.seek(0)
    if head.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        raise FileProblem("The file is UTF-32. Save it as UTF-8.")
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        yield from _from_utf16(stream)
        return
    if b"\0" in head[:2]:
        raise FileProblem("The file looks like UTF-16 without a byte order mark. Save it as UTF-8.")
    stream.seek(len(codecs.BOM_UTF8) if head.startswith(codecs.BOM_UTF8) else 0)
    while piece := stream.read(_PIECE):
        yield piece


def _from_utf16(stream: BinaryIO) -> Iterator[bytes]:
    # Lone surrogates are let through here, so that they are refused by row and field further on.
    decoder = codecs.getincrementaldecoder("utf-16")("surrogatepass")
    try:
        while piece := stream.read(_PIECE):
            yield decoder.decode(piece).encode("utf-8", "surrogatepass")
        decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        raise FileProblem(
            "The file ends within a UTF-16 character: it is incomplete. Save it again."
        ) from error


def _read_lines(stream: BinaryIO) -> Iterator[Found | Refused]:
    decoder = StrictDecoder()
    for number, line in enumerate(lines(utf8_pieces(stream)), start=1):
        if line is None:
            yield Refused(
                number, "", f"The row is larger than {LARGEST_ROW >> 20} MB. Shorten or leave it out."
            )
        elif line.strip(_BLANK):
            yield _read_line(decoder, number, line)


def lines(pieces: Iterator[bytes]) -> Iterator[bytes | None]:
    """Physical lines without their ends; None for one that is too long, which is never held in memory."""
    begun, too_long = bytearray(), False
    for piece in pieces:
        *ended, tail = piece.split(b"\n")
        for part in ended:
            yield None if too_long or len(begun) + len(part) > LARGEST_ROW else bytes(begun) + part
            begun.clear()
            too_long = False
        begun += b"" if too_long else tail
        if len(begun) > LARGEST_ROW:
            begun.clear()
            too_long = True
    yield None if too_long else bytes(begun)


def _read_line(decoder: StrictDecoder, number: int, line: bytes) -> Found | Refused:
    try:
        text = decode(line).strip()
        value, end, problem = decoder.decode(text)
    except ValueError as error:
        return Refused(number, "", f"{error} Each row must be one JSON object on one line.")
    if end != len(text):
        problem = "Something follows the row's JSON object. Put each row on a line of its own."
    return _found(number, value, problem, None)


def _found(line: int, value: Any, problem: str, element: int | None) -> Found | Refused:
    if not problem and not isinstance(value, dict):
        problem = "A row must be a JSON object: {…}."
    return Refused(line, "", problem, element) if problem else Found(line, value, element)


def decode(line: bytes | bytearray) -> str:
    try:
        return line.decode("utf-8", "strict")
    except UnicodeDecodeError as error:
        if line[error.start] == 0xED:  # how a surrogate that came from UTF-16 looks
            return _decode_surrogates(line)
        raise ValueError(_not_utf8(line, error.start)) from error


def _decode_surrogates(line: bytes | bytearray) -> str:
    try:
        return line.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        raise ValueError(_not_utf8(line, error.start)) from error


def _not_utf8(text: bytes | bytearray, start: int) -> str:
    return f"Byte {start + 1} (0x{text[start]:02X}) is not UTF-8. Save the file as UTF-8."


def _read_array(stream: BinaryIO) -> Iterator[Found | Refused]:
    whole = bytearray()
    for piece in utf8_pieces(stream):
        whole += piece
        if len(whole) > LARGEST_ARRAY:
            raise FileProblem(
                f"The file is one JSON array of more than {LARGEST_ARRAY >> 20} MB. "
                "Save it as JSON Lines, one object on each line: those may be of any length."
            )
    try:
        text = decode(whole)
    except ValueError as error:
        raise FileProblem(str(error)) from error
    return _elements(text)


def _elements(text: str) -> Iterator[Found | Refused]:
    decoder = StrictDecoder()
    position, line, counted, element = _skip_blank(text, text.index("[") + 1), 1, 0, 0
    more = not text.startswith("]", position)
    while more:
        element += 1
        line += text.count("\n", counted, position)
        counted = position
        try:
            value, end, problem = decoder.decode(text, position)
        except ValueError as error:
            yield Refused(line, "", f"{error} Nothing after this could be read.", element)
            return
        yield _found(line, value, problem, element)
        position = _skip_blank(text, end)
        more = text.startswith(",", position)
        position = _skip_blank(text, position + 1) if more else position
    if text[position:].strip() != "]":
        line += text.count("\n", counted, position)
        yield Refused(line, "", "The JSON array goes wrong here: expected a comma, or ] and the end.", None)


def _skip_blank(text: str, position: int) -> int:
    while position < len(text) and text[position] in " \t\r\n":
        position += 1
    return position
