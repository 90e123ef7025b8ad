"""Dataset items of Langfuse: `{"id", "input", "expectedOutput", "metadata", "sourceTraceId", "status"}`.

An item of another's making: `input` is the request, `expectedOutput` the candidate. What Vera writes has the
whole row as `input` (`request`, `candidate`, `grounding`, `criteria_text`), the verdict people hold as
`expectedOutput: {"verdict"}`, so that an experiment can run a judge on it, and the rest in `metadata.vera`.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, BinaryIO

from labeling.domain.truth import LabelFact, RulingFact, settle
from labeling.formats.common import as_line, how_it_arrived, refuse_mapping
from labeling.formats.field_mapping import KEEP
from labeling.formats.fields import Fields
from labeling.formats.langfuse import OURS, beside, camel, ours_in, records
from labeling.formats.mapped import read_candidate
from labeling.formats.people import read_people, write_people
from labeling.formats.rows import Refused, Row, RowProblem
from labeling.formats.source import Found

_TEXTS = ("request", "grounding", "criteria_text")
_FIELDS = {"input": "request", "expectedOutput": "candidate"}
_KEPT = ("datasetName", "sourceTraceId", "sourceObservationId")
_TELLING = {"sourceTraceId", "sourceObservationId", "datasetId", "datasetName", "status"}


def could_be(names: Iterable[str]) -> bool:
    """Whether these are the names of a dataset item, or of a table that has as many."""
    known = set(map(camel, names))
    return {"input", "expectedOutput"} <= known and "output" not in known


def has_names(names: Iterable[str]) -> bool:
    """Whether these are surely the names of a dataset item."""
    return could_be(names) and bool(_TELLING & set(map(camel, names)))


def read(stream: BinaryIO, mapping: Mapping[str, str] = {}) -> Iterator[Row | Refused]:
    """Rows of an export of dataset items. Raises FileProblem where it cannot be read at all."""
    refuse_mapping(mapping)
    for found in records(stream):
        if isinstance(found, Refused):
            yield found
            continue
        try:
            yield _read_item(found)
        except RowProblem as problem:
            yield Refused(found.line, problem.field, problem.reason, found.element)


def _read_item(found: Found) -> Row:
    item = found.value
    own, ours = item.get("input"), ours_in(item.get("metadata"))
    if isinstance(own, dict) and "candidate" in own:
        opinions, decision, silent = read_people(ours, "human")
        row = _read_candidate(found, dict(own), ours)
        return replace(row, opinions=opinions, decision=decision, silent_annotators=silent)
    if item.get("expectedOutput") is None:
        raise RowProblem("expectedOutput", "The item has no expected output, the text that is to be judged.")
    return _read_candidate(found, {"input": own, "expectedOutput": item["expectedOutput"]}, {})


def _read_candidate(found: Found, texts: Fields, ours: Fields) -> Row:
    arrival = {name: value for name, value in ours.items() if name not in ("human", "meta")}
    values = {"id": found.value.get("id")} | arrival | dict(texts)
    fields: dict[str, str] = {name: _FIELDS.get(name, name) for name in values}
    meta = beside(found.value.get("metadata"), ours)
    if not ours:
        meta |= {name: value for name in _KEPT if (value := found.value.get(name)) is not None}
    values["meta"], fields["meta"] = meta, KEEP
    return read_candidate(values, fields, found.line, found.element)


def write(rows: Iterable[Row]) -> Iterator[str]:
    """One item on each line, as the API of Langfuse takes them."""
    return (as_line(_item(row)) for row in rows)


def _item(row: Row) -> dict[str, Any]:
    own = {"candidate": row.output} | {name: text for name in _TEXTS if (text := getattr(row, name))}
    item: dict[str, Any] = {"id": row.external_id} if row.external_id else {}
    truth = settle(
        [LabelFact(number, opinion.verdict, opinion.blind) for number, opinion in enumerate(row.opinions)],
        RulingFact(row.decision.verdict, row.decision.blind) if row.decision else None,
        row.split or "certify",
    )
    ours = how_it_arrived(row) | {"human": list(write_people(row))}
    return item | {
        "input": own,
        "expectedOutput": None if truth is None else {"verdict": str(truth)},
        "metadata": {OURS: json.loads(json.dumps(ours))},
        "status": "ACTIVE",
    }
