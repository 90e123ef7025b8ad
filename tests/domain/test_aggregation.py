from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.domain.aggregation import (
    JurorVerdict,
    PanelVerdict,
    juror_verdict,
    panel_verdict,
    score_by_rules,
)
from judging.domain.reasons import SkipReason
from judging.domain.verdicts import Outcome, Score
from labeling.domain.criteria import CriteriaSpec, CriterionSpec
from labeling.domain.rules import UnknownStrategy
from tests.domain.specs import CORRECT, SPEC

BRIEF = CriterionSpec("brief", "At most 3 words.", strategy="max_words", params={"words": 3}, minimum=1)


def verdict(correct: int, clear: int) -> JurorVerdict:
    return juror_verdict(
        SPEC, [Score("clear", clear, f"clear is {clear}"), Score("correct", correct, f"correct is {correct}")]
    )


def panel(*outcomes: str, on_split: str = "majority") -> PanelVerdict:
    votes = {"pass": verdict(1, 5), "fail": verdict(0, 2), "skip": None}
    return panel_verdict([votes[outcome] for outcome in outcomes], on_split)  # type: ignore[arg-type]


def test_overall_is_the_weighted_mean_of_normalised_scores() -> None:
    # correct 1 on 0–1 → 1, weight 2; clear 2 on 1–5 → 1/4, weight 1: (2·1 + 1/4)/3 = 3/4
    found = verdict(1, 2)

    assert found.overall == Fraction(3, 4)
    assert found.outcome is Outcome.PASS
    assert [score.name for score in found.scores] == ["correct", "clear"]
    assert found.failed == ("clear",)  # 1/4 is below the threshold of .7, and clear has no minimum of its own


def test_the_threshold_is_compared_exactly() -> None:
    # Seven of ten equal criteria are exactly .7, which a sum of ten floats of .1 is not.
    criteria = tuple(CriterionSpec(f"c{i}", "x", required=False) for i in range(10))
    scores = [Score(f"c{i}", int(i < 7), "") for i in range(10)]

    assert juror_verdict(CriteriaSpec(criteria, Decimal("0.7")), scores).outcome is Outcome.PASS
    assert juror_verdict(CriteriaSpec(criteria, Decimal("0.70001")), scores).outcome is Outcome.FAIL


def test_strengths_cannot_offset_a_required_criterion() -> None:
    heavy = CriterionSpec("heavy", "x", weight=99, required=False)
    spec = CriteriaSpec((CORRECT, heavy))

    found = juror_verdict(spec, [Score("correct", 0, ""), Score("heavy", 1, "")])

    assert found.overall is not None
    assert found.overall > Fraction(9, 10)
    assert (found.outcome, found.failed) == (Outcome.FAIL, ("correct",))


def test_an_optional_criterion_below_its_minimum_is_a_shortfall_and_no_fail() -> None:
    optional = CriterionSpec("nice", "x", required=False, scale_min=1, scale_max=5, minimum=3)
    spec = CriteriaSpec((CORRECT, optional), Decimal("0.5"))

    found = juror_verdict(spec, [Score("correct", 1, ""), Score("nice", 2, "")])

    assert (found.outcome, found.failed) == (Outcome.PASS, ("nice",))


@pytest.mark.parametrize("names", [["correct"], ["correct", "clear", "clear"], ["correct", "charm"]])
def test_a_verdict_needs_one_score_per_criterion(names: list[str]) -> None:
    with pytest.raises(ValueError, match="exactly one score"):
        juror_verdict(SPEC, [Score(name, 1, "") for name in names])


def test_rules_score_in_code_and_say_why() -> None:
    spec = CriteriaSpec((CORRECT, BRIEF))

    assert score_by_rules(spec, "one two three") == (Score("brief", 1, ""),)
    assert score_by_rules(spec, "one two three four") == (
        Score("brief", 0, "The output has 4 words; at most 3 are allowed."),
    )


def test_an_unknown_strategy_is_an_error() -> None:
    odd = CriteriaSpec((CORRECT, CriterionSpec("odd", "x", strategy="vibes", minimum=1)))

    with pytest.raises(UnknownStrategy, match="“vibes” is no strategy"):
        score_by_rules(odd, "text")


@pytest.mark.parametrize(
    ("votes", "outcome", "confidence"),
    [
        ("pass pass pass", "pass", Fraction(1)),
        ("pass pass fail", "pass", Fraction(2, 3)),
        ("pass fail fail", "fail", Fraction(2, 3)),
        ("pass pass skip", "pass", Fraction(2, 3)),
        ("pass fail skip", "skipped", None),
        ("pass skip skip", "skipped", None),
        ("pass fail", "skipped", None),
        ("pass pass fail fail", "skipped", None),
        ("skip skip skip", "skipped", None),
        ("fail", "fail", Fraction(1)),
    ],
)
def test_a_strict_majority_of_the_configured_jurors(
    votes: str, outcome: str, confidence: Fraction | None
) -> None:
    found = panel(*votes.split())

    assert (found.outcome, found.confidence) == (outcome, confidence)
    assert found.reason == (SkipReason.NO_MAJORITY if outcome == "skipped" else None)


@pytest.mark.parametrize(
    ("votes", "outcome"),
    [
        ("pass pass fail", "escalated"),
        ("pass fail skip", "escalated"),
        ("pass pass skip", "pass"),
        ("pass skip skip", "skipped"),
    ],
)
def test_splits_can_go_to_people(votes: str, outcome: str) -> None:
    assert panel(*votes.split(), on_split="human").outcome == outcome


def test_panel_scores_are_medians_of_the_scored_jurors() -> None:
    found = panel_verdict([verdict(1, 5), verdict(0, 2), None])

    assert found.scores == {"correct": Fraction(1, 2), "clear": Fraction(7, 2)}


def test_feedback_is_what_the_failing_side_found_wanting() -> None:
    found = panel_verdict([verdict(0, 5), verdict(0, 1), verdict(1, 2)])

    assert [(shortfall.name, shortfall.jurors) for shortfall in found.shortfalls] == [
        ("correct", 2),
        ("clear", 1),
    ]
    assert [str(shortfall) for shortfall in found.shortfalls] == [
        "correct: correct is 0",
        "clear: clear is 1",
    ]


def test_a_panel_without_jurors_is_an_error() -> None:
    with pytest.raises(ValueError, match="at least one"):
        panel_verdict([])


@given(st.lists(st.sampled_from(["pass", "fail", "skip"]), min_size=1, max_size=9))
def test_a_skip_never_helps_a_verdict(votes: list[str]) -> None:
    more = panel(*votes, "skip")

    assert more.outcome in (panel(*votes).outcome, Outcome.SKIPPED)
