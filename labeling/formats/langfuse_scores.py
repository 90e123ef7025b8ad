"""Scores of Langfuse with the texts they are of: scores joined to their trace or observation, or traces with
their `scores`.

A score is `{"name", "dataType": NUMERIC|CATEGORICAL|BOOLEAN, "value", "stringValue", "comment", "source":
ANNOTATION|API|EVAL, "traceId", "observationId", "authorUserName"}`; the texts are `input` and `output`,
beside it or within `trace` or `observation`. One score name is the verdict, numeric ones are marks. Scores of
the source EVAL are judges', and so are those that came by API, unless the mapping names them.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from sys import intern
from typing import Any, BinaryIO

from labeling.domain.content import content_hash
from labeling.formats.answers import VERDICT, Answer, Kind, People, Roles, roles_of
from labeling.formats.common import as_line, how_it_arrived
from labeling.formats.field_mapping import IGNORE, KEEP, check_mapping
from labeling.formats.fields import Fields, flag
from labeling.formats.langfuse import OURS, beside, camel, ours_in, records
from labeling.formats.mapped import as_text, read_candidate
from labeling.formats.people import check_annotator, write_people
from labeling.formats.rows import FileProblem, Refused, Row, RowProblem
from labeling.formats.source import Found

PREFIX = "score."  # and the name of a score: such a column of a mapping stands for its values
MOST_SCORES = 500_000  # that are held at once: the scores of one row need not stand together
_PERSON, _PROGRAM, _JUDGE = "ANNOTATION", "API", "EVAL"

type Key = tuple[str, str]  # trace, observation


def has_names(names: Mapping[str, object]) -> bool:
    """Whether these are the names of a score, or of a trace with its scores."""
    known = {camel(name) for name in names}
    score = (
        "name" in known
        and bool({"traceId", "observationId"} & known)
        and bool({"value", "stringValue"} & known)
    )
    trace = isinstance(names.get("scores"), list) and "output" in known and "id" in known
    return score or trace


def data_of(fields: Fields) -> dict[str, Any]:
    """What a page shows of a record besides its scores."""
    shown = {name: value for name in ("id", "traceId") if (value := fields.get(name)) is not None}
    source = _texts(fields)
    return shown | {name: source[name] for name in ("input", "output") if name in source}


def answers_of(fields: Fields) -> list[Answer]:
    """The scores that people gave; in a mapping they are called `score.` with the name."""
    return [_answer(score) for score in _scores(fields) if _is_of_person(score, {})]


@dataclass(frozen=True, slots=True)
class _Score:
    """One score of a person. `ours`: what Vera wrote beside it."""

    answer: Answer
    author: str | None
    comment: str
    ours: Fields


@dataclass(slots=True)
class _Index:
    """Every score of a person by the row it is of, and which rows have their text somewhere in the file."""

    scores: dict[Key, list[_Score]] = field(default_factory=lambda: defaultdict(list))
    judges: Counter[Key] = field(default_factory=Counter)
    with_text: set[Key] = field(default_factory=set)
    words: set[str] = field(default_factory=set)
    others: set[str] = field(default_factory=set)
    roles: Roles = field(default_factory=lambda: Roles("", {}))


def read(stream: BinaryIO, mapping: Mapping[str, str] = {}) -> Iterator[Row | Refused]:
    """Rows of an export, each with all scores of its trace or observation. `mapping` names `score.NAME`.

    Raises FileProblem where the file cannot be read, or does not tell which score is the verdict.
    """
    checked = check_mapping(mapping)
    index = _index(stream, checked)
    index.roles = roles_of(index.words, index.others, checked, PREFIX)
    return _rows(stream, index)


def _index(stream: BinaryIO, mapping: Mapping[str, str]) -> _Index:
    index, count = _Index(), 0
    for found in records(stream):
        if isinstance(found, Refused):
            continue
        key = _key(found.value)
        if _texts(found.value).get("output") is not None:
            index.with_text.add(key)
        for score in _scores(found.value):
            count += 1
            _note(index, key, score, mapping)
        if count > MOST_SCORES:
            raise FileProblem(
                f"The file has more than {MOST_SCORES} scores. Cut it into several, trace by trace."
            )
    return index


def _note(index: _Index, key: Key, score: Fields, mapping: Mapping[str, str]) -> None:
    if not _is_of_person(score, mapping):
        index.judges[key] += 1
        return
    answer, author = _answer(score), score.get("authorUserName") or score.get("authorUserId")
    (index.words if answer.kind == "word" else index.others).add(answer.name)
    said = _Score(
        answer,
        None if author is None else intern(as_text(author)),
        as_text(score.get("comment")),
        ours_in(score.get("metadata")),
    )
    index.scores[key].append(said)


_FIELDS = {"input": "request", "output": "candidate"}


def _key(fields: Fields) -> Key:
    if isinstance(fields.get("scores"), list):
        return as_text(fields.get("id")), ""
    return as_text(fields.get("traceId")), as_text(fields.get("observationId"))


def _scores(fields: Fields) -> list[Fields]:
    """The scores of a record: its list, or the record itself."""
    given = fields.get("scores")
    if not isinstance(given, list):
        return [fields] if "name" in fields else []
    return [
        {camel(name): value for name, value in score.items()} for score in given if isinstance(score, dict)
    ]


def _texts(fields: Fields) -> Fields:
    """The object that has `input` and `output`: the observation's where the score is of one."""
    for name in ("observation", "trace"):
        if isinstance(inner := fields.get(name), dict) and "output" in inner:
            return inner
    return fields


