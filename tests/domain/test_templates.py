"""The published prompt templates: what they say never changes, and each judge version keeps its own."""

import hashlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.domain.correction import CORRECTABLE
from judging.domain.examples import Example, Examples
from judging.domain.prompt import NEWEST, TEMPLATES, UnknownTemplate, build_messages, response_schema
from judging.domain.reasons import SkipReason
from tests.domain.specs import SPEC

BOUNDARY = "5f3e9a7c1b2d4e6f8091a2b3c4d5e6f7"
ROWS = (
    Example("a" * 64, "Ask.", "Answer.", "Facts.", "", "pass", "Well said.", {"correct": 1, "clear": 9}),
    Example("b" * 64, "", "Other.", "", "Be brief.", "fail"),
)
EXAMPLES = Examples("replies", 1, "0" * 32, ROWS)


def sha256(said: Any) -> str:
    return hashlib.sha256(json.dumps(said, ensure_ascii=False).encode()).hexdigest()


def asked(template: str, examples: Examples | None = None) -> list[dict[str, str]]:
    return build_messages(template, SPEC, "R-text", "C-text", "G-text", "T-text", BOUNDARY, examples)


def test_juror_1_asks_what_it_has_always_asked() -> None:
    bare = build_messages("juror-1", SPEC, "", "", "", "", BOUNDARY)

    assert (
        sha256([asked("juror-1"), bare, response_schema(SPEC, "juror-1")])
        == "30734e0505090b9d8d727fa3603a94077ce2b99ffff22206386c45381d70ee38"
    ), "juror-1 is published: put the new wording into a template of its own"


def test_juror_2_asks_what_it_has_always_asked() -> None:
    correction = TEMPLATES["juror-2"].correction
    assert correction is not None
    codes = "not_json missing_criterion unknown_criterion out_of_scale duplicate_key empty_reply"
    said = [correction(SkipReason(code), SPEC) for code in codes.split()]

    assert (
        sha256([asked("juror-2"), asked("juror-2", EXAMPLES), response_schema(SPEC, "juror-2"), said])
        == "673b7c27feb2bb3c889ca7056bdabcf66a2038b5ec3dfb14396a46a430b8e212"
    ), "juror-2 is published: put the new wording into a template of its own"


def test_a_template_that_this_release_does_not_have_is_never_replaced_by_another() -> None:
    with pytest.raises(UnknownTemplate, match="“juror-9”, which this release of Vera does not have"):
        asked("juror-9")


def test_juror_1_shows_no_examples_and_never_asks_again() -> None:
    assert asked("juror-1", EXAMPLES) == asked("juror-1")
    assert TEMPLATES["juror-1"].correction is None


def test_juror_2_asks_for_the_reason_before_the_score() -> None:
    entry = response_schema(SPEC, "juror-2")["properties"]["criteria"]["items"]["anyOf"][0]

    assert list(entry["properties"]) == entry["required"] == ["name", "reason", "score"]
    assert asked("juror-2")[0]["content"].index('"reason"') < asked("juror-2")[0]["content"].index('"score"')


def test_each_reply_that_may_be_put_right_has_its_sentence() -> None:
    for template in TEMPLATES.values():
        if template.correction is not None:
            assert len({template.correction(code, SPEC) for code in CORRECTABLE}) == len(CORRECTABLE)


rows = st.builds(
    Example,
    st.just("c" * 64),
    *[st.text()] * 4,
    st.sampled_from(["pass", "fail"]),
    st.text(),
    st.dictionaries(st.sampled_from(["correct", "clear", "gone"]), st.integers(-1, 9)),
)


@given(st.lists(rows, min_size=1, max_size=3), *[st.text()] * 4, st.sampled_from(list(TEMPLATES)))
def test_the_system_message_depends_on_the_criteria_and_the_judge_alone(
    shown: list[Example], request: str, candidate: str, grounding: str, criteria_text: str, template: str
) -> None:
    examples = Examples("replies", 1, "0123456789abcdef" * 2, tuple(shown))
    boundary = BOUNDARY[::-1]

    one = build_messages(template, SPEC, request, candidate, grounding, criteria_text, boundary, examples)

    assert one[0] == asked(template, examples)[0]
    assert [message["role"] for message in one] == ["system", "user"]


@given(st.lists(rows, min_size=1, max_size=3))
def test_what_people_wrote_stands_inside_the_examples_fences(shown: list[Example]) -> None:
    boundary = "0123456789abcdef" * 2
    system = asked("juror-2", Examples("replies", 1, boundary, tuple(shown)))[0]["content"]

    for place, row in enumerate(shown, 1):
        begin = system.index(f"=== BEGIN CASE {place} CANDIDATE {boundary} ===\n")
        end = system.index(f"\n=== END CASE {place} CANDIDATE {boundary} ===", begin)
        assert system[begin:end].endswith(row.candidate)


def test_people_s_verdict_is_said_in_words_and_marks_only_where_there_are_some_that_fit() -> None:
    system = asked("juror-2", EXAMPLES)[0]["content"]

    assert "The people's verdict on case 1: pass.\n\nTheir marks on it: correct 1.\n" in system
    assert "The people's verdict on case 2: fail.\n\nThe next message" in system
    assert NEWEST == "juror-2"
