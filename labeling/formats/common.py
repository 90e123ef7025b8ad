"""What the row forms have in common: the candidate, how it arrived, and its criteria.

`probability` is how likely the row was to be chosen, where not all rows were equally likely. It is null or
"unknown" of rows that were chosen because judges disagreed, or nobody knows how: those are for tuning.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, BinaryIO

from labeling.formats import fields as read
from labeling.formats.fields import Fields
from labeling.formats.rows import FileProblem, Refused, Row, RowProblem
from labeling.formats.source import Found, read_objects
from labeling.formats.stated_criteria import read_criteria

LONGEST_ID = LONGEST_MODEL = 200
LONGEST_FAMILY = 80
_TEXTS = ("request", "candidate", "grounding", "criteria", "criteria_text")
_ARRIVAL = ("id", "split", "probability", "generator_model", "generator_family", "truncated")
_COMMON = frozenset((*_TEXTS, *_ARRIVAL, "threshold"))


def refuse_mapping(mapping: Mapping[str, str]) -> None:
    """Raise FileProblem where a mapping is given for a form that says itself which field is which."""
    if mapping:
        raise FileProblem(
            "This format has its own names, so no column can be mapped. Read the file as “flat”, or leave "
            "the mapping out."
        )


def read_rows[Read](stream: BinaryIO, reader: Callable[[Found], Read]) -> Iterator[Read | Refused]:
    """Every object of the file through `reader`; a RowProblem refuses the row and the next one follows."""
    for found in read_objects(stream):
        if isinstance(found, Refused):
            yield found
            continue
        try:
            yield reader(found)
        except RowProblem as problem:
            yield Refused(found.line, problem.field, problem.reason, found.element)


def common_fields(found: Found, known: Iterable[str]) -> dict[str, Any]:
    """Row fields of every form, by name. `known` are the form's own fields; the others become `meta`."""
    fields = found.value
    _check_candidate(fields)
    criteria_text, criteria = read_criteria(fields)
    probability, split = read.chance(fields)
    if "criteria_text" in fields and criteria_text:
        raise RowProblem("criteria_text", "The row has a criteria text twice; keep one.")
    return {
        "line": found.line,
        "element": found.element,
        "output": read.text(fields, "candidate"),
        "request": read.text(fields, "request"),
        "grounding": read.text(fields, "grounding"),
        "criteria_text": criteria_text or read.text(fields, "criteria_text"),
        "criteria": criteria,
        "threshold": read.threshold(fields),
        "external_id": read.short_text(fields, "id", LONGEST_ID),
        "split": split,
        "probability": probability,
        "generator_model": read.short_text(fields, "generator_model", LONGEST_MODEL),
        "generator_family": read.short_text(fields, "generator_family", LONGEST_FAMILY),
        "truncated": read.flag(fields, "truncated", default=False),
        "meta": read.meta(fields, _COMMON | frozenset(known)),
    }


def _check_candidate(fields: Fields) -> None:
    if "candidate_a" in fields and "candidate" not in fields:
        raise FileProblem(
            "This file is pairwise: each row compares two candidates. Vera labels one candidate at a time: "
            "import it as reference sets, or write each candidate as a row of its own."
        )
    if fields.get("candidate") is None:
        raise RowProblem("candidate", "The row has no candidate, the text that is to be judged.")


def how_it_arrived(row: Row) -> dict[str, Any]:
    """The trailing fields of a written row; what is usual stays unsaid."""
    said = {
        "split": row.split,
        "probability": row.probability,
        "generator_model": row.generator_model,
        "generator_family": row.generator_family,
        "truncated": row.truncated,
        # Databases keep the keys of JSON in orders of their own; a file is the same from each.
        "meta": json.loads(json.dumps(dict(row.meta), sort_keys=True)),
    }
    return {name: value for name, value in said.items() if value}


def as_line(fields: Fields) -> str:
    """One row of JSON Lines, exactly."""
    return json.dumps(fields, ensure_ascii=False, allow_nan=False) + "\n"
