"""Scores and dataset items of Langfuse: as JSON, JSON Lines and CSV, with people's verdicts and judges'."""

import io
import json
from typing import Any

import pytest

from labeling.formats.columns import columns_of
from labeling.formats.detect import detect
from labeling.formats.rows import FileProblem, Refused
from tests.labeling.format_rows import opinion, read, refused_in, rows_of

type Fields = dict[str, Any]


def score(name: str = "correct", value: Any = 1, kind: str = "BOOLEAN", **more: Any) -> Fields:
    word = {"stringValue": "True" if value else "False"} if kind == "BOOLEAN" else {}
    texts = {"traceId": "t1", "input": "Ask.", "output": "Hi."}
    by = {"source": "ANNOTATION", "authorUserName": "Ann"}
    return {"id": "s", "name": name, "value": value, "dataType": kind} | word | by | texts | more


def lines(*records: Fields) -> str:
    return "\n".join(map(json.dumps, records))


def test_scores_of_a_trace_are_one_row_wherever_they_stand() -> None:
    content = lines(
        score(comment="fine"),
        score(traceId="t2", output="Ho."),
        score("tone", 4, "NUMERIC"),
        score("correct", 0, authorUserName="Bob"),
        score("correct", 0, source="EVAL"),
        score("thumb", 1, "NUMERIC", source="API"),
    )

    first, second = rows_of(content, "langfuse_scores")

    assert detect(io.BytesIO(content.encode())) == "langfuse_scores"
    assert (first.external_id, first.request, first.output, first.judge_verdicts) == ("t1", "Ask.", "Hi.", 2)
    assert first.opinions == (
        opinion("pass", "Ann", comment="fine", scores={"tone": 4}),
        opinion("fail", "Bob"),
    )
    assert (second.line, second.output, second.opinions) == (2, "Ho.", (opinion("pass", "Ann"),))


def test_a_trace_with_its_scores() -> None:
    scores = [
        {
            "name": "ok",
            "value": "good",
            "dataType": "CATEGORICAL",
            "source": "ANNOTATION",
            "authorUserId": "u1",
        }
    ]
    trace = {"id": "t1", "input": {"q": 1}, "output": "Hi.", "metadata": {"k": 1}, "scores": scores}

    (row,) = rows_of(json.dumps([trace]), "langfuse_scores")

    assert detect(io.BytesIO(json.dumps([trace]).encode())) == "langfuse_scores"
    assert (row.request, row.meta, row.opinions) == (
        '{"q": 1}', {"metadata": {"k": 1}}, (opinion("pass", "u1"),)
    )  # fmt: skip


def test_a_score_of_an_observation_is_of_its_text() -> None:
    inner = {"id": "o1", "input": "Sub-ask.", "output": "Sub-hi."}

    (row,) = rows_of(lines(score(observationId="o1", observation=inner)), "langfuse_scores")

    assert (row.external_id, row.request, row.output) == ("t1/o1", "Sub-ask.", "Sub-hi.")


@pytest.mark.parametrize("quoted", [False, True])
def test_scores_as_csv_with_texts_as_they_are_or_as_json(quoted: bool) -> None:
    names = ("id", "traceId", "source", "name", "dataType", "value", "stringValue", "input", "output")
    cells = ("s", "t1", "ANNOTATION", "ok", "BOOLEAN", 1, "True", 'Say "a".', "Hi.")
    shown = [json.dumps(cell) if quoted else str(cell) for cell in cells]
    content = "\n".join(
        ",".join('"' + cell.replace('"', '""') + '"' for cell in line) for line in (names, shown)
    )

    (row,) = rows_of(content, "langfuse_scores")

    assert detect(io.BytesIO(content.encode())) == "langfuse_scores"
    assert (row.external_id, row.request, row.output) == ("t1", 'Say "a".', "Hi.")
    assert row.opinions == (opinion("pass"),)


