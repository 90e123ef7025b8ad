"""What changed between two criteria versions, and how a score is explained."""

from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.domain.aggregation import juror_verdict
from judging.domain.verdicts import Outcome, Score
from labeling.domain.criteria import CriteriaSpec, CriterionSpec
from labeling.domain.light_text import Block, blocks
from labeling.domain.spec_diff import compare
from labeling.domain.word_diff import word_diff
from labeling.domain.worked_example import worked_examples

KIND = CriterionSpec("kind", "Is kind to the reader.", minimum=1)
SHORT = CriterionSpec(
    "short", "Short.", required=False, minimum=None, strategy="max_words", params={"words": 90}
)
TONE = CriterionSpec("tone", "Friendly.", weight=3, scale_min=1, scale_max=5, minimum=4)


def kinds(before: list[CriterionSpec], after: list[CriterionSpec]) -> list[tuple[str, str]]:
    diff = compare(CriteriaSpec(tuple(before)), CriteriaSpec(tuple(after)))
    return [(each.criterion.name, each.kind) for each in diff.criteria]


words = st.text("ab é.,\n", max_size=30)


@given(words, words)
def test_a_word_diff_holds_both_texts(before: str, after: str) -> None:
    pieces = word_diff(before, after)

    assert "".join(piece.text for piece in pieces if piece.kind != "ins") == before
    assert "".join(piece.text for piece in pieces if piece.kind != "del") == after


def test_changed_words_stand_together() -> None:
    pieces = word_diff("Says nothing the notes do not say.", "Says nothing our minutes do not say.")

    assert [(piece.kind, piece.text) for piece in pieces] == [
        ("", "Says nothing "),
        ("del", "the notes"),
        ("ins", "our minutes"),
        ("", " do not say."),
    ]


def test_another_text_stands_whole_beside_the_one_before() -> None:
    pieces = word_diff("Every fact, in the notes.", "Says nothing, leaves the rest.")

    assert [piece.kind for piece in pieces] == ["del", "ins"]


def test_criteria_are_told_apart_by_what_became_of_them() -> None:
    assert kinds([KIND, SHORT], [KIND, TONE]) == [("kind", "same"), ("tone", "added"), ("short", "removed")]
    assert kinds([KIND, SHORT], [SHORT, KIND]) == [("short", "moved"), ("kind", "moved")]
    assert compare(CriteriaSpec((KIND,)), CriteriaSpec((KIND,))).is_empty


def test_what_changed_of_one_is_said_in_words() -> None:
    after = replace(SHORT, weight=2, params={"words": 60})

    diff = compare(CriteriaSpec((KIND, SHORT)), CriteriaSpec((KIND, after), Decimal("0.8")))

    assert diff.threshold is not None
    assert (diff.threshold.before, diff.threshold.after) == ("0.7", "0.8")
    assert [(each.name, each.before, each.after) for each in diff.criteria[1].fields] == [
        ("Weight", "1", "2"),
        (
            "Scored by",
            "a rule: the output has at most 90 words",
            "a rule: the output has at most 60 words",
        ),
    ]


@pytest.mark.parametrize(
    ("after", "wording"),
    [
        ([replace(KIND, description="Is kind."), SHORT], True),
        ([SHORT, KIND], True),
        ([replace(KIND, weight=2), SHORT], False),
        ([KIND], False),
        ([KIND, SHORT, TONE], False),
    ],
)
def test_what_is_wording_only(after: list[CriterionSpec], wording: bool) -> None:
    diff = compare(CriteriaSpec((KIND, SHORT)), CriteriaSpec(tuple(after)))

    assert diff.is_wording_only == wording


def test_another_name_for_the_same_is_a_change_of_name() -> None:
    diff = compare(CriteriaSpec((KIND, SHORT)), CriteriaSpec((replace(KIND, name="nice"), SHORT)))

    assert [(each.kind, each.was) for each in diff.criteria] == [("changed", "kind"), ("same", "")]


criteria = st.builds(
    CriterionSpec,
    name=st.sampled_from("abcdefgh"),
    description=st.just("Good."),
    weight=st.integers(1, 9),
    required=st.booleans(),
    scale_min=st.integers(-2, 0),
    scale_max=st.integers(2, 5),
    minimum=st.integers(0, 2),
)


@given(st.lists(criteria, min_size=1, max_size=4, unique_by=lambda each: each.name), st.decimals("0.1", 1))
def test_a_worked_example_says_what_a_judges_scores_would_lead_to(
    given_criteria: list[CriterionSpec], threshold: Decimal
) -> None:
    spec = CriteriaSpec(tuple(given_criteria), threshold)

    for worked in worked_examples(spec):
        verdict = juror_verdict(spec, [Score(step.name, step.score, "") for step in worked.steps])
        assert (worked.overall, worked.passes) == (verdict.overall, verdict.outcome is Outcome.PASS)


def test_the_sum_is_written_out() -> None:
    barely, spoiled = worked_examples(CriteriaSpec((KIND, TONE), Decimal("0.8")))

    assert barely.sum == "(1 × 100 % + 3 × 75 %) ÷ 4 = 81.25 %"
    assert barely.why.startswith("81.25 % reaches the pass threshold of 80 %, and every required")
    assert spoiled.spoiled == "kind"
    assert "75 % is below the pass threshold of 80 %, and a required criterion" in spoiled.why


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# Tone\nBe fair.\nAlways.", [("heading", ("Tone",)), ("paragraph", ("Be fair.", "Always."))]),
        ("- one\n  goes on\n- two", [("items", ("one goes on", "two"))]),
        ("#1 is best\n\n\n<b>x</b>", [("paragraph", ("#1 is best",)), ("paragraph", ("<b>x</b>",))]),
        (" \n", []),
    ],
)
def test_guidelines_have_light_structure(text: str, expected: list[tuple[str, tuple[str, ...]]]) -> None:
    assert blocks(text) == [Block(kind, lines) for kind, lines in expected]  # type: ignore[arg-type]
