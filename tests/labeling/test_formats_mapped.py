"""Columns of other names: what a mapping makes of them, words for a verdict, and lines of several people."""

import io

import pytest

from labeling.domain.verdicts import HumanVerdict
from labeling.formats.detect import READERS
from labeling.formats.field_mapping import IGNORE, KEEP, suggested
from labeling.formats.rows import Decision, FileProblem
from tests.labeling.format_rows import opinion, read, refused_in, rows_of

MAPPING = {"output": "candidate", "label": "human", "why": "note", "rater": "annotator"}


def test_a_mapped_table() -> None:
    content = "output,label,why,rater,tone,secret,source\nHi.,Good,kind,ann,4,x,web\n"

    (row,) = rows_of(content, "csv", MAPPING | {"tone": "mark:tone", "secret": IGNORE, "source": KEEP})

    assert (row.output, row.meta) == ("Hi.", {"source": "web"})
    assert row.opinions == (opinion("pass", "ann", comment="kind", scores={"tone": 4}),)


def test_a_mapped_object_keeps_what_it_does_not_map() -> None:
    content = '{"output": {"a": [1, null]}, "label": false, "n": 1.5, "tags": ["x"], "none": null}'

    (row,) = rows_of(content, "flat", MAPPING)

    assert (row.output, row.opinions) == ('{"a": [1, null]}', (opinion("fail"),))
    assert row.meta == {"n": 1.5, "tags": ["x"]}


@pytest.mark.parametrize(
    ("word", "verdict"),
    [
        *((word, "pass") for word in ("PASS", "good", "True", " yes ", "1", "1.0", "accept", "correct")),
        *((word, "fail") for word in ("kill", "bad", "false", "NO", "0", "reject", "incorrect", "failed")),
    ],
)
def test_common_words_for_a_verdict(word: str, verdict: str) -> None:
    (row,) = rows_of(f"output,label\nx,{word}\n", "csv", {"output": "candidate", "label": "human"})

    assert row.opinions == (opinion(verdict),)


@pytest.mark.parametrize("word", ["maybe", "positive", "A", "nan"])
def test_other_words_are_refused_by_the_column_of_the_file(word: str) -> None:
    refused = refused_in(f"output,label\nx,{word}\n", "csv", {"output": "candidate", "label": "human"})

    assert (refused.line, refused.field) == (2, "label")
    assert f"'{word}' is not a verdict: write pass or fail" in refused.reason


@pytest.mark.parametrize("number", ["2", "0.5", "-1"])
def test_a_scale_is_no_verdict_and_nothing_of_its_file_is_kept(number: str) -> None:
    with pytest.raises(FileProblem, match="on a scale"):
        read(f"output,label\nx,1\ny,{number}\n", "csv", {"output": "candidate", "label": "human"})


@pytest.mark.parametrize(
    ("mapping", "says"),
    [
        ({"outptu": "candidate"}, "no column 'outptu'"),
        ({"output": "candidat"}, "'candidat' is no field"),
        ({"output": "candidate", "label": "candidate"}, "would both be the field candidate"),
        ({"label": "human"}, "No column of the file is called “candidate”"),
    ],
)
def test_a_mapping_that_cannot_be_meant(mapping: dict[str, str], says: str) -> None:
    with pytest.raises(FileProblem, match=says):
        read("output,label\nx,1\n", "csv", mapping)


def test_lines_of_one_row_are_one_row_with_several_people() -> None:
    content = (
        "id,candidate,annotator,verdict\n1,x,consensus,unresolved\n1,x,a1,pass\n1,x,a2,fail\n2,x,a1,pass\n"
    )

    first, second = rows_of(content, "csv")

    assert first.decision == Decision(None)
    assert first.opinions == (opinion("pass", "a1"), opinion("fail", "a2"))
    assert (first.line, second.line, second.external_id) == (2, 5, "2")


def test_lines_of_one_row_that_stand_apart_are_no_further_arrivals() -> None:
    content = "candidate,annotator,verdict\nx,a1,pass\ny,a1,pass\nx,a2,fail\nx,a2,fail\n"

    rows = rows_of(content, "csv")

    assert [(row.output, row.arrives) for row in rows] == [
        ("x", True),
        ("y", True),
        ("x", False),
        ("x", False),
    ]


def test_lines_that_nobody_speaks_in_are_arrivals() -> None:
    rows = rows_of("candidate,annotator,verdict\nx,,\nx,,\nx,a1,\n", "csv")

    assert [(row.arrives, row.silent_annotators) for row in rows] == [(True, 0), (True, 0), (True, 1)]


def test_a_note_without_a_verdict_stays_beside_the_row() -> None:
    (row,) = rows_of("candidate,comment\nx,look again\n", "csv")

    assert (row.opinions, row.meta) == ((), {"note": "look again"})


@pytest.mark.parametrize("form", ["vera", "jsonl", "langfuse_items"])
def test_a_form_of_its_own_takes_no_mapping(form: str) -> None:
    with pytest.raises(FileProblem, match="leave the mapping out"):
        list(READERS[form](io.BytesIO(b'{"candidate": "x"}'), {"a": "candidate"}))


def test_common_names_are_suggested_once_each() -> None:
    names = ["Model Output", "prompt", "input", "contexts", "Label", "score", "comment", "Trace ID", "colour"]

    assert list(suggested(names).values()) == [
        "candidate", "request", KEEP, "grounding", "human", KEEP, "note", "id", KEEP,
    ]  # fmt: skip


def test_vera_words_stay_strict() -> None:
    assert "write PASS or FAIL" in refused_in('{"candidate": "x", "human": "good"}', "vera").reason
    assert rows_of('{"candidate": "x", "human": "KILL"}', "vera")[0].opinions[0].verdict is HumanVerdict.FAIL
