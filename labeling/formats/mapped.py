"""Rows from named values, whatever file they stand in: cells of a table, or an object of foreign names.

A value is text or JSON. Texts that are not text in the file (objects, numbers) are taken as their JSON.
Each line says what at most one person said; lines of one row that follow each other become one row.
"""

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from operator import attrgetter
from typing import Any

from labeling.domain.verdicts import HumanVerdict, on_a_scale, parse_common_verdict
from labeling.formats import fields as read
from labeling.formats.common import common_fields
from labeling.formats.field_mapping import IGNORE, KEEP, MARK
from labeling.formats.people import FINAL, UNRESOLVED, check_annotator
from labeling.formats.rows import Decision, FileProblem, Opinion, Refused, Row, RowProblem
from labeling.formats.source import Found
from labeling.formats.strict_json import StrictDecoder, quote

_TEXTS = ("request", "candidate", "grounding", "criteria_text")
_YES = {"yes", "true", "1", "y"}
_NO = {"no", "false", "0", "n"}
# What tells one row of a file from another, whoever speaks of it.
_CANDIDATE = attrgetter(
    "external_id",
    "output",
    "request",
    "grounding",
    "criteria_text",
    "split",
    "probability",
    "generator_model",
    "generator_family",
    "truncated",
    "meta",
)
_MOST_PEOPLE = 1000  # of one row that are held at once


def read_mapped(values: Mapping[str, Any], fields: Mapping[str, str], line: int, element: int | None) -> Row:
    """The row of one line, with what its person said. `fields`: the field of each column.

    Raises RowProblem, its field the column's own name; FileProblem where its verdicts are on a scale.
    """
    try:
        known = _read_candidate(values, fields, line, element)
        return Row(**(known | _said(values, fields)))
    except RowProblem as problem:
        raise _named_as_in(fields, problem) from problem


def read_candidate(
    values: Mapping[str, Any], fields: Mapping[str, str], line: int, element: int | None
) -> Row:
    """The row of one line without what anybody said. Raises RowProblem, its field the column's own name."""
    try:
        return Row(**_read_candidate(values, fields, line, element))
    except RowProblem as problem:
        raise _named_as_in(fields, problem) from problem


def _named_as_in(fields: Mapping[str, str], problem: RowProblem) -> RowProblem:
    """The problem, of the file's column, not of the field that it is."""
    columns = {field: column for column, field in fields.items() if field not in (KEEP, IGNORE)}
    return RowProblem(columns.get(problem.field, problem.field), problem.reason)


def _read_candidate(
    values: Mapping[str, Any], fields: Mapping[str, str], line: int, element: int | None
) -> dict[str, Any]:
    by_field = {field: values[column] for column, field in fields.items() if field != KEEP}
    given: dict[str, Any] = {name: as_text(by_field[name]) for name in _TEXTS if name in by_field}
    for name in ("id", "split", "generator_model", "generator_family"):
        if by_field.get(name) not in (None, ""):
            given[name] = as_text(by_field[name])
    given["truncated"] = yes_or_no(by_field.get("truncated"), "truncated")
    if by_field.get("probability") not in (None, ""):
        given["probability"] = _number(by_field["probability"])
    given["meta"] = _kept(values, fields)
    return common_fields(Found(line, given, element), ())


def _kept(values: Mapping[str, Any], fields: Mapping[str, str]) -> dict[str, Any]:
    """What stays beside the row: every column that is no field and not blank, and the keys of `meta`."""
    kept = {
        column: values[column]
        for column, field in fields.items()
        if field == KEEP and column != "meta" and values[column] not in (None, "")
    }
    own = values.get("meta") if fields.get("meta") == KEEP else None
    if own in (None, ""):
        return kept
    if not isinstance(own, dict):
        return kept | {"meta": own}
    if twice := next((name for name in own if name in kept), None):
        raise RowProblem("meta", f"{quote(twice)} is both a column and a key of meta; keep one.")
    return kept | own


def _said(values: Mapping[str, Any], fields: Mapping[str, str]) -> dict[str, Any]:
    """`opinions`, `decision`, `silent_annotators` of one line; a note without a verdict goes to `meta`."""
    said = {field: values[column] for column, field in fields.items() if field not in (KEEP, IGNORE)}
    annotator = as_text(said.get("annotator"))
    if annotator:
        check_annotator(annotator, "annotator")
    verdict, note = said.get("human"), as_text(said.get("note"))
    if verdict is None or (isinstance(verdict, str) and not verdict.strip()):
        return {"silent_annotators": int(bool(annotator))} | _note_beside(values, fields, note)
    read.check_storable(note, "note")
    blind = yes_or_no(said.get("blind"), "blind", default=True)
    if annotator.lower() in FINAL:
        unresolved = verdict == UNRESOLVED
        decided = None if unresolved else common_verdict(verdict, "human")
        return {"decision": Decision(decided, note, blind)}
    opinion = Opinion(common_verdict(verdict, "human"), annotator or None, note, blind, _marks(said))
    return {"opinions": (opinion,)}


