"""The rule `bound`: certified at planned looks, held or lost between them, and what a refusal says to do."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from statistics import NormalDist
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.domain.attempts import Attempt, Event, find
from judging.domain.certification import Decision, Evidence, Policy, decide
from judging.domain.looks import Plan, alpha_spent, attempt_alpha
from judging.domain.measured import Measured
from labeling.domain.agreement import Table
from labeling.domain.agreement.drawn import Stratum
from tests.domain.tables import nonempty_tables

NOW = datetime(2026, 3, 29, tzinfo=UTC)
POLICY = Policy(rule="bound")
GOOD, FAIR = Table(29, 1, 1, 29), Table(27, 3, 3, 27)  # z 2.88 and 1.53 at 60 rows
FIRST = NormalDist().inv_cdf(1 - alpha_spent(30 / 400))  # 2.509 at a look with 30 rows
LOOK_30 = Event(30, 1, 2.6, FIRST)


def decision(
    table: Table, events: Sequence[Event] = (), *, may_look: bool = True, attempt: int = 1, **evidence: Any
) -> Decision:
    where = Attempt(Plan(POLICY.looks, POLICY.n_max, attempt), events, may_look)
    return decide(POLICY, Evidence(table, NOW, attempt=where, **evidence), NOW)


def says(found: Decision) -> str:
    (reason,) = found.reasons
    return reason.message


def test_thirty_agreeing_rows_of_both_kinds_are_enough_at_the_first_look() -> None:
    found = decision(Table(15, 0, 0, 15))

    # z(.65) = .35·√(30/.5775) = 2.5226
    assert found.certified
    assert found.finding.z == pytest.approx(2.5226, abs=1e-4)
    assert found.finding.boundary == pytest.approx(2.5086, abs=1e-4)
    assert (found.finding.look, found.finding.next_look) == (1, 60)
    assert found.finding.low == pytest.approx(0.6532, abs=1e-4)


def test_thirty_agreeing_rows_of_nearly_one_kind_are_not() -> None:
    found = decision(Table(25, 0, 0, 5))  # a checked vector: z 1.8542

    assert [str(reason) for reason in found.reasons] == ["bound_below_bar: z 1.854 of 2.509"]
    assert found.kappa == 1


def test_a_look_that_does_not_show_it_says_how_far_and_what_next() -> None:
    # z = .15·√(60/.5775). With both pass rates ½ the bound solves (.8 − x)² = 2.2746²·(1 − x²)/60.
    assert says(decision(FAIR)) == (
        "At look 2 of 7, with 60 rows, kappa is not shown to be above the bar of 0.65: its statistic is "
        "1.528 and must reach 2.275, and the lower bound that holds at all looks is 0.556. The next look is "
        "at 100 scored rows: label 40 more, then calibrate again."
    )


def test_nothing_is_shown_before_the_first_look() -> None:
    found = decision(Table(10, 0, 0, 10))

    assert [str(reason) for reason in found.reasons] == [
        "too_few_rows: 20 of 30",
        "bound_below_bar: no look taken",
    ]
    assert "The next look is at 30 scored rows: label 10 more" in found.reasons[1].message


def test_a_judge_that_was_shown_keeps_it_between_looks() -> None:
    found = decision(Table(17, 0, 0, 17), [LOOK_30])

    assert found.certified
    assert (found.finding.look, found.finding.next_look) == (None, 60)
    assert found.finding.boundary == FIRST


def test_a_renewal_on_the_same_rows_is_no_new_look() -> None:
    assert decision(Table(15, 0, 0, 15), [LOOK_30]).certified
    assert decision(Table(15, 0, 0, 15), [LOOK_30]).finding.look is None


def test_a_judge_that_was_shown_falls_between_looks_once_it_is_under_that_boundary() -> None:
    found = decision(Table(17, 1, 1, 17), [LOOK_30])

    assert "was shown to be above the bar of 0.65, and with the rows as they are now it is not" in says(found)
    assert "label 24 more" in says(found)


def test_between_looks_nothing_rises_again() -> None:
    fell = Event(36, None, 1.9, FIRST)

    assert "or a count since took that back" in says(decision(Table(20, 0, 0, 20), [LOOK_30, fell]))
    assert decision(Table(30, 0, 0, 30), [LOOK_30, fell]).certified  # the look at 60


def test_the_last_look_decides_not_an_earlier_one() -> None:
    looks = [LOOK_30, Event(60, 2, 2.2, 2.456)]

    assert "The last look did not show" in says(decision(Table(40, 0, 0, 40), looks))


def test_recounts_and_retries_take_no_look() -> None:
    found = decision(GOOD, may_look=False)

    assert found.finding.look is None
    assert says(found) == (
        "This rule certifies at planned looks only, and no look was taken yet. The look at 60 rows is due: "
        "calibrate again."
    )
    assert decision(Table(15, 0, 0, 15), [LOOK_30], may_look=False).certified
    assert not decision(Table(15, 1, 0, 15), [LOOK_30], may_look=False).certified


def test_beyond_the_plan_a_state_may_only_fall() -> None:
    beyond, last = Table(250, 1, 1, 250), Event(400, 7, 9.0, 2.05)

    assert decision(beyond, [last]).certified
    fallen = decision(beyond, [replace(last, z=1.0)])
    assert not fallen.certified
    assert "502 rows are more than the 400 that were planned. No look is left" in says(fallen)
    assert "have a new version of the judge begin by it" in says(fallen)


def test_a_judge_that_took_no_look_is_not_bound_to_the_plan_that_its_rows_are_beyond() -> None:
    found = decision(Table(250, 1, 1, 250))

    assert "502 rows are more than the 400 that were planned." in says(found)
    assert says(found).endswith("plan more rows in the policy, then calibrate again.")


def test_a_later_version_of_the_judge_has_to_show_more() -> None:
    # α₂ = .05·6/(4π²), spent as the first version's.
    higher = NormalDist().inv_cdf(1 - alpha_spent(0.15, attempt_alpha(2)))

    assert decision(GOOD, attempt=1).certified
    assert not decision(GOOD, attempt=2).certified
    assert decision(GOOD, attempt=2).finding.boundary == pytest.approx(higher)


def test_skips_that_could_hide_a_weak_judge_block_here_and_only_warn_under_point() -> None:
    # With the skips against it [[40, 9], [9, 40]]: kappa 62/98 = .633.
    patient = replace(POLICY, min_coverage=Decimal("0.8"))
    evidence = Evidence(Table(40, 1, 1, 40), NOW, skipped_pass=8, skipped_fail=8)

    blocked = decide(patient, evidence, NOW)
    warned = decide(replace(patient, rule="point"), evidence, NOW)

    assert [str(reason) for reason in blocked.reasons] == ["skips_worst_case: 0.633 of 0.65"]
    assert warned.certified
    assert [str(reason) for reason in warned.warnings] == ["skips_worst_case: 0.633 of 0.65"]


def test_answers_to_one_request_make_z_smaller() -> None:
    alone, alike = decision(GOOD), decision(GOOD, design_effect=2.0)

    assert alone.finding.z is not None
    assert alike.finding.z == pytest.approx(alone.finding.z / 2**0.5)
    assert alone.certified
    assert not alike.certified
    assert decision(GOOD, design_effect=0.5).finding == alone.finding
    assert (alike.interval, alike.lower_bound) == (alone.interval, alone.lower_bound)


def test_rows_drawn_unequally_are_tested_on_fishers_scale() -> None:
    strata = (Stratum(0.5, Table(30, 1, 0, 29)), Stratum(1.0, Table(20, 1, 1, 18)))
    found = decision(Table(50, 2, 1, 47), strata=strata, worst_strata=strata)
    measured = Measured(Table(50, 2, 1, 47), strata)

    assert found.certified
    assert found.finding.z == pytest.approx(measured.z(POLICY.bar))
    assert found.finding.boundary is not None
    assert found.finding.low == pytest.approx(measured.lower_at(found.finding.boundary))


def test_looks_go_by_what_rows_drawn_unequally_count_like() -> None:
    # (38 + 200)²/(38 + 2000) = 27.8
    rows = (Stratum(1.0, Table(18, 1, 1, 18)), Stratum(0.1, Table(10, 0, 0, 10)))

    found = decision(Table(28, 1, 1, 28), strata=rows, worst_strata=rows)

    reason = found.reasons[-1]
    assert (found.n, found.finding.look, found.finding.next_look) == (58, None, 30)
    assert reason.code == "bound_below_bar"
    assert reason.message.endswith(
        "The next look is at 30 rows drawn evenly, and those there are count like 27: label about 7 more, "
        "drawn as these were, then calibrate again."
    )


def test_rows_drawn_unequally_without_an_error_show_no_doubt_and_so_nothing() -> None:
    strata = (Stratum(0.5, Table(30, 0, 0, 30)), Stratum(1.0, Table(20, 0, 0, 20)))

    found = decision(Table(50, 0, 0, 50), strata=strata, worst_strata=strata)

    assert found.kappa == 1
    assert found.lower_bound is None
    assert says(found).startswith("Where rows were drawn unequally and the judge agrees on all of them")


@given(nonempty_tables, st.integers(1, 3), st.booleans())
def test_nobody_is_certified_who_was_not_shown_at_a_look(table: Table, number: int, may_look: bool) -> None:
    attempt = Attempt(Plan(attempt=number), (), may_look)

    found = find(attempt, Measured(table), Decimal("0.65"))

    assert found.shown == (
        found.look is not None and found.z is not None and found.z >= (found.boundary or 9)
    )
    assert may_look or not found.shown


@given(nonempty_tables)
def test_whatever_bound_certifies_point_would_too(table: Table) -> None:
    evidence = Evidence(table, NOW)

    if decide(POLICY, evidence, NOW).certified:
        assert decide(replace(POLICY, rule="point"), evidence, NOW).certified
