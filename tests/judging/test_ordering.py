"""A judge is asked about reference sets; what it puts in the wrong order is counted and stands on record."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from judging.models import Certificate, JudgeVersion, OrderingResult, Run
from judging.services.attempts import attempt_number
from judging.services.certification import golden_set_changed
from judging.services.engine import work_on
from judging.services.finishing import finish_run
from judging.services.ordering import count_ordering, start_ordering
from judging.services.reference_sets import retire_set, usable_sets
from judging.services.retrying import retry_skipped
from judging.services.runs import CannotRun, cancel_run
from judging.services.starting import start_once
from labeling.models import Candidate, CriteriaSet, Slot
from tests.factories import live, make_criteria_set, make_judge, make_panel, make_ruling, make_user
from tests.judging.dashboards import certify
from tests.judging.golden import codes, correct
from tests.judging.references import make_set, make_sets, order
from tests.judging.running import juror, panel, scripted

pytestmark = pytest.mark.django_db

GOOD = {"a": 20, "b": 1, "c": 1, "d": 20}


@pytest.fixture
def criteria_set() -> CriteriaSet:
    return make_criteria_set("replies")


def demand_ordering(criteria_set: CriteriaSet) -> None:
    CriteriaSet.objects.filter(pk=criteria_set.pk).update(demand_ordering=True)
    criteria_set.refresh_from_db()


def ordered(judge: JudgeVersion, criteria_set: CriteriaSet) -> Run:
    """A run over the reference sets, by a worker."""
    run, _ = start_ordering(judge_version=judge, criteria_version=live(criteria_set))
    work_on(run.pk)
    run.refresh_from_db()
    return run


def in_force(judge: JudgeVersion) -> Certificate:
    return Certificate.objects.current().get(judge_version=judge)


def test_a_judge_that_tells_good_from_deficient_violates_nothing(
    criteria_set: CriteriaSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    sets = make_sets(criteria_set, 3)
    verdicts = {
        member.candidate.output: "fail" for each in sets for member in each.members.filter(is_good=False)
    }

    with scripted(monkeypatch, verdicts=verdicts):
        run = ordered(panel("pass", "pass", "pass"), criteria_set)

    results = list(run.orderings.order_by("pk"))
    assert (run.state, run.kind) == ("finished", "ordering")
    assert [each.judge_version for each in results] == [run.judge_version, *run.judge_version.jurors()]
    assert {(each.sets, each.violated, each.left_out, each.auc) for each in results} == {(3, 0, 0, 1.0)}


def test_ties_and_outputs_passed_over_better_ones_are_violations(
    criteria_set: CriteriaSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other, third = make_sets(criteria_set, 3)
    good, deficient = other.members.order_by("-is_good")
    verdicts = {
        good.candidate.output: "fail",
        third.members.get(is_good=False).candidate.output: "fail",
        deficient.candidate.output: "pass",
    }

    with scripted(monkeypatch, verdicts=verdicts):
        result = ordered(juror(), criteria_set).orderings.get()

    tied = {"good": one.members.get(is_good=True).candidate_id, "fault": "tied"}
    worse = {"good": good.candidate_id, "deficient": deficient.candidate_id, "fault": "passed"}
    assert result.violations["violated"][str(one.pk)][0].items() >= tied.items()
    assert result.violations["violated"][str(other.pk)] == [worse]
    assert result.violations["right"] == [third.pk]
    assert (result.sets, result.violated, result.auc) == (3, 2, 0.5)  # (½ + 0 + 1) / 3


def test_a_skipped_output_is_no_score(criteria_set: CriteriaSet) -> None:
    sets = make_sets(criteria_set, 4)

    result = order(make_judge(), sets, "92 9- -2 29").orderings.get()

    assert (result.sets, result.violated, result.left_out, result.pairs) == (2, 1, 2, 2)
    assert result.violations["left_out"] == [sets[1].pk, sets[2].pk]
    assert result.high == pytest.approx(0.974679, abs=1e-6)  # 1 of 2: 1 − p² ≤ .95, so p = √.95


def test_none_of_29_sets_leaves_up_to_ten_in_a_hundred(criteria_set: CriteriaSet) -> None:
    result = order(make_judge(), make_sets(criteria_set, 29), "92 " * 29).orderings.get()

    assert (result.sets, result.violated) == (29, 0)
    assert result.high == pytest.approx(1 - 0.05 ** (1 / 29))  # .0981


def test_where_no_set_can_be_told_there_is_no_number(criteria_set: CriteriaSet) -> None:
    result = order(make_judge(), make_sets(criteria_set, 1), "9-").orderings.get()

    assert (result.sets, result.left_out, result.high, result.auc) == (0, 1, None, None)


def test_jurors_are_counted_each_for_themselves(criteria_set: CriteriaSet) -> None:
    judge = make_panel([make_judge(), make_judge()])
    run = order(judge, make_sets(criteria_set, 2), "92 92")

    run.verdicts.filter(judge_version=judge.jurors()[1]).update(score=0.5)
    own, first, second = count_ordering(run=run)

    assert (own.violated, first.violated, second.violated) == (0, 0, 2)


def test_scores_that_differ_by_how_floats_are_stored_are_tied(criteria_set: CriteriaSet) -> None:
    sets = make_sets(criteria_set, 1)
    run = order(make_judge(), sets, "55")
    run.verdicts.filter(candidate__references__is_good=True).update(score=0.1 + 0.2)
    run.verdicts.filter(candidate__references__is_good=False).update(score=0.3)

    result = count_ordering(run=run)[0]

    assert result.violations["violated"][str(sets[0].pk)][0]["fault"] == "tied"


def test_sets_retired_or_contradicted_by_people_are_not_asked_about(criteria_set: CriteriaSet) -> None:
    kept, retired, contradicted = make_set(criteria_set), make_set(criteria_set), make_set(criteria_set)
    retire_set(reference_set=retired, now=retired.created_at, actor=None)
    make_ruling(contradicted.members.get(is_good=True).candidate, "fail")

    run, is_new = start_ordering(judge_version=make_judge(), criteria_version=live(criteria_set))

    assert is_new
    asked = set(run.verdicts.values_list("candidate", flat=True))
    assert asked == set(kept.members.values_list("candidate", flat=True))


def test_the_sets_in_use_are_one_question(
    criteria_set: CriteriaSet, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    kept = make_set(criteria_set, settled=True)
    make_ruling(make_set(criteria_set).members.get(is_good=False).candidate, "pass")

    with django_assert_num_queries(1):
        assert list(usable_sets(live(criteria_set))) == [kept]


def test_two_who_press_at_once_start_one_run(criteria_set: CriteriaSet) -> None:
    make_set(criteria_set)
    judge = make_judge()

    first, _ = start_ordering(judge_version=judge, criteria_version=live(criteria_set))
    second, is_new = start_ordering(judge_version=judge, criteria_version=live(criteria_set))

    assert (second, is_new) == (first, False)


def test_what_is_asked_again_is_counted_again(criteria_set: CriteriaSet) -> None:
    run = order(make_judge(), make_sets(criteria_set, 1), "9-")

    retry_skipped(run=run, actor=make_user())
    run.verdicts.filter(outcome="pending").update(outcome="fail", score=0.2, filled_at=timezone.now())
    finish_run(run_id=run.pk)

    result = run.orderings.get()
    assert (result.sets, result.violated, result.left_out) == (1, 0, 0)


def test_a_split_that_goes_to_people_is_no_score(criteria_set: CriteriaSet) -> None:
    run = order(make_judge(), make_sets(criteria_set, 1), "92")
    run.verdicts.filter(candidate__references__is_good=True).update(outcome="escalated")

    (result,) = count_ordering(run=run)

    assert (result.sets, result.left_out) == (0, 1)


def test_a_verdict_without_a_score_is_no_score(criteria_set: CriteriaSet) -> None:
    run = order(make_judge(), make_sets(criteria_set, 1), "92")
    run.verdicts.update(score=None)

    (result,) = count_ordering(run=run)

    assert (result.sets, result.left_out) == (0, 1)


def test_a_version_that_was_asked_about_rows_that_certify_is_an_attempt(criteria_set: CriteriaSet) -> None:
    judge = make_judge()
    draft = JudgeVersion.objects.create(
        judge=judge.judge, number=2, kind="model", model="openai/other", fingerprint="2" * 64
    )
    sets = make_sets(criteria_set, 1)
    Candidate.objects.update(split="certify")

    order(judge, sets, "92")
    order(draft, sets, "92")

    assert attempt_number(draft, live(criteria_set)) == 2


def test_without_sets_there_is_nothing_to_order(criteria_set: CriteriaSet) -> None:
    with pytest.raises(CannotRun, match="no reference set"):
        start_ordering(judge_version=make_judge(), criteria_version=live(criteria_set))


def test_a_cancelled_run_says_nothing(criteria_set: CriteriaSet) -> None:
    make_set(criteria_set)
    run, _ = start_ordering(judge_version=make_judge(), criteria_version=live(criteria_set))

    cancel_run(run=run)

    assert not OrderingResult.objects.exists()


def test_an_ordering_run_certifies_nobody_and_asks_nobody_for_labels(criteria_set: CriteriaSet) -> None:
    order(make_judge(), make_sets(criteria_set, 2), "92 29")

    assert not Certificate.objects.exists()
    assert not Slot.objects.exists()
    assert not Candidate.objects.golden(live(criteria_set)).exists()


def test_violations_stand_against_a_certificate_where_the_policy_demands_ordering(
    criteria_set: CriteriaSet,
) -> None:
    demand_ordering(criteria_set)
    judge = make_judge()
    before = certify(judge, criteria_set, **GOOD)

    order(judge, make_sets(criteria_set, 3), "92 29 92")

    after = in_force(judge)
    assert (codes(before), before.reasons[0]["detail"]) == (["ordering_violated"], "not measured")
    assert (after.cause, codes(after), after.reasons[0]["detail"]) == ("ordering", ["ordering_violated"], "1")


def test_a_judge_that_lacked_only_the_order_is_certified_by_it(criteria_set: CriteriaSet) -> None:
    demand_ordering(criteria_set)
    judge = make_judge()
    before = certify(judge, criteria_set, **GOOD)

    order(judge, make_sets(criteria_set, 3), "92 92 92")

    after = in_force(judge)
    assert (before.status, after.status, after.cause) == ("uncertified", "certified", "ordering")
    assert (after.expires_at, after.calibration) == (before.expires_at, before.calibration)


def test_violations_only_warn_where_ordering_is_not_demanded(criteria_set: CriteriaSet) -> None:
    judge = make_judge()
    certify(judge, criteria_set, **GOOD)

    order(judge, make_sets(criteria_set, 2), "92 29")

    after = in_force(judge)
    assert (after.status, after.cause) == ("certified", "ordering")
    assert "ordering_violated" in [told["code"] for told in after.warnings]


def test_where_nothing_comes_of_it_no_event_is_added(criteria_set: CriteriaSet) -> None:
    judge = make_judge()
    before = certify(judge, criteria_set, **GOOD)

    order(judge, make_sets(criteria_set, 2), "92 92")

    assert in_force(judge) == before


def test_sets_that_are_for_the_figures_only_do_not_count(criteria_set: CriteriaSet) -> None:
    demand_ordering(criteria_set)
    judge = make_judge()
    certify(judge, criteria_set, **GOOD)
    pairs = make_sets(criteria_set, 2, decides=False)

    order(judge, pairs, "29 92")
    unmeasured = in_force(judge)
    order(judge, [*pairs, make_set(criteria_set)], "29 92 92")

    assert unmeasured.reasons[0]["detail"] == "not measured"
    assert in_force(judge).status == "certified"
    assert OrderingResult.objects.first().violated == 1  # type: ignore[union-attr]


def test_ordering_does_not_undo_that_labels_were_corrected(criteria_set: CriteriaSet) -> None:
    demand_ordering(criteria_set)
    judge = make_judge()
    calibration = certify(judge, criteria_set, **GOOD).calibration
    row = calibration.rows.filter(truth="pass").first()
    assert row is not None
    correct(row.candidate, "fail")
    golden_set_changed(live(criteria_set), [row.candidate_id])

    order(judge, make_sets(criteria_set, 2), "92 92")

    after = in_force(judge)
    assert (after.status, codes(after)) == ("uncertified", ["golden_set_changed"])


def test_a_calibration_starts_the_ordering_that_its_policy_demands(criteria_set: CriteriaSet) -> None:
    judge = make_judge()
    certify(judge, criteria_set, a=1, d=1)
    make_set(criteria_set)
    first, _ = start_once(judge_version=judge, criteria_version=live(criteria_set))
    alone = Run.objects.filter(kind="ordering").count()
    cancel_run(run=first)
    demand_ordering(criteria_set)

    start_once(judge_version=judge, criteria_version=live(criteria_set), max_calls=7)

    beside = Run.objects.get(kind="ordering")
    assert (alone, beside.max_calls, beside.state) == (0, 7, "running")


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has no locks of rows")
def test_who_starts_a_run_keeps_no_worker_from_writing_verdicts(criteria_set: CriteriaSet) -> None:
    """A verdict refers to its judge version, which a full lock of that row would keep waiting."""
    judge = make_judge()
    certify(judge, criteria_set, a=1, d=1)
    make_set(criteria_set)

    with CaptureQueriesContext(connection) as told:
        start_once(judge_version=judge, criteria_version=live(criteria_set))
        start_ordering(judge_version=judge, criteria_version=live(criteria_set))

    locks = [
        each["sql"] for each in told if '"judging_judgeversion"' in each["sql"] and " FOR " in each["sql"]
    ]
    assert locks
    assert all(sql.endswith("FOR NO KEY UPDATE") for sql in locks)
