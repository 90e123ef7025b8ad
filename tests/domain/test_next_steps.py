from typing import Any

import pytest
from hypothesis import given

from judging.domain.next_steps import AGAINST, BESIDE, Action, Case, labels_words, next_step
from judging.domain.reasons import CertificateReason, Reason
from labeling.domain.agreement import Table
from labeling.domain.agreement.drawn import Stratum
from tests.domain.tables import nonempty_tables

GOOD = Table(28, 2, 2, 28)


def reason(code: CertificateReason, detail: str = "") -> Reason:
    return Reason(code, detail, "")


def case(*codes: str, table: Table = GOOD, beside: tuple[str, ...] = (), **more: Any) -> Case:
    against = tuple(reason(CertificateReason(code)) for code in codes)
    return Case(against, tuple(reason(CertificateReason(code)) for code in beside), table, **more)


def test_every_reason_has_a_step() -> None:
    assert set(AGAINST) == set(CertificateReason)
    for code in CertificateReason:
        assert next_step(case(code)).words.endswith(".")


@pytest.mark.parametrize("code", BESIDE)
def test_every_warning_leads_on(code: CertificateReason) -> None:
    assert next_step(case(beside=(code,))).action != Action.USE


def test_a_judge_never_measured_is_calibrated() -> None:
    step = next_step(case("never_calibrated", table=Table(0, 0, 0, 0)))

    assert step.action == Action.CALIBRATE


def test_a_calibration_under_way_is_waited_for() -> None:
    step = next_step(case("too_few_rows", at_work=True))

    assert step.action == Action.WATCH_RUN


def test_too_few_rows_say_how_many_to_label_and_of_which_kind() -> None:
    eight = case("below_bar", "too_few_of_one_class", "too_few_rows", table=Table(4, 0, 1, 3))

    assert next_step(eight).action == Action.LABEL
    assert next_step(eight).words == (
        "Label 22 more rows that count, among them at least 1 that people find good and "
        "1 that people find bad. Then calibrate again."
    )


def test_enough_rows_of_one_class_want_rows_of_the_other() -> None:
    lopsided = case("too_few_of_one_class", table=Table(40, 0, 0, 2))

    assert next_step(lopsided).words.startswith("Label 3 more rows that count, among them at least 3 that")
    assert labels_words(lopsided) == "3 more: for 5 that people find bad and there are 2."


@pytest.mark.parametrize(
    ("table", "action", "words"),
    [
        (Table(20, 1, 9, 20), Action.SEE_LENIENT, "the 9 rows where it was too lenient"),
        (Table(20, 7, 1, 20), Action.SEE_STRICT, "the 7 rows where it was too strict"),
    ],
)
def test_below_the_bar_leads_to_the_errors_there_are_more_of(
    table: Table, action: Action, words: str
) -> None:
    step = next_step(case("below_bar", table=table))

    assert step.action == action
    assert words in step.words


def test_what_nobody_measured_is_a_matter_of_the_policy() -> None:
    unmeasured = Case((reason(CertificateReason.HUMAN_CEILING_LOW, "not measured"),))

    assert next_step(unmeasured).action == Action.OPEN_POLICY


@pytest.mark.parametrize("detail", ["not measured", "2"])
def test_an_order_that_is_wrong_or_not_known_leads_to_the_reference_sets(detail: str) -> None:
    against, beside = (reason(CertificateReason.ORDERING_VIOLATED, detail) for _ in range(2))

    assert next_step(Case((against,))).action == Action.ORDER
    assert next_step(Case((), (beside,), shown=True)).action == Action.ORDER


def looking(*codes: str, **more: Any) -> Case:
    return case(*codes, by_looks=True, **more)


def test_the_next_look_is_waited_for_with_labels() -> None:
    step = next_step(looking("bound_below_bar", next_look=100))

    assert step.action == Action.LABEL
    assert step.words == (
        "Label 40 more rows that count: the next planned look is at 100. Then calibrate again."
    )
    assert labels_words(looking("bound_below_bar", next_look=100, labels_needed=137)) == (
        "40 more: the next planned look is at 100 rows. A single look would show a judge that does as well "
        "as this one to be above the bar of 0.65 with about 137 rows in all, four times in five; several "
        "looks ask for somewhat more."
    )


def test_a_look_that_is_due_wants_a_run() -> None:
    assert next_step(looking("bound_below_bar", next_look=60)).action == Action.CALIBRATE
    assert labels_words(looking("bound_below_bar", next_look=60)).startswith("None until a calibration")


def test_a_plan_without_a_look_left_wants_another_plan() -> None:
    assert next_step(looking("bound_below_bar")).action == Action.OPEN_POLICY
    assert "make a new version of the judge" in next_step(looking("bound_below_bar")).words
    assert labels_words(looking("bound_below_bar")).startswith("No number of rows helps this version")


def test_too_few_rows_say_when_the_first_look_is() -> None:
    few = looking("too_few_rows", "bound_below_bar", table=Table(10, 0, 0, 10), next_look=60)

    assert labels_words(few).endswith(" The next planned look is at 60 rows: 40 more.")


def test_a_judge_that_drifted_is_looked_at_where_it_did() -> None:
    assert next_step(case("drift_alarm")).action == Action.SEE_DRIFT


def test_a_certified_judge_wants_nothing() -> None:
    assert next_step(case()).action == Action.USE


def test_a_draft_that_is_good_enough_is_promoted_before_it_is_made_surer() -> None:
    assert next_step(case(is_draft=True, beside=("bound_below_bar",))).action == Action.PROMOTE
    assert next_step(case("below_bar", is_draft=True)).action != Action.PROMOTE


def test_luck_is_ruled_out_by_labels() -> None:
    lucky = case(beside=("bound_below_bar",), labels_needed=113)

    assert "About 53 more labelled rows" in next_step(lucky).words
    assert "takes about 53 more (113 in all), if it does as well" in labels_words(lucky)


def test_labels_do_not_help_a_judge_below_the_bar() -> None:
    assert labels_words(case("below_bar")).startswith("No more. More labels make this surer, not better")


def test_enough_is_said_to_be_enough() -> None:
    assert labels_words(case(labels_needed=113, shown=True, bound="0.667")) == (
        "No more for the certificate. The 60 rows there are make it 95% sure that its kappa is above 0.667; "
        "the bar is 0.65."
    )
    assert "so near the bar" in labels_words(case())
    assert "would make it surer" in labels_words(case(labels_needed=40))


@given(nonempty_tables)
def test_the_rows_asked_for_are_enough_for_the_policy(table: Table) -> None:
    more = case("too_few_rows", table=table)

    assert table.n + more.more_labels >= more.min_rows
    assert more.more_labels >= more.missing_good + more.missing_bad


def test_rows_drawn_unequally_are_missing_by_what_they_count_like() -> None:
    rows = (Stratum(1.0, Table(6, 8, 8, 6)), Stratum(0.001, Table(2, 0, 0, 2)))
    few = case("too_few_rows", table=Table(8, 8, 8, 8), strata=rows)

    # 32 rows count like 4: 26 more of that kind are 26·32/4 rows.
    assert next_step(few).words.startswith("Label 208 more rows that count")
    assert labels_words(few).startswith(
        "208 more: the policy asks for 30 rows and 32 rows that count like 4 rows drawn evenly are scored, "
        "for 5 that people find good and there are 16 rows that count like 2 rows drawn evenly"
    )