def _note_beside(values: Mapping[str, Any], fields: Mapping[str, str], note: str) -> dict[str, Any]:
    if not note:
        return {}
    read.check_storable(note, "note")
    return {"meta": {"note": note} | _kept(values, fields)}


def _marks(said: Mapping[str, Any]) -> dict[str, int]:
    own = said.get("scores")
    if isinstance(own, str) and own.strip():
        own = json_cell(own, "scores")
    marks = read.scores({"scores": own or None}, "scores")
    for field, value in said.items():
        if field.startswith(MARK) and value not in (None, ""):
            marks[field.removeprefix(MARK)] = whole_number(value, field)
    return marks


def common_verdict(value: object, at: str) -> HumanVerdict:
    """A verdict in any common spelling. Raises FileProblem for a number that is neither 1 nor 0.

    Such a number says that the column is a scale, and then no 1 in it is a pass: nothing may be kept.
    """
    try:
        return parse_common_verdict(value)
    except ValueError as error:
        if on_a_scale(value):
            raise FileProblem(
                f"The verdicts are numbers on a scale: one is {quote(value)}, so that a 1 says neither pass "
                "nor fail. Add a column with pass or fail, or map this one to the marks on a criterion "
                f"({MARK}NAME)."
            ) from error
        raise RowProblem(at, str(error)) from error


def whole_number(value: object, at: str) -> int:
    """A mark; 4, "4" and 4.0 are the same. Raises RowProblem for anything else."""
    number = _number(value)
    if isinstance(number, bool) or not isinstance(number, int | float) or number != int(number):
        raise RowProblem(at, f"A mark must be a whole number, not {quote(value)}.")
    return int(number)


def as_text(value: Any) -> str:
    """A value as the text it is, "" where there is none; what is no text is its JSON."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def yes_or_no(value: Any, at: str, *, default: bool = False) -> bool:
    """true or false in any common spelling; `default` where it is absent or blank."""
    word = as_text(value).strip().lower()
    if word in _YES | _NO:
        return word in _YES
    if word:
        raise RowProblem(at, f"This must be yes or no, not {quote(value)}.")
    return default


def json_cell(text: str, at: str) -> Any:
    """The JSON that a cell holds. Raises RowProblem."""
    try:
        value, end, problem = StrictDecoder().decode(text.strip())
    except ValueError as error:
        raise RowProblem(at, str(error)) from error
    if problem or end != len(text.strip()):
        raise RowProblem(at, problem or "Something follows the JSON in this cell.")
    return value


def _number(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        number = float(value)
    except ValueError:
        return value
    if not math.isfinite(number):
        return value
    return int(number) if number.is_integer() else number


def gather(rows: Iterable[Row | Refused]) -> Iterator[Row | Refused]:
    """Lines of one row as one row with several people; later lines of it that stand apart do not arrive.

    Memory is one row, and a few bytes for each row that somebody spoke of.
    """
    seen: set[int] = set()
    held: Row | None = None
    for row in rows:
        if held is not None and isinstance(row, Row) and _goes_with(row, held):
            held = _together(held, row)
            continue
        if held is not None:
            yield held
        held = None if isinstance(row, Refused) else _arriving(row, seen)
        if isinstance(row, Refused):
            yield row
    if held is not None:
        yield held


def _goes_with(row: Row, held: Row) -> bool:
    """Whether the line adds a person to the row: same fields, both say something, nobody twice."""
    names = {opinion.annotator for opinion in held.opinions}
    return (
        _says(row)
        and _says(held)
        and len(names) < _MOST_PEOPLE
        and not (row.decision and held.decision)
        and all(opinion.annotator is not None for opinion in (*held.opinions, *row.opinions))
        and names.isdisjoint(opinion.annotator for opinion in row.opinions)
        and _CANDIDATE(row) == _CANDIDATE(held)
    )


def _says(row: Row) -> bool:
    return bool(row.opinions or row.decision or row.silent_annotators)


def _together(held: Row, row: Row) -> Row:
    return replace(
        held,
        opinions=(*held.opinions, *row.opinions),
        decision=held.decision or row.decision,
        silent_annotators=held.silent_annotators + row.silent_annotators,
    )


def _arriving(row: Row, seen: set[int]) -> Row:
    if not _says(row):
        return row
    *texts, meta = _CANDIDATE(row)
    key = hash((*texts, repr(meta)))
    if key in seen:
        return replace(row, arrives=False)
    seen.add(key)
    return row
