"""JSON objects whose names are another tool's, lines or one array: a mapping says which name is which field.

Read only: what Vera writes as JSON has Vera's names.
"""

from collections.abc import Iterator, Mapping
from typing import BinaryIO

from labeling.formats.common import read_rows
from labeling.formats.field_mapping import check_mapping, no_candidate, resolve
from labeling.formats.mapped import gather, read_mapped
from labeling.formats.rows import FileProblem, Refused, Row, RowProblem
from labeling.formats.source import Found


def read(stream: BinaryIO, mapping: Mapping[str, str] = {}) -> Iterator[Row | Refused]:
    """Rows of a file of lines or of one JSON array. Raises FileProblem where it cannot be read at all."""
    checked = check_mapping(mapping)
    return gather(read_rows(stream, lambda found: _read_row(found, checked)))


def _read_row(found: Found, mapping: Mapping[str, str]) -> Row:
    fields = resolve(found.value, mapping)
    if "candidate" not in fields.values():
        if "candidate" not in mapping.values():
            raise FileProblem(no_candidate(list(found.value)))
        raise RowProblem("candidate", "The row has no such field, the text that is to be judged.")
    return read_mapped(found.value, fields, found.line, found.element)
