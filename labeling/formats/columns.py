"""What a page shows of a file before it is read in: its columns, its first rows, and what they may be."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, BinaryIO

from labeling.formats import label_studio, langfuse_scores
from labeling.formats.delimited import Record, read_table
from labeling.formats.detect import MAPPED
from labeling.formats.field_mapping import FIELDS, IGNORE, KEEP, MARK, suggested
from labeling.formats.langfuse import records
from labeling.formats.mapped import as_text
from labeling.formats.source import Found, begins_as_json, read_objects

__all__ = ["FIELDS", "IGNORE", "KEEP", "MAPPED", "MARK", "Preview", "columns_of", "suggested"]

MOST_COLUMNS = 500  # that a preview shows
LONGEST_CELL = 200  # characters of it
_LOOKED_AT = 1000  # rows, of which some may be unreadable


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
    for values in islice(_values(stream, format), rows):
        names |= dict.fromkeys(values)
        shown.append({name: _cut(as_text(value)) for name, value in values.items()})
    columns = list(names)[:MOST_COLUMNS]
    likely = _suggested(columns, format)
    kept = [{name: row.get(name, "") for name in columns} for row in shown]
    return Preview(columns, kept, likely, len(names) - len(columns))


def _suggested(columns: list[str], format: str) -> dict[str, str]:
    if format not in MAPPED:
        return {}
    if format == "langfuse_scores":
        return {name: KEEP for name in columns if name.startswith(langfuse_scores.SCORE)}
    answers = {name: KEEP for name in columns if name.startswith(label_studio.RESULT)}
    return suggested(name for name in columns if name not in answers) | answers


def _values(stream: BinaryIO, format: str) -> Iterator[Mapping[str, Any]]:
    """Each row's values by column; the columns of a table are there without any row, too."""
    if format in ("csv", "tsv") or (format.startswith("langfuse") and not begins_as_json(stream)):
        yield from _cells(stream, "\t" if format == "tsv" else "")
        return
    objects = records(stream) if format.startswith("langfuse") else read_objects(stream)
    for found in islice(objects, _LOOKED_AT):
        if isinstance(found, Found):
            yield _named(found.value, format)


def _named(value: dict[str, Any], format: str) -> Mapping[str, Any]:
    if format == "label_studio":
        return label_studio.columns(value)
    return langfuse_scores.columns(value) if format == "langfuse_scores" else value


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
    return text if len(text) <= LONGEST_CELL else f"{text[:LONGEST_CELL]}…"
