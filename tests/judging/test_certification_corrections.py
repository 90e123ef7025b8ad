"""What becomes of a certificate when people correct themselves."""

import pytest
from django.db import transaction
from pytest_django import DjangoCaptureOnCommitCallbacks

from judging.models import Certificate, JudgeVersion
from judging.services import certification
from labeling.models import Candidate, CriteriaSet
from labeling.services.truth import truth_changed
from tests.factories import (
    live,
    make_candidate,
    make_criteria_set,
    make_judge,
    make_label,
    make_panel,
    make_user,
)
from tests.judging.golden import NOON, certified, codes, correct, make_run, make_verdict

pytestmark = pytest.mark.django_db


@pytest.fixture
def criteria_set() -> CriteriaSet:
    return make_criteria_set("replies")


def recount(certificate: Certificate) -> Certificate | None:
    """What becomes of a certificate when its judge is counted again."""
    return certification.recount(
        judge_version_id=certificate.judge_version_id,
        criteria_version=certificate.criteria_version,
        candidate_ids=list(set(certificate.calibration.run.verdicts.values_list("candidate", flat=True))),
        now=NOON,
    )


def candidates(certificate: Certificate, truth: str, outcome: str) -> list[Candidate]:
    rows = certificate.calibration.rows.filter(truth=truth, outcome=outcome).select_related("candidate")
    return [row.candidate for row in rows]


def test_a_correction_that_matters_little_reissues(criteria_set: CriteriaSet) -> None:
    before = certified(make_run(make_judge(), criteria_set, a=30, d=30))
    correct(candidates(before, "pass", "pass")[0], "fail")

    after = recount(before)

    assert after is not None
    assert (after.status, after.cause, after.calibration.c) == ("certified", "golden_set", 1)
    assert after.expires_at == before.expires_at
    assert after.warnings[0]["code"] == "golden_set_changed"
    before.calibration.refresh_from_db()
    assert not before.calibration.is_current


def test_a_certificate_falls_when_the_corrected_rows_do_not_carry_it(criteria_set: CriteriaSet) -> None:
    before = certified(make_run(make_judge(), criteria_set, a=16, d=16))
    for candidate in candidates(before, "pass", "pass")[:12]:
        correct(candidate, "fail")

    after = recount(before)

    assert after is not None
    assert codes(after) == ["golden_set_changed", "too_few_of_one_class", "below_bar"]


def test_an_uncertified_judge_does_not_rise(criteria_set: CriteriaSet) -> None:
    before = certified(make_run(make_judge(), criteria_set, a=20, b=10, d=30))
    assert codes(before) == []
    poor = certified(make_run(make_judge(), criteria_set, a=18, b=12, d=30, c=2))
    assert codes(poor) == ["below_bar"]
    for candidate in candidates(poor, "pass", "fail"):
        correct(candidate, "fail")

    after = recount(poor)

    assert after is not None
    assert after.kappa is not None
    assert after.kappa > 0.65
    assert codes(after) == ["golden_set_changed"]


def test_nothing_changed_adds_no_event(criteria_set: CriteriaSet) -> None:
    certificate = certified(make_run(make_judge(), criteria_set, a=5, d=5))

    assert recount(certificate) is None
    assert Certificate.objects.count() == 1


def test_a_row_that_people_now_disagree_on_is_counted(criteria_set: CriteriaSet) -> None:
    run = make_run(make_judge(), criteria_set, a=20, d=20)
    disputed = make_candidate(criteria_set)
    make_verdict(run, disputed, "pass")
    before = certified(run)
    make_label(disputed, make_user(), "pass")
    make_label(disputed, make_user(), "fail")

    after = recount(before)

    assert after is not None
    assert (after.n, after.calibration.unresolved) == (40, 1)
    assert {warning["code"] for warning in after.warnings} >= {"golden_set_changed", "unresolved_labels"}


def test_the_policy_of_the_certificate_stays_in_force(criteria_set: CriteriaSet) -> None:
    before = certified(make_run(make_judge(), criteria_set, a=20, d=20))
    criteria_set.min_rows = 300
    criteria_set.save()
    correct(candidates(before, "pass", "pass")[0], "fail")

    after = recount(before)

    assert after is not None
    assert (after.status, after.policy["min_rows"]) == ("certified", 30)


def test_a_recount_completes_no_run_and_is_no_new_attempt(criteria_set: CriteriaSet) -> None:
    first, second = make_judge("twice"), make_judge("twice-later")
    JudgeVersion.objects.filter(pk=second.pk).update(judge=first.judge, number=2)
    certified(make_run(first, criteria_set, a=3, d=2))
    half = make_run(JudgeVersion.objects.get(pk=second.pk), criteria_set, a=20, d=20)
    half.state = "cancelled"
    half.save()
    before = certified(half)
    correct(candidates(before, "pass", "pass")[0], "fail")

    after = recount(before)

    assert after is not None
    assert codes(after) == ["golden_set_changed", "run_incomplete"]
    assert (before.attempt, after.attempt) == (2, 2)


def test_jurors_are_recounted_with_their_panel(criteria_set: CriteriaSet) -> None:
    run = make_run(make_panel([make_judge(), make_judge()]), criteria_set, a=20, d=20)
    before = certified(run)
    correct(candidates(before, "pass", "pass")[0], "fail")

    recount(before)

    assert {each.table.c for each in run.calibrations.filter(is_current=True)} == {1}
    assert run.calibrations.filter(is_current=True).count() == 3


def test_labeling_tells_on_commit(
    criteria_set: CriteriaSet, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    before = certified(make_run(make_judge(), criteria_set, a=20, d=20))
    candidate = candidates(before, "pass", "pass")[0]

    with django_capture_on_commit_callbacks(execute=True), transaction.atomic():
        correct(candidate, "fail")
        truth_changed(version=live(criteria_set), candidate_ids=[candidate.pk])

    assert Certificate.objects.current().get().cause == "golden_set"


def test_labels_of_rows_that_no_run_asked_about_change_nothing(
    criteria_set: CriteriaSet,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    certified(make_run(make_judge(), criteria_set, a=20, d=20))
    fresh = make_candidate(criteria_set)
    make_label(fresh, make_user(), "pass")

    with django_capture_on_commit_callbacks(execute=True):
        truth_changed(version=live(criteria_set), candidate_ids=[fresh.pk])

    assert Certificate.objects.count() == 1


def test_a_row_settled_after_its_run_counts_with_the_verdict_it_got(criteria_set: CriteriaSet) -> None:
    run = make_run(make_judge(), criteria_set, a=20, d=20)
    late = make_candidate(criteria_set)
    make_verdict(run, late, "pass")
    before = certified(run)
    make_label(late, make_user(), "pass")

    after = recount(before)

    assert after is not None
    assert (before.n, after.n) == (40, 41)
