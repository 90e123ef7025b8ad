"""For spreadsheets: one line for each verdict of a person, written only. Cells cannot become formulas."""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Sequence

from labeling.formats.people import write_people
from labeling.formats.rows import Row

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
)
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def write(rows: Iterable[Row]) -> Iterator[str]:
    """A heading and the lines, CRLF-ended (RFC 4180); a row that nobody labelled has one line too."""
    yield _line(COLUMNS)
    for row in rows:
        for people in _people(row):
            yield _line([*_candidate(row), *people, row.generator_model])


def _candidate(row: Row) -> list[str]:
    return [row.external_id, row.split, row.request, row.output, row.grounding, row.criteria_text]


def _people(row: Row) -> Iterator[list[str]]:
    nobody = True
    for entry in write_people(row):
        nobody = False
        scores = json.dumps(entry["scores"], ensure_ascii=False) if entry["scores"] else ""
        blind = "yes" if entry.get("blind", True) else "no"
        yield [entry["annotator"], entry["verdict"], blind, entry["comment"] or "", scores]
    if nobody:
        yield [""] * 5


def _line(cells: Sequence[str]) -> str:
    text = io.StringIO()
    csv.writer(text).writerow([_harmless(cell) for cell in cells])
    return text.getvalue()


def _harmless(cell: str) -> str:
    """The cell so that a spreadsheet shows it as text: a leading apostrophe says so."""
    return f"'{cell}" if cell.startswith(_FORMULA_STARTS) else cell