def _is_of_person(score: Fields, mapping: Mapping[str, str]) -> bool:
    source = as_text(score.get("source")) or _PERSON
    named = mapping.get(PREFIX + as_text(score.get("name")), KEEP) not in (KEEP, IGNORE)
    return source == _PERSON or (source == _PROGRAM and named)


def _answer(score: Fields) -> Answer:
    name, value, word = as_text(score.get("name")), score.get("value"), score.get("stringValue")
    said = word if word not in (None, "") else value
    kinds: dict[str, Kind] = {"NUMERIC": "number", "CATEGORICAL": "word", "BOOLEAN": "word"}
    kind = kinds.get(
        as_text(score.get("dataType")) or ("CATEGORICAL" if isinstance(said, str) else "NUMERIC")
    )
    return Answer(name, kind or "other", value if kind == "number" else said)


def _rows(stream: BinaryIO, index: _Index) -> Iterator[Row | Refused]:
    done: set[Key] = set()
    for found in records(stream):
        if isinstance(found, Refused):
            yield found
            continue
        key = _key(found.value)
        has_text = _texts(found.value).get("output") is not None
        if key in done or (not has_text and key in index.with_text):
            continue
        done.add(key)
        try:
            yield _read_row(found, key, index)
        except RowProblem as problem:
            yield Refused(found.line, problem.field, problem.reason, found.element)


def _read_row(found: Found, key: Key, index: _Index) -> Row:
    source = _texts(found.value)
    if source.get("output") is None:
        raise RowProblem(
            "output",
            "The score has no output, the text that is to be judged. Export scores with the input and output "
            "of their traces, or traces with their scores.",
        )
    row = _read_texts(found, source, key)
    people = People()
    by_author: dict[str | None, list[_Score]] = defaultdict(list)
    for score in index.scores.pop(key, ()):
        by_author[score.author].append(score)
    for author, given in by_author.items():
        _read_person(people, author, given, index.roles)
    return replace(row, judge_verdicts=index.judges[key], **people.as_fields(row.meta))


def _read_texts(found: Found, source: Fields, key: Key) -> Row:
    metadata = source.get("metadata") if source is not found.value or "scores" in found.value else None
    ours = ours_in(metadata)
    texts = {"input": source.get("input"), "output": source.get("output")}
    own = {name: value for name, value in ours.items() if name != "meta"}
    values: dict[str, Any] = {"id": "/".join(filter(None, key))} | own | texts
    fields: dict[str, str] = {name: _FIELDS.get(name, name) for name in values}
    values["meta"], fields["meta"] = beside(metadata, ours), KEEP
    return read_candidate(values, fields, found.line, found.element)


def _read_person(people: People, author: str | None, scores: list[_Score], roles: Roles) -> None:
    if author is not None:
        check_annotator(author, "authorUserName")
    answers = [score.answer for score in scores]
    answers += [Answer("comment", "text", score.comment) for score in scores if score.comment]
    blind = all(flag(score.ours, "blind", default=True) for score in scores)
    people.add(answers, roles, annotator=author, at="scores", blind=blind, final=False)


def write(rows: Iterable[Row]) -> Iterator[str]:
    """One score on each line with the trace it is of; a row that nobody labelled has no score and no line."""
    for row in rows:
        trace = _trace(row)
        for entry in write_people(row):
            for score in _scores_of(entry):
                yield as_line({"traceId": trace["id"]} | score | {"trace": trace})


def _trace(row: Row) -> dict[str, Any]:
    said = how_it_arrived(row) | {"id": row.external_id}
    said |= {name: text for name in ("grounding", "criteria_text") if (text := getattr(row, name))}
    content = content_hash(row.request, row.output, row.grounding, row.criteria_text)
    known = row.external_id or f"vera-{content[:32]}"
    return {"id": known, "input": row.request, "output": row.output, "metadata": {OURS: said}}


def _scores_of(entry: Fields) -> Iterator[dict[str, Any]]:
    """The verdict as a category, then a number for each mark."""
    common = {"source": _PERSON, "authorUserName": entry["annotator"]}
    if not entry.get("blind", True):
        common["metadata"] = {OURS: {"blind": False}}
    verdict = {"name": VERDICT, "dataType": "CATEGORICAL", "value": entry["verdict"]}
    yield verdict | {"stringValue": entry["verdict"], "comment": entry["comment"]} | common
    for name, score in entry["scores"].items():
        yield {"name": name, "dataType": "NUMERIC", "value": score} | common
