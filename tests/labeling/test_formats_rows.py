"""The vera and jsonl row forms: what they hold, what they refuse, and writing what was read."""

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeling.domain.verdicts import HumanVerdict
from labeling.formats import jsonl, vera
from labeling.formats.detect import READERS, detect
from labeling.formats.rows import Decision, FileProblem, Opinion, Refused, Row

PASS, FAIL = HumanVerdict.PASS, HumanVerdict.FAIL
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=30)


def read(fields: dict[str, Any], form: str = "vera") -> Row | Refused:
    (row,) = READERS[form](io.BytesIO(json.dumps(fields).encode()))
    return row


def row_of(fields: dict[str, Any], form: str = "vera") -> Row:
    row = read(fields, form)
    assert isinstance(row, Row), row
    return row


@pytest.mark.parametrize(("word", "verdict"), [("PASS", PASS), ("KILL", FAIL), ("Fail", FAIL)])
def test_a_vera_row(word: str, verdict: HumanVerdict) -> None:
    row = row_of({"candidate": "Hi.", "criteria": "Greet.", "human": word, "note": "why", "agent": "greeter"})

    assert (row.output, row.criteria_text, row.meta) == ("Hi.", "Greet.", {"agent": "greeter"})
    assert row.opinions == (Opinion(verdict, comment="why"),)


@pytest.mark.parametrize("fields", [{}, {"human": None}, {"human": None, "note": "later"}])
def test_a_vera_row_without_a_verdict_is_a_candidate(fields: dict[str, Any]) -> None:
    row = row_of({"candidate": ""} | fields)

    assert row.opinions == ()
    assert row.meta == {name: value for name, value in fields.items() if name == "note"}


def test_a_jsonl_row() -> None:
    a1 = {"annotator": "a1", "verdict": "pass", "scores": {"clear": 1, "short": None}, "comment": "fine"}
    silent = {"annotator": "a2", "verdict": None}
    final = {"annotator": "Gold", "verdict": "fail", "comment": "settled", "blind": False}
    row = row_of({"candidate": "Hi.", "human": [a1, silent, final], "judges": [{}, {}]}, "jsonl")

    assert row.opinions == (Opinion(PASS, "a1", "fine", scores={"clear": 1}),)
    assert row.decision == Decision(FAIL, "settled", blind=False)
    assert (row.silent_annotators, row.judge_verdicts) == (1, 2)


def test_blind_holds_for_the_whole_row_unless_an_entry_says_otherwise() -> None:
    people = [
        {"annotator": "a1", "verdict": "pass"},
        {"annotator": "a2", "verdict": "pass", "blind": True},
    ]
    row = row_of({"candidate": "Hi.", "blind": False, "human": people}, "jsonl")

    assert [opinion.blind for opinion in row.opinions] == [False, True]


@pytest.mark.parametrize(
    ("fields", "field", "says"),
    [
        ({"candidate": None}, "candidate", "no candidate"),
        ({"candidate": {"a": 1}}, "candidate", "must be text, not an object"),
        ({"candidate": "a\0"}, "candidate", "NUL character at character 2"),
        ({"grounding": "\ud83d"}, "grounding", "lone surrogate (U+D83D)"),
        ({"human": "MAYBE"}, "human", "'MAYBE' is not a verdict"),
        ({"human": "PASS", "labels": [{}]}, "labels", "both human and labels"),
        ({"human": "PASS", "blind": "no"}, "blind", "true or false"),
        ({"split": "train"}, "split", "write “tune” or “certify”"),
        ({"id": "x" * 201}, "id", "at most 200"),
        ({"criteria": []}, "criteria", "not a list"),
        ({"criteria": [{"name": "a"}]}, "criteria[1]", "name and description"),
        ({"criteria": [{"name": "a", "description": "b", "wight": 2}]}, "criteria[1]", "'wight'"),
        ({"criteria": [{"name": "a", "description": "b", "scale": [1]}]}, "criteria[1].scale", "two whole"),
        ({"criteria": [{"name": "a", "description": "b", "weight": True}]}, "criteria[1].weight", "whole"),
        ({f"column {number}": "" for number in range(5000)}, "", "5000 further columns; at most 200"),
        ({"source": ["\0"]}, "source", "NUL"),
        ({"so\0urce": 1}, "meta", "NUL"),
        ({"criteria": [{"name": "a", "description": "\0"}]}, "criteria[1]", "NUL"),
        ({"meta": {"source": 1}, "source": 2}, "meta", "both a column and a key"),
        ({"labels": [{"annotator": "a\u202eb", "verdict": "pass"}]}, "labels[1].annotator", "no name"),
        ({"labels": [{"annotator": "a", "verdict": "pass"}] * 2}, "labels[2]", "'a' appears twice"),
        ({"labels": [{"annotator": "gold", "verdict": "pass"}] * 2}, "labels[2]", "two final verdicts"),
        ({"labels": [{"annotator": "a", "verdict": "unresolved"}]}, "labels[1].verdict", "not a verdict"),
        (
            {"labels": [{"annotator": "a", "verdict": "pass", "scores": {"x": 0.5}}]},
            "labels[1].scores",
            "whole",
        ),
    ],
)
def test_refused_by_field_and_reason(fields: dict[str, Any], field: str, says: str) -> None:
    refused = read({"candidate": "Hi."} | fields)

    assert isinstance(refused, Refused)
    assert (refused.line, refused.field) == (1, field)
    assert says in refused.reason


