from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.domain.certification import (
    Decision,
    Evidence,
    Policy,
    Status,
    UnknownRule,
    decide,
    effective_status,
    summary_line,
)
from labeling.domain.agreement import Table

NOW = datetime(2026, 3, 29, 0, 59, 59, tzinfo=UTC)
POLICY = Policy()
GOOD = Table(28, 2, 2, 28)


def decision(table: Table = GOOD, policy: Policy = POLICY, **evidence: Any) -> Decision:
    return decide(policy, Evidence(table, NOW, **evidence), NOW)


def reasons(table: Table = GOOD, policy: Policy = POLICY, **evidence: Any) -> list[str]:
    return [str(reason) for reason in decision(table, policy, **evidence).reasons]


def warnings(table: Table = GOOD, policy: Policy = POLICY, **evidence: Any) -> list[str]:
    return [str(reason) for reason in decision(table, policy, **evidence).warnings]


def test_fifty_six_of_sixty_balanced_rows_certify() -> None:
    found = decision()

    assert found.certified
    assert found.kappa == Fraction(13, 15)  # 2(28·28 − 2·2)/(2·30·30)
    assert (found.n, found.n_pass, found.n_fail, found.coverage) == (60, 30, 30, Fraction(1))
    assert found.expires_at == NOW + timedelta(days=30)


def test_the_founding_eight_rows_are_refused_for_being_so_few() -> None:
    assert summary_line(decision(Table(4, 0, 0, 4)), POLICY.bar) == (
        "UNCERTIFIED  n=8  kappa=1.000 (bar 0.65)  agree=100%"
        "  too_few_rows: 8 of 30; too_few_of_one_class: 4 of 5"
    )


def test_forty_agreeing_rows_of_one_class_have_no_kappa() -> None:
    found = decision(Table(40, 0, 0, 0))

    assert found.kappa is None
    assert found.interval is None
    assert [reason.code for reason in found.reasons] == ["too_few_of_one_class", "undefined_kappa"]
    assert "kappa=undefined (bar 0.65)  agree=100%" in summary_line(found, POLICY.bar)


def test_the_line_of_a_certified_judge() -> None:
    assert summary_line(decision(Table(30, 1, 5, 12)), POLICY.bar) == (
        "CERTIFIED  n=48  kappa=0.711 (bar 0.65, 95% lower bound 0.493)  agree=88%"
    )


@pytest.mark.parametrize("table", [Table(0, 0, 0, 0), Table(1, 0, 0, 0), Table(0, 0, 1, 0)])
def test_no_rows_or_one_row_is_undefined_and_refused(table: Table) -> None:
    found = decision(table)

    assert not found.certified
    assert f"n={table.n}" in summary_line(found, POLICY.bar)


def test_exactly_thirty_rows_and_five_of_a_class_are_enough() -> None:
    assert reasons(Table(25, 0, 0, 5)) == []
    assert reasons(Table(5, 0, 0, 25)) == []


def test_exactly_the_bar_is_enough_and_a_hair_below_is_not() -> None:
    assert reasons(Table(165, 35, 35, 165)) == []  # kappa is exactly 13/20
    assert reasons(Table(2399, 508, 510, 2400)) == ["below_bar: 0.649 of 0.65"]


def test_rounding_never_lifts_a_kappa_to_the_bar() -> None:
    # 2(1649·1650 − 350·351)/(1999·2000 + 2000·2001) = 2598000·2/8000000 = 0.6495, which rounds to 0.650
    line = summary_line(decision(Table(1649, 350, 351, 1650)), POLICY.bar)

    assert line.startswith("UNCERTIFIED  n=4000  kappa=0.649 (bar 0.65")


def test_every_reason_is_listed_not_only_the_first() -> None:
    found = reasons(Table(10, 8, 3, 1), skipped_pass=5, run_complete=False)

    # kappa = 2(10·1 − 8·3)/(18·9 + 13·4) = −28/214; coverage = 22/27
    assert found == [
        "run_incomplete",
        "too_few_rows: 22 of 30",
        "too_few_of_one_class: 4 of 5",
        "below_bar: -0.131 of 0.65",
        "low_coverage: 81.4% of 95%",
    ]


@pytest.mark.parametrize(
    ("evidence", "reason"),
    [
        ({"run_complete": False}, "run_incomplete"),
        ({"skipped_pass": 3, "skipped_fail": 1}, "low_coverage: 93.7% of 95%"),
        ({"table": Table(26, 2, 0, 1)}, "too_few_of_one_class: 1 of 5"),
        ({"table": Table(15, 15, 0, 30)}, "below_bar: 0.500 of 0.65"),
    ],
)
def test_each_guard_refuses_with_its_reason(evidence: dict[str, Any], reason: str) -> None:
    assert reason in reasons(**evidence)


