"""A panel asked one juror after another says what it says when all are asked."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.domain.aggregation import JurorVerdict, PanelVerdict, juror_verdict, panel_verdict
from judging.domain.early_stop import ask_next, asked_in_turn, may_stop
from judging.domain.verdicts import Score
from tests.domain.specs import SPEC

VERDICTS: dict[str, JurorVerdict | None] = {
    "pass": juror_verdict(SPEC, [Score("clear", 5, ""), Score("correct", 1, "")]),
    "fail": juror_verdict(SPEC, [Score("clear", 1, ""), Score("correct", 0, "")]),
    "skipped": None,
}
ANSWERS = st.lists(st.sampled_from(sorted(VERDICTS)), min_size=1, max_size=9)


def said(answers: list[str], asked: int, on_split: str) -> PanelVerdict:
    """The panel's verdict when only the first `asked` were asked."""
    jurors = [VERDICTS[each] if turn < asked else None for turn, each in enumerate(answers)]
    return panel_verdict(jurors, on_split)  # type: ignore[arg-type]


@given(ANSWERS, st.sampled_from(["majority", "human"]))
def test_stopping_early_changes_neither_outcome_nor_reason(answers: list[str], on_split: str) -> None:
    asked = asked_in_turn(answers, on_split)  # type: ignore[arg-type]

    early, full = said(answers, asked, on_split), said(answers, len(answers), on_split)

    assert (early.outcome, early.reason) == (full.outcome, full.reason)


@given(ANSWERS)
def test_nobody_is_asked_whose_answer_is_known_not_to_matter(answers: list[str]) -> None:
    asked = asked_in_turn(answers)

    before = answers[: asked - 1]
    left = len(answers) - len(before)
    endings = {
        said([*before, *rest], len(answers), "majority").outcome for rest in product(VERDICTS, repeat=left)
    }

    assert len(endings) > 1


@given(ANSWERS)
def test_where_splits_go_to_people_everybody_is_asked(answers: list[str]) -> None:
    assert asked_in_turn(answers, "human") == len(answers)


@pytest.mark.parametrize(
    ("jurors", "answers", "stops"),
    [
        (3, "pass pass", True),
        (3, "fail fail", True),
        (3, "pass fail", False),
        (3, "pass skipped", False),
        (3, "skipped skipped", True),  # one juror is no majority of three
        (2, "pass", False),
        (2, "skipped", True),
        (4, "pass pass", False),
        (4, "pass pass pass", True),
        (4, "pass pass fail", False),
        (4, "pass fail skipped", True),
        (5, "pass pass", False),
        (1, "", False),
    ],
)
def test_when_the_rest_may_be_left_unasked(jurors: int, answers: str, stops: bool) -> None:
    assert may_stop(jurors, answers.split()) is stops


@given(ANSWERS)
def test_as_many_at_once_as_are_sure_to_be_needed_ask_nobody_more(answers: list[str]) -> None:
    asked = 0
    while more := ask_next(len(answers), answers[:asked]):
        asked += more

    assert asked == asked_in_turn(answers)


@pytest.mark.parametrize(
    ("jurors", "answers", "more"),
    [
        (3, "", 2),
        (3, "pass fail", 1),
        (3, "pass skipped", 1),
        (5, "", 3),
        (5, "pass pass fail", 1),
        (5, "pass skipped skipped", 1),  # without a verdict of the next, the last could change nothing
        (7, "", 4),
        (2, "", 1),  # had the first none, the second could change nothing
        (1, "", 1),
        (3, "pass pass", 0),
    ],
)
def test_how_many_are_asked_at_once(jurors: int, answers: str, more: int) -> None:
    assert ask_next(jurors, answers.split()) == more
