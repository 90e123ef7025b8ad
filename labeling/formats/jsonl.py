"""The lossless form: one JSON object per line with `human: [{annotator, verdict, scores, comment}]`.

A `consensus` or `gold` annotator is the row's final verdict. `judges` are other systems' verdicts on the row.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, BinaryIO

from labeling.formats.common import as_line, common_fields, how_it_arrived, read_rows, refuse_mapping
from labeling.formats.fields import entries
from labeling.formats.people import read_people, write_people
from labeling.formats.rows import Refused, Row
from labeling.formats.source import Found
from labeling.formats.stated_criteria import state, stated_spec

OWN_FIELDS = ("human", "judges", "blind")


def read(stream: BinaryIO, mapping: Mapping[str, str] = {}) -> Iterator[Row | Refused]:
    """Rows of a file of lines or of one JSON array. Raises FileProblem where it cannot be read at all."""
    refuse_mapping(mapping)
    return read_rows(stream, _read_row)


def write(rows: Iterable[Row]) -> Iterator[str]:
    """One line for each row; reading them gives the same rows."""
    return (as_line(_write_row(row)) for row in rows)


def _read_row(found: Found) -> Row:
    common = common_fields(found, OWN_FIELDS)
    opinions, decision, silent = read_people(found.value, "human")
    return Row(
        **common,
        opinions=opinions,
        decision=decision,
        silent_annotators=silent,
        judge_verdicts=len(entries(found.value, "judges")),
    )


def _write_row(row: Row) -> dict[str, Any]:
    fields: dict[str, Any] = {"id": row.external_id} if row.external_id else {}
    fields |= {"request": row.request, "candidate": row.output, "grounding": row.grounding or None}
    if row.criteria:
        fields["criteria"] = [state(stated_spec(criterion)) for criterion in row.criteria]
    if row.criteria_text:
        fields["criteria_text"] = row.criteria_text
    if row.threshold is not None:
        fields["threshold"] = float(row.threshold)
    return fields | {"human": list(write_people(row))} | how_it_arrived(row)
