"""Tables of text: from the bytes of a CSV or TSV file to its records, each with the line it begins on.

RFC 4180: cells in quotes may hold the delimiter, line breaks and doubled quotes. Read a record at a time,
so memory is bounded by the largest one. The first record is the heading.
"""

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO

from labeling.domain.content import text_problem
from labeling.formats.rows import FileProblem, Refused
from labeling.formats.source import LARGEST_ROW, decode, lines, utf8_pieces
from labeling.formats.strict_json import quote

DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs"}
_SNIFFED = 50  # records that a delimiter must fit
_LONGEST_SHOWN = 12  # columns that a sentence lists

csv.field_size_limit(LARGEST_ROW)  # the csv module's own limit is for the whole process


@dataclass(frozen=True, slots=True)
class Record:
    """One record after the heading: as many cells as the heading has columns."""

    line: int
    cells: list[str]


@dataclass(frozen=True, slots=True)
class Table:
    """A file's heading and the records after it, read as they are asked for."""

    columns: list[str]
    records: Iterator[Record | Refused]
    delimiter: str


def read_table(stream: BinaryIO, delimiter: str = "") -> Table:
    """The table in a seekable file; without a `delimiter` the one of comma, semicolon and tab that fits.

    Raises FileProblem where there is no heading, a column has no name of its own, or no delimiter is certain.
    """
    delimiter = delimiter or sniff(stream)
    records = _records(stream, delimiter)
    heading = next(records, None)
    if isinstance(heading, Refused):
        raise FileProblem(f"Line {heading.line}, the heading, cannot be read: {heading.reason}")
    if heading is None:
        raise FileProblem("The file is empty: there is nothing to import.")
    columns = _named(heading.cells)
    return Table(columns, _of_one_width(records, len(columns)), delimiter)


def sniff(stream: BinaryIO) -> str:
    """The delimiter: the only one that parts the heading, or that parts every record as it parts the heading.

    Raises FileProblem where two of them would read the file differently and both could be meant.
    """
    parting = {mark: widths for mark in DELIMITERS if (widths := _widths(stream, mark))[:1] > [1]}
    even = [mark for mark, widths in parting.items() if len(set(widths)) == 1]
    fitting = even if len(parting) > 1 else list(parting)
    if len(parting) > 1 and len(even) != 1:
        either = " or ".join(DELIMITERS[mark] for mark in parting)
        raise FileProblem(
            f"The heading can be parted by {either}, and the lines do not tell by which. Put names and texts "
            "that hold one of them in double quotes, or save the file with one kind of delimiter."
        )
    return fitting[0] if fitting else ","


def _widths(stream: BinaryIO, delimiter: str) -> list[int]:
    """How many cells the heading and the first good records have."""
    widths = []
    for _, record in zip(range(_SNIFFED), _records(stream, delimiter), strict=False):
        if isinstance(record, Record):
            widths.append(len(record.cells))
    return widths


class _Source:
    """Physical lines with their ends, as the csv module wants them, counted."""

    def __init__(self, stream: BinaryIO) -> None:
        self._lines = lines(utf8_pieces(stream))
        self.number = 0
        self.begun_at = 0  # the line before the record that is being read
        self.last = ""
        self._held = 0

    def begin(self) -> None:
        """A record ended; the next one begins on the next line."""
        self.begun_at, self._held = self.number, 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = next(self._lines)
        self.number += 1
        self._held += LARGEST_ROW + 1 if line is None else len(line)
        if line is None or self._held > LARGEST_ROW:
            raise _TooLargeError
        try:
            self.last = decode(line) + "\n"
        except ValueError as error:
            raise FileProblem(
                f"Line {self.number}: {error} In a spreadsheet, choose “CSV UTF-8” when saving."
            ) from error
        return self.last


class _TooLargeError(Exception):
    """A record of which nobody wants to hold the whole."""


def _records(stream: BinaryIO, delimiter: str) -> Iterator[Record | Refused]:
    """Every record that is not blank. Where a quote is left open, what follows cannot be told from text."""
    source = _Source(stream)
    reader = csv.reader(source, delimiter=delimiter, strict=True)
    while True:
        source.begin()
        try:
            cells = next(reader, None)
        except csv.Error as error:
            yield _broken(source, error)
            if not _ended(source):
                return
            continue
        except _TooLargeError:
            yield _too_large(source)
            return
        if cells is None:
            return
        if cells and not (source.begun_at == 0 and _names_delimiter(cells, source.last)):
            # The line end that the last line was given is no text of the file.
            yield Record(source.begun_at + 1, cells)


def _names_delimiter(cells: list[str], line: str) -> bool:
    """Whether this is the line `sep=;` that some spreadsheets write first."""
    return line.strip().lower() in {f"sep={mark}".strip() for mark in DELIMITERS}


def _broken(source: _Source, error: csv.Error) -> Refused:
    first = source.begun_at + 1
    if "new-line character" in str(error):
        reason = (
            "A carriage return stands outside quotes. Save the file with line ends LF or CRLF, and texts "
            "with line breaks in quotes."
        )
    elif "unexpected end" in str(error):
        reason = "A double quote is opened here and never closed: nothing after it could be read. Close it."
    else:
        until = f" (read up to line {source.number})" if source.number > first else ""
        reason = (
            f"The double quotes do not match{until}: text follows a closing quote. Write a quote within "
            "a text twice, and put the text in quotes."
        )
        reason += "" if _ended(source) else " Nothing after this could be read."
    return Refused(first, "", reason)


def _ended(source: _Source) -> bool:
    """Whether the broken record surely ended with its line: every quote of that one line is closed."""
    return source.number == source.begun_at + 1 and source.last.count('"') % 2 == 0


def _too_large(source: _Source) -> Refused:
    return Refused(
        source.begun_at + 1,
        "",
        f"The record that begins here is larger than {LARGEST_ROW >> 20} MB: is a quote left open? "
        "Nothing after this could be read.",
    )


def _named(cells: Sequence[str]) -> list[str]:
    """The columns' names; one without a name is called by its place."""
    names = [cell.strip() or f"column {number}" for number, cell in enumerate(cells, start=1)]
    places: dict[str, int] = {}
    for number, name in enumerate(names, start=1):
        if problem := text_problem(name):
            raise FileProblem(f"The name of column {number}, {quote(name)}, cannot be kept. {problem}")
        if name in places:
            raise FileProblem(
                f"The columns {places[name]} and {number} are both called {quote(name)}. Rename one of them."
            )
        places[name] = number
    return names


def _of_one_width(records: Iterator[Record | Refused], width: int) -> Iterator[Record | Refused]:
    for record in records:
        if isinstance(record, Refused) or len(record.cells) == width:
            yield record
        else:
            yield Refused(record.line, "", _width_problem(len(record.cells), width))


def _width_problem(cells: int, width: int) -> str:
    has = f"The line has {cells} {'cell' if cells == 1 else 'cells'}, the heading {width} columns."
    if cells < width:
        return f"{has} Give every column a cell, an empty one where there is nothing."
    return f"{has} Put a text that holds the delimiter in double quotes."


def listed(columns: Sequence[str]) -> str:
    """Columns as a sentence names them, the first dozen."""
    shown = ", ".join(quote(name) for name in columns[:_LONGEST_SHOWN])
    more = len(columns) - _LONGEST_SHOWN
    return shown if more <= 0 else f"{shown} and {more} more"
