"""Taking labels out one by one: who said what of which row, when, and how long it took.

In the words of the API, since these files are for programs that count; nobody imports them again.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from labeling.formats.common import as_line
from labeling.formats.csv import write_line
from labeling.models import CriteriaVersion, Label
from labeling.services.label_parts import external_ids_of, marks_of

_AT_ONCE = 1000
COLUMNS = (
    "label",
    "row",
    "id",
    "split",
    "request",
    "candidate",
    "criteria",
    "labeler",
    "verdict",
    "marks",
    "comment",
    "blind",
    "source",
    "created_at",
    "seconds",
    "idle_seconds",
)

type Record = dict[str, Any]


def label_records(version: CriteriaVersion) -> Iterator[Record]:
    """Every current label under the version as an object of COLUMNS, in the order in which they were given.

    `created_at` is UTC, ISO 8601; `seconds` are without `idle_seconds`; both are null where nobody measured.
    """
    after = 0
    labels = Label.objects.current().filter(version=version).order_by("pk")
    labels = labels.select_related("labeler", "candidate")
    while portion := list(labels.filter(pk__gt=after)[:_AT_ONCE]):
        marks = marks_of([label.pk for label in portion])
        ids = external_ids_of({label.candidate_id for label in portion})
        for label in portion:
            first, *_ = ids[label.candidate_id] or [""]
            yield _record(label, version, first, marks[label.pk])
        after = portion[-1].pk


def _record(label: Label, version: CriteriaVersion, external_id: str, marks: dict[str, int]) -> Record:
    values = (
        label.pk,
        label.candidate_id,
        external_id,
        label.candidate.split,
        label.candidate.request,
        label.candidate.output,
        str(version),
        label.labeler.username,
        label.verdict,
        marks,
        label.comment,
        label.blind,
        label.source,
        label.created_at.isoformat(),
        label.seconds,
        label.idle_seconds,
    )
    return dict(zip(COLUMNS, values, strict=True))


def write_lines(records: Iterable[Record]) -> Iterator[str]:
    """The records as JSON Lines, exactly."""
    return (as_line(record) for record in records)


def _write_table(records: Iterable[Record], delimiter: str) -> Iterator[str]:
    yield write_line(COLUMNS, delimiter)
    for record in records:
        yield write_line([_cell(value) for value in record.values()], delimiter)


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False) if value else ""
    return "" if value is None else str(value)


WRITERS: dict[str, Callable[[Iterable[Record]], Iterator[str]]] = {
    "jsonl": write_lines,
    "csv": lambda records: _write_table(records, ","),
    "tsv": lambda records: _write_table(records, "\t"),
}
