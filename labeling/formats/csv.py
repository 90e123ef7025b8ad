"""For spreadsheets: one line for each verdict of a person (RFC 4180). Cells written here are no formulas.

A cell that a spreadsheet would take for a formula gets an apostrophe in front, and so does one that looks as
if it had got one. Reading a table with our own headings takes exactly that apostrophe off again; in any other
table an apostrophe is text.
"""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, BinaryIO

from labeling.formats.common import how_it_arrived
from labeling.formats.delimited import Record, Table, read_table
from labeling.formats.field_mapping import check_mapping, fields_of
from labeling.formats.mapped import gather, json_cell, read_mapped
from labeling.formats.people import write_people
from labeling.formats.rows import Refused, Row, RowProblem

COLUMNS = (
    "id",
    "split",
    "request",
    "candidate",
    "grounding",
    "criteria_text",
    "annotator",
    "verdict",
    "blind",
    "comment",
    "scores",
    "generator_model",
    "generator_family",
    "truncated",
    "probability",
    "meta",
)
_TELLING = {"candidate", "annotator", "verdict", "blind", "scores"}  # together: a table that Vera wrote
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def read(
    stream: BinaryIO, mapping: Mapping[str, str] = {}, *, delimiter: str = ""
) -> Iterator[Row | Refused]:
    """Rows of a table with a heading; lines of one row are one row with several people.

    `mapping` says which column is which field, where the headings are not ours: see `columns`. Raises
    FileProblem where the file cannot be read at all.
    """
    table = read_table(stream, delimiter)
    fields = fields_of(table.columns, check_mapping(mapping))
    return gather(_rows(table, fields))


def _rows(table: Table, fields: Mapping[str, str]) -> Iterator[Row | Refused]:
    ours = is_ours(table.columns)
    for record in table.records:
        if isinstance(record, Refused):
            yield record
        elif ours or any(record.cells):  # spreadsheets leave lines of nothing but delimiters
            try:
                yield _read_row(record, table.columns, fields, ours=ours)
            except RowProblem as problem:
                yield Refused(record.line, problem.field, problem.reason)


def _read_row(record: Record, columns: Sequence[str], fields: Mapping[str, str], *, ours: bool) -> Row:
    values: dict[str, Any] = dict(zip(columns, record.cells, strict=True))
    if ours:
        values = {name: as_it_was(cell) for name, cell in values.items()}
        if values.get("meta"):
            values["meta"] = json_cell(values["meta"], "meta")
    return read_mapped(values, fields, record.line, None)


def is_ours(columns: Sequence[str]) -> bool:
    """Whether Vera wrote the table, or somebody who follows its headings: then apostrophes are marks."""
    return set(columns) >= _TELLING or set(columns) <= set(COLUMNS)


def write(rows: Iterable[Row], *, delimiter: str = ",") -> Iterator[str]:
    """A heading and the lines, CRLF-ended; a row that nobody labelled has one line too."""
    yield write_line(COLUMNS, delimiter)
    for row in rows:
        candidate, arrival = _candidate(row), _arrival(row)
        for people in _people(row):
            yield write_line([*candidate, *people, *arrival], delimiter)


def _candidate(row: Row) -> list[str]:
    return [row.external_id, row.split, row.request, row.output, row.grounding, row.criteria_text]


def _arrival(row: Row) -> list[str]:
    said = how_it_arrived(row)
    probability = "" if row.probability is None else repr(row.probability)
    meta = json.dumps(said["meta"], ensure_ascii=False) if row.meta else ""
    return [row.generator_model, row.generator_family, "yes" if row.truncated else "", probability, meta]


def _people(row: Row) -> Iterator[list[str]]:
    nobody = True
    for entry in write_people(row):
        nobody = False
        scores = json.dumps(entry["scores"], ensure_ascii=False) if entry["scores"] else ""
        blind = "yes" if entry.get("blind", True) else "no"
        yield [entry["annotator"], entry["verdict"], blind, entry["comment"] or "", scores]
    if nobody:
        yield [""] * 5


def write_line(cells: Sequence[str], delimiter: str = ",") -> str:
    """One record, its cells harmless to a spreadsheet."""
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter).writerow([harmless(cell) for cell in cells])
    return text.getvalue()


def harmless(cell: str) -> str:
    """The cell so that a spreadsheet shows it as text: a leading apostrophe says so."""
    return f"'{cell}" if cell.lstrip("'").startswith(_FORMULA_STARTS) else cell


def as_it_was(cell: str) -> str:
    """The text that `harmless` was given."""
    if cell[:1] != "'":
        return cell
    return cell[1:] if cell.lstrip("'").startswith(_FORMULA_STARTS) else cell
