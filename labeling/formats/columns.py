"""What a page shows of a file before it is read in: its columns, its first rows, and what they may be."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, BinaryIO

from labeling.domain.content import text_problem
from labeling.formats import label_studio, langfuse_scores
from labeling.formats.answers import Answer, likely
from labeling.formats.delimited import Record, read_table
from labeling.formats.detect import MAPPED
from labeling.formats.field_mapping import FIELDS, IGNORE, KEEP, MARK, suggested
from labeling.formats.label_studio import OF_PEOPLE
from labeling.formats.langfuse import records
from labeling.formats.mapped import as_text
from labeling.formats.source import Found, read_objects

__all__ = ["FIELDS", "IGNORE", "KEEP", "MAPPED", "MARK", "Preview", "columns_of", "suggested"]

MOST_COLUMNS = 500  # that a preview shows
LONGEST_CELL = 200  # characters of it
_LOOKED_AT = 1000  # rows, of which some may be unreadable
_ANSWERS: dict[str, Any] = {"label_studio": label_studio, "langfuse_scores": langfuse_scores}


@dataclass(frozen=True, slots=True)
class Preview:
    """The first rows of a file. `rows`: shown text by column, cut. `suggested`: a field for every column."""

    columns: list[str]
    rows: list[dict[str, str]]
    suggested: dict[str, str]
    more_columns: int = field(default=0)  # beyond those in `columns`


def columns_of(stream: BinaryIO, format: str, rows: int = 20) -> Preview:
    """The first `rows` good rows of a seekable file in `format`. Nothing is suggested of a form of its own.

    Raises FileProblem where the file cannot be read at all.
    """
    names: dict[str, None] = {}
    shown: list[dict[str, str]] = []
    answers: list[Answer] = []
    for values in islice(_values(stream, format), rows):
        said = _ANSWERS[format].answers_of(values) if format in _ANSWERS else []
        # A row with a name that cannot be kept is refused when the file is read.
        cells = {
            name: value for name, value in _named(values, said, format).items() if not text_problem(name)
        }
        names |= dict.fromkeys(cells)
        shown.append({name: _cut(as_text(value)) for name, value in cells.items()})
        answers += said
    columns = list(names)[:MOST_COLUMNS]
    kept = [{name: row.get(name, "") for name in columns} for row in shown]
    return Preview(columns, kept, _suggested(columns, answers, format), len(names) - len(columns))


def _suggested(columns: list[str], answers: list[Answer], format: str) -> dict[str, str]:
    if format not in MAPPED:
        return {}
    if format not in _ANSWERS:
        return suggested(columns)
    fields = likely(answers, _ANSWERS[format].PREFIX)
    if format == "label_studio":
        data = suggested(name for name in columns if name not in fields)
        fields = {name: KEEP if field in OF_PEOPLE else field for name, field in data.items()} | fields
    return {name: field for name, field in fields.items() if name in columns}


def _named(values: Mapping[str, Any], answers: list[Answer], format: str) -> Mapping[str, Any]:
    """A row's cells by column: those of a form with answers are its texts and each answer."""
    if format not in _ANSWERS:
        return values
    prefix = _ANSWERS[format].PREFIX
    texts: dict[str, Any] = _ANSWERS[format].data_of(values)
    return texts | {prefix + answer.name: answer.value for answer in answers}


def _values(stream: BinaryIO, format: str) -> Iterator[Mapping[str, Any]]:
    """Each readable row; of a table without rows one that is empty, for its columns."""
    if format in ("csv", "tsv"):
        yield from _cells(stream, "\t" if format == "tsv" else "")
        return
    objects = records(stream) if format.startswith("langfuse") else read_objects(stream)
    for found in islice(objects, _LOOKED_AT):
        if isinstance(found, Found):
            yield found.value


def _cells(stream: BinaryIO, delimiter: str) -> Iterator[Mapping[str, Any]]:
    table = read_table(stream, delimiter)
    empty = True
    for record in islice(table.records, _LOOKED_AT):
        if isinstance(record, Record):
            empty = False
            yield dict(zip(table.columns, record.cells, strict=True))
    if empty:
        yield dict.fromkeys(table.columns, "")


def _cut(text: str) -> str:
    """The beginning of a text, with what no page can show spelt out."""
    shown = text[:LONGEST_CELL].encode("utf-8", "backslashreplace").decode()
    return shown if len(text) <= LONGEST_CELL else f"{shown}…"
