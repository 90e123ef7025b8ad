from judging.domain.disagreement import Patterns, pair_tables, questions, questions_in_turn, split_rows
from labeling.domain.agreement import Table

PATTERNS: Patterns = {
    ("pass", "pass", "pass"): 10,
    ("pass", "fail", "fail"): 4,
    ("fail", "fail", "fail"): 5,
    ("pass", "pass", "skipped"): 3,
    ("skipped", "fail", "pass"): 2,
    ("skipped", "skipped", "skipped"): 1,
}


def test_rows_that_some_pass_and_others_fail() -> None:
    assert split_rows(PATTERNS) == 6


def test_each_two_jurors_are_compared_where_both_gave_a_verdict() -> None:
    assert list(pair_tables(PATTERNS, 3)) == [
        (0, 1, Table(13, 4, 0, 5)),
        (0, 2, Table(10, 4, 0, 5)),
        (1, 2, Table(10, 0, 2, 9)),
    ]


def test_questions_when_all_are_asked_and_when_one_stops_early() -> None:
    # In turn: 10 × 2, 4 × 3, 5 × 2, 3 × 2, 2 × 3, and 1 × 2 as no majority is left to be had.
    assert questions(PATTERNS) == 75
    assert questions_in_turn(PATTERNS, "majority") == 56
    assert questions_in_turn(PATTERNS, "human") == 75
