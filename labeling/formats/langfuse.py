"""What the exports of Langfuse have in common: records as JSON Lines, one JSON array or CSV.

Names may be spelt as the API has them (`expectedOutput`) or as its Python client (`expected_output`). In CSV
every cell of an older export is JSON, texts in quotes, too; a newer one has texts as they are.
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, BinaryIO

from labeling.formats.delimited import read_table
from labeling.formats.fields import Fields
from labeling.formats.rows import FileProblem, Refused
from labeling.formats.source import Found, begins_as_json, read_objects
from labeling.formats.strict_json import StrictDecoder

OURS = "vera"  # the key of metadata under which Vera keeps what Langfuse has no place for


def records(stream: BinaryIO) -> Iterator[Found | Refused]:
    """Every record of a seekable file, its names as the API has them."""
    for found in read_objects(stream) if begins_as_json(stream) else _cells(stream):
        if isinstance(found, Found):
            found = found._replace(value={camel(name): value for name, value in found.value.items()})
        yield found


@lru_cache(maxsize=1000)
def camel(name: str) -> str:
    """`source_trace_id` as `sourceTraceId`; other names as they are."""
    return re.sub(r"(?<=[a-z])_([a-z])", lambda found: found.group(1).upper(), name)


def _cells(stream: BinaryIO) -> Iterator[Found | Refused]:
    table = read_table(stream)
    if not table.columns:
        raise FileProblem("The file has no columns.")
    for record in table.records:
        if isinstance(record, Refused):
            yield record
            continue
        cells = dict(zip(table.columns, record.cells, strict=True))
        yield Found(record.line, _decoded(cells))


def _decoded(cells: Mapping[str, str]) -> dict[str, Any]:
    """A record's values: all of them JSON where its id or name is a JSON text, else only what must be."""
    told = next((cells[name] for name in ("id", "name") if cells.get(name)), "")
    all_json = isinstance(_json(told), str)
    values: dict[str, Any] = {}
    for name, cell in cells.items():
        value = _json(cell) if all_json or _holds_json(name, cell) else None
        values[name] = (cell or None) if value is None else value
    return values


def _holds_json(name: str, cell: str) -> bool:
    """Whether a cell is JSON whatever the others are: metadata, lists, and the input that Vera wrote."""
    if name in ("metadata", "traceTags", "scores", "trace"):
        return True
    value = _json(cell) if cell.startswith('{"') else None
    return (
        isinstance(value, dict)
        and bool({"candidate", "verdict"} & value.keys())
        and camel(name)
        in (
            "input",
            "expectedOutput",
        )
    )


def _json(cell: str) -> Any:
    """The JSON in a cell; None where it is none, and for null."""
    try:
        value, end, problem = StrictDecoder().decode(cell.strip())
    except ValueError:
        return None
    return None if problem or end != len(cell.strip()) else value


def ours_in(metadata: Any) -> Fields:
    """What Vera wrote into an object's metadata, {} where it did not."""
    own = metadata.get(OURS) if isinstance(metadata, dict) else None
    return own if isinstance(own, dict) else {}


def beside(metadata: Any, ours: Fields) -> dict[str, Any]:
    """What of the metadata stays beside the row: Vera's own `meta`, else all of it under `metadata`."""
    if ours:
        return dict(ours["meta"]) if isinstance(ours.get("meta"), dict) else {}
    return {"metadata": metadata} if metadata not in (None, "", {}, []) else {}