def test_of_several_scores_in_words_the_verdict_must_be_named() -> None:
    content = lines(score("toxic", 0), score("correct"))

    with pytest.raises(FileProblem, match=r"'correct', 'toxic'\. Say which one it is"):
        rows_of(content, "langfuse_scores")
    (row,) = rows_of(content, "langfuse_scores", {"score.correct": "human", "score.toxic": "ignore"})
    assert (row.opinions, row.meta) == ((opinion("pass", "Ann"),), {})


def test_numbers_alone_say_no_verdict_until_one_is_named() -> None:
    content = lines(score("correctness", 1, "NUMERIC"), score("tone", 4, "NUMERIC"))

    with pytest.raises(FileProblem, match="cannot tell which answer is the verdict"):
        rows_of(content, "langfuse_scores")
    (row,) = rows_of(content, "langfuse_scores", {"score.correctness": "human"})
    assert row.opinions == (opinion("pass", "Ann", scores={"tone": 4}),)


def test_scores_that_came_by_api_are_peoples_only_where_they_are_named() -> None:
    content = lines(score("thumb", 1, source="API"))

    assert rows_of(content, "langfuse_scores")[0].judge_verdicts == 1
    (row,) = rows_of(content, "langfuse_scores", {"score.thumb": "human"})
    assert row.opinions == (opinion("pass", "Ann"),)


@pytest.mark.parametrize(
    ("record", "field", "says"),
    [
        (score(output=None), "output", "no output"),
        (score(output="a\0"), "output", "NUL"),
        (score(output="\ud800"), "output", "lone surrogate"),
        (score("tone", 1.5, "NUMERIC"), "scores.tone", "whole number"),
        (score(authorUserName=" "), "authorUserName", "no name"),
    ],
)
def test_scores_refused_by_line_field_and_reason(record: Fields, field: str, says: str) -> None:
    good = score(traceId="t0")

    refused = refused_in(lines(good, record), "langfuse_scores")

    assert (refused.line, refused.field) == (2, field)
    assert says in refused.reason


def test_a_preview_suggests_what_each_score_is() -> None:
    content = lines(score(), score("tone", 4, "NUMERIC"), score("tone", 4, "NUMERIC", source="EVAL"))

    preview = columns_of(io.BytesIO(content.encode()), "langfuse_scores")

    assert preview.suggested == {"score.correct": "human", "score.tone": "mark:tone"}


ITEM = {"id": "i1", "input": {"q": "Ask."}, "expectedOutput": "Hi.", "metadata": {"k": 1}, "status": "ACTIVE"}


def test_a_dataset_item_of_anothers_making() -> None:
    item = ITEM | {"sourceTraceId": "t1", "datasetName": "d"}

    (row,) = rows_of(json.dumps(item), "langfuse_items")

    assert detect(io.BytesIO(json.dumps(item).encode())) == "langfuse_items"
    assert (row.external_id, row.request, row.output, row.opinions) == ("i1", '{"q": "Ask."}', "Hi.", ())
    assert row.meta == {"metadata": {"k": 1}, "datasetName": "d", "sourceTraceId": "t1"}


def test_items_of_the_python_client_and_as_csv() -> None:
    snake = {"id": "i1", "input": "Ask.", "expected_output": "Hi.", "source_trace_id": None}
    table = 'id,input,expectedOutput,metadata,status\ni1,Ask.,Hi.,"{""k"": 1}",ACTIVE\n'

    (one,), (other,) = rows_of(json.dumps(snake), "langfuse_items"), rows_of(table, "langfuse_items")

    assert (one.request, one.output) == (other.request, other.output) == ("Ask.", "Hi.")
    assert other.meta == {"metadata": {"k": 1}}
    assert detect(io.BytesIO(table.encode())) == detect(io.BytesIO(json.dumps(snake).encode()))


def test_an_item_without_its_text_is_refused_and_the_next_one_read() -> None:
    refused, good = read(lines(ITEM | {"expectedOutput": None}, ITEM), "langfuse_items")

    assert isinstance(refused, Refused)
    assert (refused.line, refused.field, good.line) == (1, "expectedOutput", 2)
