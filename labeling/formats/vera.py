"""The founding form: `{"candidate", "criteria", "human": "PASS"|"KILL"|"FAIL", "note"?, …}`, lines or array.

`criteria` is the row's own text. Where several people spoke, `labels` takes the place of `human`.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, BinaryIO

from labeling.formats.common import as_line, common_fields, how_it_arrived, read_rows, refuse_mapping
from labeling.formats.fields import Fields, flag, text, verdict
from labeling.formats.people import People, read_people, write_people
from labeling.formats.rows import Opinion, Refused, Row, RowProblem
from labeling.formats.source import Found

OWN_FIELDS = ("human", "labels", "blind")


def read(stream: BinaryIO, mapping: Mapping[str, str] = {}) -> Iterator[Row | Refused]:
    """Rows of a file of lines or of one JSON array. Raises FileProblem where it cannot be read at all."""
    refuse_mapping(mapping)
    return read_rows(stream, _read_row)


def write(rows: Iterable[Row]) -> Iterator[str]:
    """One line for each row. The version's own criteria are not part of this form."""
    return (as_line(_write_row(row)) for row in rows)


def _read_row(found: Found) -> Row:
    fields = found.value
    labelled = fields.get("human") is not None
    # A note explains a verdict; without one it is kept beside the candidate.
    common = common_fields(found, (*OWN_FIELDS, "note") if labelled else OWN_FIELDS)
    opinions, decision, silent = _read_opinion(fields) if labelled else read_people(fields, "labels")
    return Row(**common, opinions=opinions, decision=decision, silent_annotators=silent)


def _read_opinion(fields: Fields) -> People:
    if fields.get("labels"):
        raise RowProblem("labels", "The row has both human and labels; keep one of them.")
    opinion = Opinion(
        verdict=verdict(fields["human"], "human"),
        comment=text(fields, "note"),
        blind=flag(fields, "blind", default=True),
    )
    return (opinion,), None, 0


def _write_row(row: Row) -> dict[str, Any]:
    fields: dict[str, Any] = {"id": row.external_id} if row.external_id else {}
    texts = {"request": row.request, "candidate": row.output, "grounding": row.grounding}
    fields |= {name: value for name, value in texts.items() if value or name == "candidate"}
    if row.criteria_text:
        fields["criteria"] = row.criteria_text
    return fields | _write_labels(row) | how_it_arrived(row)


def _write_labels(row: Row) -> dict[str, Any]:
    if row.decision is None and not row.opinions:
        return {}
    first = row.opinions[0] if row.opinions else None
    if row.decision or first is None or len(row.opinions) > 1 or first.annotator or first.scores:
        return {"labels": list(write_people(row))}
    fields: dict[str, Any] = {"human": first.verdict.upper()}
    if first.comment:
        fields["note"] = first.comment
    return fields if first.blind else fields | {"blind": False}
