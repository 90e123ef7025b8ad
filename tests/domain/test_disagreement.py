from judging.domain.disagreement import (
    Patterns,
    pair_tables,
    questions,
    questions_to_all,
    spared_in_turn,
    split_rows,
)
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


def test_questions_are_counted_seat_by_seat() -> None:
    assert questions(PATTERNS) == questions_to_all(PATTERNS) == 75


def test_the_last_seats_are_spared() -> None:
    # The third juror where the first two agree: 10 + 5 + 3; and where two are silent already: 1.
    assert spared_in_turn(PATTERNS, "majority") == [0, 0, 19]
    assert spared_in_turn(PATTERNS, "human") == [0, 0, 0]
    assert spared_in_turn({}, "majority") == []


def test_where_a_juror_was_left_unasked_nothing_more_could_be_spared() -> None:
    patterns: Patterns = {
        ("pass", "pass", "not_asked"): 6,
        ("fail", "not_asked", "fail"): 2,
        ("pass", "fail", "pass"): 1,
    }

    assert spared_in_turn(patterns, "majority") == [0, 0, 0]
    assert questions(patterns) == 19
    assert questions_to_all(patterns) == 27
    assert split_rows(patterns) == 1
    assert next(iter(pair_tables(patterns, 3))) == (0, 1, Table(6, 1, 0, 0))