def test_metadata_nested_too_deeply_is_refused() -> None:
    nested: dict[str, Any] = {}
    for _ in range(30):
        nested = {"in": nested}

    refused = read({"candidate": "Hi.", "source": nested})

    assert isinstance(refused, Refused)
    assert "20 levels" in refused.reason


def test_a_pairwise_file_is_refused_as_such() -> None:
    with pytest.raises(FileProblem, match="pairwise"):
        read({"candidate_a": "Hi.", "candidate_b": "Ho.", "human": []}, "jsonl")


@pytest.mark.parametrize(
    ("fields", "form"),
    [
        ({"candidate": "a", "human": "PASS"}, "vera"),
        ({"candidate": "a"}, "vera"),
        ({"candidate": "a", "human": []}, "jsonl"),
        ({"candidate": "a", "judges": []}, "jsonl"),
        ({"candidate": "a", "criteria": [{"name": "x", "description": "y"}]}, "jsonl"),
    ],
)
def test_auto_looks_at_the_first_readable_row(fields: dict[str, Any], form: str) -> None:
    assert detect(io.BytesIO(b'{"broken\n' + json.dumps(fields).encode())) == form


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
OPINIONS = st.lists(
    st.builds(
        Opinion,
        st.sampled_from(HumanVerdict),
        st.sampled_from(["a1", "ü 2", "a3@x"]),
        TEXT,
        st.booleans(),
        st.dictionaries(TEXT, st.integers(0, 9), max_size=2),
    ),
    unique_by=lambda opinion: opinion.annotator,
    max_size=3,
).map(tuple)
ROWS = st.builds(
    Row,
    line=st.just(1),
    output=TEXT,
    request=TEXT,
    grounding=TEXT,
    criteria_text=TEXT,
    external_id=TEXT,
    split=st.sampled_from(["", "tune", "certify"]),
    probability=st.none() | st.floats(1e-6, 1),
    generator_model=TEXT,
    truncated=st.booleans(),
    meta=st.dictionaries(TEXT, JSON, max_size=3),
    opinions=OPINIONS,
    decision=st.none() | st.builds(Decision, st.none() | st.sampled_from(HumanVerdict), TEXT, st.booleans()),
)


@given(ROWS)
def test_what_is_written_reads_back_the_same(row: Row) -> None:
    for form in (jsonl, vera):
        written = "".join(form.write([row]))

        assert list(form.read(io.BytesIO(written.encode()))) == [row]


def test_criteria_read_back_the_same() -> None:
    stated = [
        {"name": "clear", "description": "Clear."},
        {"name": "tone", "description": "Kind.", "weight": 2, "required": False, "scale": [1, 5]},
        {"name": "short", "description": "Short.", "scale": [1, 5], "minimum": 3},
        {"name": "json", "description": "JSON.", "strategy": "valid_json"},
    ]
    row = row_of({"candidate": "Hi.", "criteria": stated, "threshold": 0.8}, "jsonl")

    written = json.loads("".join(jsonl.write([row])))

    assert (written["criteria"], written["threshold"]) == (stated, 0.8)
