"""Tasks of Label Studio: its export as “JSON”, and tasks with annotations as it imports them.

A task is `{"id", "data": {…}, "annotations": [{"completed_by", "result": […], "was_cancelled",
"ground_truth"}], "predictions": […]}`; exports before 1.0 say `completions`. Choices are the verdict, ratings
and numbers marks, text areas the comment; a ground truth is the row's own verdict, a cancelled annotation
was skipped, and predictions are judges'.

Label Studio refuses annotations of people whom it does not know, so what is written names nobody there:
who said what stands in the task's `meta`, by the annotation's `id`, which Label Studio keeps as `import_id`.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, BinaryIO

from labeling.formats.answers import COMMENT, VERDICT, Answer, People, Roles, roles_of
from labeling.formats.common import how_it_arrived, read_rows
from labeling.formats.field_mapping import KEEP, MARK, check_mapping, no_candidate, resolve
from labeling.formats.fields import Fields, entries, flag, text
from labeling.formats.mapped import as_text, read_candidate
from labeling.formats.people import check_annotator, write_people
from labeling.formats.rows import FileProblem, Refused, Row, RowProblem
from labeling.formats.source import Found, read_objects
from labeling.formats.stated_criteria import stated_spec
from labeling.formats.strict_json import quote

PREFIX = "result."  # and the name of a control: such a column stands for what people chose there
OF_PEOPLE = {"human", "note", "annotator", "blind", "scores"}
_TEXTS = ("request", "grounding", "criteria_text")


def is_task(fields: Fields) -> bool:
    """Whether an object of a file is a task of Label Studio."""
    lists = any(isinstance(fields.get(name), list) for name in ("annotations", "completions", "predictions"))
    return isinstance(fields.get("data"), dict) and (lists or "candidate" not in fields)


def data_of(fields: Fields) -> dict[str, Any]:
    """What a mapping may name in a task besides the answers."""
    data = fields.get("data")
    return dict(data) if isinstance(data, dict) else {}


def answers_of(fields: Fields) -> list[Answer]:
    """What people answered in a task; in a mapping they are called `result.` with the name."""
    return [answer for _, annotation in _annotations(fields) for answer in _answers(annotation, "")]


def read(stream: BinaryIO, mapping: Mapping[str, str] = {}) -> Iterator[Row | Refused]:
    """Rows of a file of tasks. `mapping` names keys of `data`, and `result.NAME` for a control.

    Raises FileProblem where the file cannot be read, or does not tell which control is the verdict.
    """
    checked = check_mapping(mapping)
    _check_people(checked)
    roles = _roles(stream, checked)
    return read_rows(stream, lambda found: _read_task(found, checked, roles))


def _check_people(mapping: Mapping[str, str]) -> None:
    for name, field in mapping.items():
        if field in OF_PEOPLE and not name.startswith(PREFIX):
            raise FileProblem(
                f"In tasks, people speak in annotations: map {PREFIX}NAME to {field}, not {quote(name)}."
            )


def _roles(stream: BinaryIO, mapping: Mapping[str, str]) -> Roles:
    words: set[str] = set()
    others: set[str] = set()
    for found in read_objects(stream):
        for answer in answers_of(found.value) if isinstance(found, Found) else ():
            (words if answer.kind == "word" else others).add(answer.name)
    return roles_of(words, others - {COMMENT}, mapping, PREFIX)


def _annotations(fields: Fields) -> Iterator[tuple[str, Fields]]:
    """Annotations that are objects, each with where it stands."""
    name = "annotations" if "annotations" in fields else "completions"
    given = fields.get(name)
    for number, annotation in enumerate(given if isinstance(given, list) else (), start=1):
        if isinstance(annotation, dict):
            yield f"{name}[{number}]", annotation


def _answers(annotation: Fields, at: str) -> Iterator[Answer]:
    results = annotation.get("result")
    for number, result in enumerate(results if isinstance(results, list) else (), start=1):
        value = result.get("value") if isinstance(result, dict) else None
        if isinstance(value, dict):
            yield _answer(str(result.get("from_name", "")), result.get("type"), value)
        elif at and not isinstance(result, dict):
            raise RowProblem(f"{at}.result[{number}]", "This must be an object: {…}.")


def _answer(name: str, kind: object, value: Fields) -> Answer:
    if kind == "choices":
        chosen = value.get("choices")
        one = isinstance(chosen, list) and len(chosen) == 1
        return Answer(name, "word", chosen[0] if one and isinstance(chosen, list) else chosen)
    if kind in ("rating", "number"):
        return Answer(name, "number", value.get(kind))
    if kind == "textarea":
        text = value.get("text")
        return Answer(name, "text", "\n".join(map(as_text, text)) if isinstance(text, list) else text)
    return Answer(name, "other", value)


def _read_task(found: Found, mapping: Mapping[str, str], roles: Roles) -> Row:
    task = found.value
    data = task.get("data")
    if not isinstance(data, dict):
        raise RowProblem("data", "This is no task of Label Studio: it has no object “data”.")
    for name in ("annotations", "completions", "predictions"):
        entries(task, name)
    ours = _ours(task)
    row = _read_data(found, data, ours, mapping)
    people = People()
    for at, annotation in _annotations(task):
        _read_annotation(people, annotation, at, roles, ours)
    return replace(row, judge_verdicts=len(entries(task, "predictions")), **people.as_fields(row.meta))


def _ours(task: Fields) -> Fields:
    """What Vera wrote beside a task, {} where it did not."""
    meta = task.get("meta")
    ours = meta.get("vera") if isinstance(meta, dict) else None
    return ours if isinstance(ours, dict) else {}


def _read_data(found: Found, data: Fields, ours: Fields, mapping: Mapping[str, str]) -> Row:
    values = dict(data) | {name: value for name, value in ours.items() if name not in ("people", "meta")}
    fields = {
        name: KEEP if field in OF_PEOPLE or field.startswith(MARK) else field
        for name, field in resolve(values, mapping).items()
    }
    if "candidate" not in fields.values():
        if "candidate" not in mapping.values():
            raise FileProblem(no_candidate(list(data)))
        raise RowProblem("data", "The task has no such text, the one that is to be judged.")
    if "id" not in fields.values() and not ours and found.value.get("id") is not None:
        values["id"], fields["id"] = found.value["id"], "id"
    if meta := _meta(found.value, ours):
        name = "task_meta" if "meta" in data else "meta"
        values[name], fields[name] = meta, KEEP
    return read_candidate(values, fields, found.line, found.element)


def _meta(task: Fields, ours: Fields) -> Any:
    meta = task.get("meta")
    others = {name: value for name, value in meta.items() if name != "vera"} if isinstance(meta, dict) else {}
    return others | ours["meta"] if isinstance(ours.get("meta"), dict) else others


def _read_annotation(people: People, annotation: Fields, at: str, roles: Roles, ours: Fields) -> None:
    if flag(annotation, "was_cancelled", default=False, at=f"{at}.was_cancelled"):
        people.silent += 1
        return
    known = ours.get("people")
    number = annotation.get("import_id") or annotation.get("id")
    person = known.get(str(number)) if isinstance(known, dict) else None
    person = person if isinstance(person, dict) else {}
    annotator = text(person, "annotator", at=f"{at}.completed_by") or _completed_by(annotation)
    if annotator is not None:
        check_annotator(annotator, f"{at}.completed_by")
    people.add(
        _answers(annotation, at),
        roles,
        annotator=annotator,
        at=at,
        blind=flag(person, "blind", default=True, at=f"{at}.blind"),
        final=flag(annotation, "ground_truth", default=False, at=f"{at}.ground_truth"),
    )


def _completed_by(annotation: Fields) -> str | None:
    """An email where there is one, else the number that Label Studio has for the person."""
    by = annotation.get("completed_by")
    if isinstance(by, dict):
        by = by.get("email") or by.get("id")
    return None if by in (None, "") else as_text(by)


def write(rows: Iterable[Row]) -> Iterator[str]:
    """One JSON array of tasks, a task on each line, as Label Studio imports them."""
    between = "[\n"
    for row in rows:
        yield between + json.dumps(_task(row), ensure_ascii=False, allow_nan=False)
        between = ",\n"
    yield "\n]\n" if between == ",\n" else "[]\n"


def _task(row: Row) -> dict[str, Any]:
    data = {"id": row.external_id} if row.external_id else {}
    data |= {"candidate": row.output}
    data |= {name: text for name in _TEXTS if (text := getattr(row, name))}
    annotations, people = [], {}
    for number, entry in enumerate(write_people(row), start=1):
        final = number == 1 and row.decision is not None
        annotations.append(_annotation(number, entry, row, final=final))
        people[str(number)] = {"annotator": entry["annotator"]} | (
            {} if entry.get("blind", True) else {"blind": False}
        )
    beside = {"vera": how_it_arrived(row) | {"people": people}}
    return {"data": data, "meta": beside, "annotations": annotations}


def _annotation(number: int, entry: Fields, row: Row, *, final: bool) -> dict[str, Any]:
    results = [_result(VERDICT, "choices", {"choices": [entry["verdict"]]})]
    for name, score in entry["scores"].items():
        kind = "rating" if name in _rated(row) else "number"
        results.append(_result(name, kind, {kind: score}))
    if entry["comment"]:
        results.append(_result(COMMENT, "textarea", {"text": [entry["comment"]]}))
    return {"id": number, "ground_truth": final, "was_cancelled": False, "result": results}


def _rated(row: Row) -> set[str]:
    """Criteria whose marks are stars: a rating of Label Studio begins at 1."""
    return {spec.name for spec in map(stated_spec, row.criteria) if spec.scale_min >= 1}


def _result(name: str, kind: str, value: dict[str, Any]) -> dict[str, Any]:
    return {"id": f"{kind}-{name}", "from_name": name, "to_name": "candidate", "type": kind, "value": value}
