"""Files of judges' verdicts, read row by row: the rows of published sets, and plain lists of verdicts.

A row of a published set has its candidate and `judges: [{"judge", "verdict", "scores", "reason"}]`. A plain
row is one judge's verdict: `verdict`, optional `score`, `scores`, `reason` and `judge`, with the texts of the
candidate or the `id` under which it was imported; as JSON Lines, a JSON array or CSV.
"""

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO

from labeling.domain.content import content_hash
from labeling.formats import fields as read
from labeling.formats import jsonl
from labeling.formats.common import LONGEST_ID, common_fields
from labeling.formats.rows import FileProblem, Refused, RowProblem
from labeling.formats.source import Found, read_objects
from labeling.formats.strict_json import StrictDecoder, quote

COLUMNS = ("id", "judge", "verdict", "score", "scores", "reason")
_TEXTS = ("request", "candidate", "grounding", "criteria_text")
_OWN = ("judge", "verdict", "score", "scores", "reason")
_BEGINNING = 64 * 1024
UNNAMED = ""  # whose verdicts they are where a file does not say
LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class Entry:
    """What a row says of one judge, not read yet. `at`: where it stands in the row, such as `judges[2].`."""

    at: str
    fields: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class VerdictRow:
    """A row with its judges' entries by name; its candidate by content hash, "" where only by its id."""

    line: int
    element: int | None
    content: str
    external_id: str
    entries: Mapping[str, Entry]

    def refuse(self, field: str, reason: str) -> Refused:
        """This row, refused."""
        return Refused(self.line, field, reason, self.element)


def read_verdicts(stream: BinaryIO) -> Iterator[VerdictRow | Refused]:
    """Every row of a seekable file, from its start. Raises FileProblem where it cannot be read at all."""
    for found in _read_csv(stream) if _is_csv(stream) else read_objects(stream):
        if isinstance(found, Refused):
            yield found
            continue
        try:
            yield _row(found)
        except RowProblem as problem:
            yield Refused(found.line, problem.field, problem.reason, found.element)


def _row(found: Found) -> VerdictRow:
    content = _content(found) if found.value.get("candidate") is not None or _is_pairwise(found) else ""
    external_id = read.short_text(found.value, "id", LONGEST_ID)
    entries = _entries(found.value)
    if entries and not content and not external_id:
        raise RowProblem(
            "candidate", "The row names no candidate. Give its texts, or the id it was imported by."
        )
    return VerdictRow(found.line, found.element, content, external_id, entries)


def _is_pairwise(found: Found) -> bool:
    return "candidate_a" in found.value


def _content(found: Found) -> str:
    texts = common_fields(found, (*jsonl.OWN_FIELDS, *_OWN))
    return content_hash(texts["request"], texts["output"], texts["grounding"], texts["criteria_text"])


def _entries(fields: Mapping[str, Any]) -> dict[str, Entry]:
    if "judges" not in fields:
        if "verdict" not in fields and "scores" not in fields:
            return {}
        return {_name(fields, ""): Entry("", fields)}
    found: dict[str, Entry] = {}
    for number, entry in enumerate(read.entries(fields, "judges"), start=1):
        at = f"judges[{number}]"
        name = _name(entry, f"{at}.")
        if not name:
            raise RowProblem(f"{at}.judge", "The entry does not say which judge it is.")
        if name in found:
            raise RowProblem(at, f"The judge {quote(name)} appears twice in this row; keep one.")
        found[name] = Entry(f"{at}.", entry)
    return found


def _name(entry: Mapping[str, Any], at: str) -> str:
    name = read.text(entry, "judge", at=f"{at}judge").strip()
    if not (name.isprintable() and len(name) <= LONGEST_NAME):
        raise RowProblem(
            f"{at}judge",
            f"{quote(name)} is no name: it cannot be seen, or has over {LONGEST_NAME} characters.",
        )
    return name


def _is_csv(stream: BinaryIO) -> bool:
    """Whether this is no JSON: its first character opens neither an object nor an array."""
    stream.seek(0)
    begins = stream.read(_BEGINNING).removeprefix(b"\xef\xbb\xbf").lstrip()
    stream.seek(0)
    return bool(begins) and begins[:1] not in (b"{", b"[", b"\xff", b"\xfe", b"\0") and b"," in begins


def _read_csv(stream: BinaryIO) -> Iterator[Found | Refused]:
    text = io.TextIOWrapper(stream, "utf-8-sig", newline="")
    try:
        yield from _lines(csv.DictReader(text, strict=True))
    except UnicodeDecodeError as error:
        raise FileProblem("The CSV file is not UTF-8. Save it as UTF-8.") from error
    except csv.Error as error:
        raise FileProblem(
            f"This is no CSV that can be read ({error}). Name candidates by their id, or use JSON Lines."
        ) from error
    finally:
        text.detach()  # the stream is the caller's to close


def _lines(reader: "csv.DictReader[str]") -> Iterator[Found | Refused]:
    columns = reader.fieldnames or []
    known = {*COLUMNS, *_TEXTS}
    if "verdict" not in columns and "scores" not in columns:
        raise FileProblem(f"The CSV file needs a column “verdict”. It may have: {', '.join(COLUMNS)}.")
    if unknown := [name for name in columns if name not in known]:
        raise FileProblem(
            f"The column {quote(unknown[0])} says nothing here. It may have: {', '.join(COLUMNS)}."
        )
    if twice := [name for name in known if columns.count(name) > 1]:
        raise FileProblem(f"The CSV file has the column {quote(min(twice))} twice. Keep one of the two.")
    for cells in reader:
        if None in cells or None in cells.values():
            yield Refused(reader.line_num, "", "The row has another number of cells than the heading.")
            continue
        yield _from_cells(reader.line_num, cells)


def _from_cells(line: int, cells: Mapping[str, str]) -> Found | Refused:
    fields: dict[str, Any] = {name: cell or None for name, cell in cells.items()}
    if "candidate" in cells and not cells.get("id"):
        fields["candidate"] = cells["candidate"]  # an empty output is a candidate, too
    for name in ("score", "scores"):
        if fields.get(name) is not None:
            try:
                fields[name], end, problem = StrictDecoder().decode(cells[name].strip())
            except ValueError as error:
                return Refused(line, name, str(error))
            if problem or end != len(cells[name].strip()):
                return Refused(line, name, problem or "This is not one JSON value.")
    return Found(line, fields)