def test_coverage_of_exactly_the_demand_is_enough() -> None:
    table = Table(45, 2, 3, 45)  # 95 scored of 100

    assert reasons(table, skipped_pass=5) == []
    assert reasons(table, skipped_pass=6) == ["low_coverage: 94.0% of 95%"]


def test_a_judge_that_was_never_calibrated() -> None:
    found = decide(POLICY, None, NOW)

    assert [reason.code for reason in found.reasons] == ["never_calibrated"]
    assert (found.kappa, found.coverage, found.expires_at) == (None, None, None)


def test_what_lets_a_judge_pass_with_doubt_is_a_warning() -> None:
    assert warnings(Table(30, 1, 5, 12)) == ["bound_below_bar: 0.493 of 0.65"]
    # With every skip against the judge [[25, 5], [7, 26]]: 2(650 − 35)/(30·31 + 32·33) = 1230/1986
    assert warnings(Table(25, 4, 5, 26), skipped_pass=1, skipped_fail=2)[1:] == [
        "skips_worst_case: 0.619 of 0.65"
    ]
    assert warnings(unresolved=3) == ["unresolved_labels: 3"]
    assert warnings(human_kappa=0.5, ordering_violations=2) == [
        "ordering_violated: 2",
        "human_ceiling_low: 0.50",
    ]


def test_without_a_skip_there_is_no_worst_case_to_warn_of() -> None:
    assert warnings(Table(15, 15, 0, 30)) == []


def test_what_the_policy_demands_and_nobody_measured_blocks() -> None:
    demanding = replace(POLICY, demand_ordering=True, demand_human_ceiling=True)

    assert reasons(policy=demanding) == ["ordering_violated: not measured", "human_ceiling_low: not measured"]
    assert reasons(policy=demanding, ordering_violations=1, human_kappa=0.41) == [
        "ordering_violated: 1",
        "human_ceiling_low: 0.41",
    ]
    assert reasons(policy=demanding, ordering_violations=0, human_kappa=0.42) == []
    assert warnings(policy=demanding, ordering_violations=0, human_kappa=0.42) == ["human_ceiling_low: 0.42"]


def test_skips_count_as_disagreements_in_the_worst_case() -> None:
    found = decision(skipped_pass=1, skipped_fail=2)

    # [[28, 3], [4, 28]]: 2(784 − 12)/(31·31 + 32·32) = 1544/1985
    assert found.kappa_worst_case == Fraction(1544, 1985)


def test_a_rule_that_cannot_be_applied_certifies_nobody() -> None:
    with pytest.raises(UnknownRule, match="“luck” cannot be applied"):
        decision(policy=replace(POLICY, rule="luck"))


def test_a_certificate_is_over_in_the_second_it_expires() -> None:
    expires_at = NOW + timedelta(days=30)
    evidence = Evidence(GOOD, NOW)

    assert decide(POLICY, evidence, expires_at - timedelta(seconds=1)).certified
    assert str(decide(POLICY, evidence, expires_at).reasons[0]) == "expired"
    assert effective_status("certified", expires_at, expires_at - timedelta(seconds=1)) is Status.CERTIFIED
    assert effective_status("certified", expires_at, expires_at) is Status.UNCERTIFIED
    assert effective_status("uncertified", None, NOW) is Status.UNCERTIFIED


def test_messages_are_sentences_with_their_numbers() -> None:
    messages = [reason.message for reason in decision(Table(4, 0, 0, 4)).reasons]

    assert messages[0] == (
        "8 golden rows are scored and the policy asks for 30. Label 22 more and calibrate again."
    )
    assert "Only 4 of the scored rows are a fail" in messages[1]


@pytest.mark.parametrize(("count", "words"), [(1, "1 row is left out"), (2, "2 rows are left out")])
def test_rows_left_out_are_counted_in_words(count: int, words: str) -> None:
    assert decision(unresolved=count).warnings[-1].message.startswith(words)


counts = st.integers(0, 60)


@given(counts, counts, counts, counts, counts, counts)
def test_certified_means_that_every_guard_holds(a: int, b: int, c: int, d: int, e: int, f: int) -> None:
    table = Table(a, b, c, d)
    found = decision(table, skipped_pass=e, skipped_fail=f)

    chance = (a + b) * (b + d) + (a + c) * (c + d)
    holds = chance > 0 and 2 * (a * d - b * c) * 20 >= 13 * chance and table.n >= 30
    holds = holds and min(a + b, c + d) >= 5 and 20 * table.n >= 19 * (table.n + e + f)
    assert found.certified == holds


@given(counts, counts, counts, counts)
def test_a_line_can_always_be_written(a: int, b: int, c: int, d: int) -> None:
    found = decision(Table(a, b, c, d))

    assert summary_line(found, Decimal("0.650")).startswith(("CERTIFIED  n=", "UNCERTIFIED  n="))
