"""How often Layer 1 kills what people pass: shares with exact intervals, and what to say without rows."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from judging.domain.false_kills import EVERY_CHECK, CheckKills, above, all_checks, counted, per_check, rows_of
from labeling.domain.agreement import Undefined

ONE_PER_CENT = Decimal(1)
# 41 rows that people pass, 20 that they fail.
KILLS = {"": [37, 12], "unmarked_failure": [3, 4], "empty_output": [0, 4], "schema_violation": [1, 0]}


def test_the_counts_of_rows_one_by_one() -> None:
    rows = [("", "pass"), ("leak", "fail"), ("leak", "pass"), ("", "pass")]

    assert counted(rows) == {"": [2, 0], "leak": [1, 1]}


def test_every_check_is_held_against_all_rows_that_people_pass() -> None:
    found = per_check(KILLS, ["empty_output", "error_page"])

    assert [(each.check, each.false_kills, each.true_kills) for each in found] == [
        ("empty_output", 0, 4),
        ("error_page", 0, 0),
        ("schema_violation", 1, 0),
        ("unmarked_failure", 3, 4),
    ]
    assert {each.good_rows for each in found} == {41}
    assert rows_of(KILLS) == (41, 20)
    assert all_checks(KILLS) == CheckKills(EVERY_CHECK, 4, 8, 41)


def test_rate_and_precision_carry_their_exact_intervals() -> None:
    check = CheckKills("unmarked_failure", 3, 4, 41)

    assert (check.rate.value, check.rate.n) == (3 / 41, 41)
    assert (check.rate.low, check.rate.high) == pytest.approx(proportion_confint(3, 41, method="beta"))
    assert (check.precision.value, check.precision.n) == (4 / 7, 7)
    assert (check.precision.low, check.precision.high) == pytest.approx(
        proportion_confint(4, 7, method="beta")
    )


def test_none_of_300_is_no_proof_of_never() -> None:
    rate = CheckKills("empty_output", 0, 9, 300).rate

    assert (rate.value, rate.low) == (0, 0)
    assert rate.high == pytest.approx(1 - 0.025 ** (1 / 300))  # by hand: (1 − p)^300 = 2.5 %


def test_without_rows_there_is_no_share() -> None:
    with pytest.raises(Undefined, match="People pass none"):
        _ = CheckKills("empty_output", 0, 3, 0).rate
    with pytest.raises(Undefined, match="kills none"):
        _ = CheckKills("empty_output", 0, 0, 41).precision
    assert above({"": [0, 3], "empty_output": [0, 2]}, ONE_PER_CENT) == []
    assert above({}, ONE_PER_CENT) == []


@pytest.mark.parametrize(
    ("false_kills", "good", "named", "surely"),
    [
        (0, 41, False, False),
        (1, 41, True, False),
        (1, 100, False, False),  # exactly the limit is not above it
        (2, 199, True, False),
        (12, 200, True, True),
    ],
)
def test_a_check_is_named_by_its_share_and_its_interval_says_how_surely(
    false_kills: int, good: int, named: bool, surely: bool
) -> None:
    check = CheckKills("leak", false_kills, 5, good)

    assert check.is_above(ONE_PER_CENT) is named
    assert check.is_surely_above(ONE_PER_CENT) is surely


def test_a_limit_of_nothing_still_wants_a_false_kill() -> None:
    assert [each.check for each in above(KILLS, Decimal(0))] == ["unmarked_failure", "schema_violation"]


@given(st.dictionaries(st.sampled_from(["", "a", "b", "c"]), st.tuples(*[st.integers(0, 50)] * 2)))
def test_the_checks_add_up_to_all_together(kills: dict[str, tuple[int, int]]) -> None:
    each, together = per_check(kills, ["a", "d"]), all_checks(kills)

    assert sum(one.false_kills for one in each) == together.false_kills
    assert sum(one.kills for one in each) == together.kills
    assert together.false_kills <= together.good_rows == rows_of(kills)[0]
