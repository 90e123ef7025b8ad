"""Which format a file is in, and the sentence that asks where it could be two."""

import io

import pytest

from labeling.formats.columns import columns_of
from labeling.formats.detect import detect
from labeling.formats.rows import FileProblem


@pytest.mark.parametrize(
    ("content", "name", "form"),
    [
        ('{"output": "x"}', "", "flat"),
        ('[{"candidate": "x"}]', "rows.csv", "vera"),
        ('{"candidate_a": "x", "human": []}', "", "jsonl"),
        ("candidate\nx\n", "", "csv"),
        ("unknown\nx\n", "rows.csv", "csv"),
        ("unknown\nx\n", "rows.jsonl", "vera"),
        ("output\tlabel\nx\t1\n", "", "tsv"),
        ("id,input,output,expected_output\n1,a,b,c\n", "", "csv"),
        ('{"data": {"text": "x"}}', "", "label_studio"),
    ],
)
def test_detected(content: str, name: str, form: str) -> None:
    assert detect(io.BytesIO(content.encode()), name) == form


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ('{"input": "x", "expectedOutput": "y"}', "Choose langfuse_items, or flat"),
        ("input,expected_output\nx,y\n", "Choose langfuse_items, or flat"),
        ("unknown\nx\n", "neither JSON nor a table"),
        ("", "empty"),
        ("\ufeff\r\n", "empty"),
    ],
)
def test_a_sentence_asks_where_a_file_could_be_two_things(content: str, says: str) -> None:
    with pytest.raises(FileProblem, match=says):
        detect(io.BytesIO(content.encode()))


def test_a_preview_is_text_cut_and_has_every_column() -> None:
    content = "output,label\n" + "x" * 1000 + ",good\n" + "y,bad\n" * 50

    preview = columns_of(io.BytesIO(content.encode()), "csv", rows=3)

    assert (preview.columns, len(preview.rows), len(preview.rows[0]["output"])) == (
        ["output", "label"],
        3,
        201,
    )
    assert preview.suggested == {"output": "candidate", "label": "human"}


def test_a_preview_of_a_heading_alone_and_of_objects_of_many_names() -> None:
    heading = columns_of(io.BytesIO(b"output,label\n"), "csv")
    objects = columns_of(io.BytesIO(b'{"a": 1}\nbroken\n{"b": [null]}'), "flat")

    assert heading.columns == ["output", "label"]
    assert objects.rows == [{"a": "1", "b": ""}, {"a": "", "b": "[null]"}]


def test_no_mapping_is_suggested_of_a_form_of_its_own() -> None:
    assert columns_of(io.BytesIO(b'{"candidate": "x"}'), "vera").suggested == {}
