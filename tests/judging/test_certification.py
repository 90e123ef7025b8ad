"""From a run's verdicts to a certificate."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction

from judging.models import Calibration, Certificate, JudgeVersion
from judging.services.certification import certify_run
from judging.services.resource import summary
from judging.services.standing import Standing
from labeling.models import CriteriaSet, Exposure, Submission
from labeling.services.exposures import record_exposure
from tests.factories import (
    live,
    make_candidate,
    make_criteria_set,
    make_judge,
    make_label,
    make_panel,
    make_user,
)
from tests.judging.golden import NOON, certified, codes, make_run, make_verdict

pytestmark = pytest.mark.django_db


@pytest.fixture
def criteria_set() -> CriteriaSet:
    return make_criteria_set("replies")


@pytest.fixture
def judge() -> JudgeVersion:
    return make_judge("strict")


def line(certificate: Certificate) -> str:
    return summary(Standing(certificate.judge_version, certificate.criteria_version, certificate, NOON))


def test_56_of_60_balanced_rows_certify(criteria_set: CriteriaSet, judge: JudgeVersion) -> None:
    certificate = certified(make_run(judge, criteria_set, a=28, b=2, c=2, d=28))

    assert certificate.status == "certified"
    assert codes(certificate) == []
    assert certificate.kappa == pytest.approx(13 / 15)  # (56/60 − 1/2) / (1 − 1/2)
    assert certificate.expires_at == NOON + timedelta(days=30)
    assert line(certificate).startswith("CERTIFIED  n=60  kappa=0.867 (bar 0.65, 95% lower bound 0.")


def test_a_certificate_ages_from_the_end_of_its_run(criteria_set: CriteriaSet, judge: JudgeVersion) -> None:
    certificate = certified(make_run(judge, criteria_set, a=30, d=30), NOON + timedelta(days=20))

    assert (certificate.calibrated_at, certificate.expires_at) == (NOON, NOON + timedelta(days=30))


def test_the_founding_eight_rows_are_refused(criteria_set: CriteriaSet) -> None:
    panel = make_panel([make_judge(), make_judge(), make_judge()])

    certificate = certified(make_run(panel, criteria_set, a=4, d=4))

    expected = (
        "UNCERTIFIED  n=8  kappa=1.000 (bar 0.65)  agree=100%  "
        "too_few_rows: 8 of 30; too_few_of_one_class: 4 of 5"
    )
    assert line(certificate) == expected


def test_forty_rows_of_one_class_have_no_kappa(criteria_set: CriteriaSet, judge: JudgeVersion) -> None:
    certificate = certified(make_run(judge, criteria_set, a=40))

    assert codes(certificate) == ["too_few_of_one_class", "undefined_kappa"]
    assert certificate.kappa is None
    assert certificate.lower_bound is None


def test_skips_are_kept_out_of_the_table_and_lower_coverage(
    criteria_set: CriteriaSet, judge: JudgeVersion
) -> None:
    certificate = certified(make_run(judge, criteria_set, a=20, d=20, skipped_pass=3, skipped_fail=1))

    calibration = certificate.calibration
    assert (calibration.table.n, calibration.skipped_pass, calibration.skipped_fail) == (40, 3, 1)
    assert certificate.coverage == pytest.approx(40 / 44)
    assert codes(certificate) == ["low_coverage"]


def test_splits_left_to_people_are_outside_table_and_coverage(criteria_set: CriteriaSet) -> None:
    run = make_run(make_panel([make_judge()]), criteria_set, a=3, d=2)
    split = make_candidate(criteria_set)
    make_label(split, make_user(), "pass")
    make_verdict(run, split, "escalated")

    certificate = certified(run)

    assert (certificate.calibration.escalated, certificate.n, certificate.coverage) == (1, 5, 1.0)


def test_tune_rows_never_count(criteria_set: CriteriaSet, judge: JudgeVersion) -> None:
    run = make_run(judge, criteria_set, a=3, d=2)
    tuned = make_candidate(criteria_set, split="tune")
    make_label(tuned, make_user(), "pass")
    make_verdict(run, tuned, "pass")

    assert certified(run).n == 5


def test_a_run_over_tune_rows_only_touches_no_certificate(
    criteria_set: CriteriaSet, judge: JudgeVersion
) -> None:
    before = certified(make_run(judge, criteria_set, a=30, d=30))

    assert certify_run(run=make_run(judge, criteria_set, a=1, split="tune")) is None
    assert Certificate.objects.current().get() == before


def test_unresolved_rows_are_excluded_and_counted(criteria_set: CriteriaSet, judge: JudgeVersion) -> None:
    run = make_run(judge, criteria_set, a=3, d=2)
    tied = make_candidate(criteria_set)
    make_label(tied, make_user(), "pass")
    make_label(tied, make_user(), "fail")
    make_verdict(run, tied, "pass")

    calibration = certified(run).calibration

    assert (calibration.table.n, calibration.unresolved) == (5, 1)


def test_every_juror_of_a_panel_is_counted_on_the_same_rows(criteria_set: CriteriaSet) -> None:
    jurors = [make_judge("one"), make_judge("two"), make_judge("three")]
    run = make_run(make_panel(jurors), criteria_set, a=4, d=3)
    run.verdicts.filter(judge_version=jurors[1], outcome="pass").update(outcome="fail")

    certified(run)

    tables = {each.judge_version.judge.slug: each.table for each in Calibration.objects.all()}
    assert (tables["one"].a, tables["one"].d) == (4, 3)
    assert (tables["two"].a, tables["two"].b, tables["two"].d) == (0, 4, 3)
    assert Certificate.objects.count() == 1


def test_rows_that_layer_1_kills_are_told_apart(criteria_set: CriteriaSet, judge: JudgeVersion) -> None:
    run = make_run(judge, criteria_set, a=2, d=2)
    broken = make_candidate(criteria_set, '{"success": false, "result": null}', request="Do it.")
    make_label(broken, make_user(), "fail")
    make_verdict(run, broken, "fail")

    calibration = certified(run).calibration

    assert (calibration.table.d, calibration.unkilled_table.d) == (3, 2)
    assert calibration.rows.get(candidate=broken).killed_by == "unmarked_failure"


def test_layer_1_goes_by_what_was_last_said_of_a_row(criteria_set: CriteriaSet, judge: JudgeVersion) -> None:
    run = make_run(judge, criteria_set)
    candidate = make_candidate(criteria_set)
    make_label(candidate, make_user(), "fail")
    make_verdict(run, candidate, "fail")
    for success in (True, False):
        Submission.objects.create(candidate=candidate, source="api", meta={"success": success})

    assert certified(run).calibration.rows.get().killed_by == "unmarked_failure"


def test_certifying_a_run_twice_gives_one_event(criteria_set: CriteriaSet, judge: JudgeVersion) -> None:
    run = make_run(judge, criteria_set, a=3, d=2)

    first, second = certified(run), certified(run)

    assert first == second
    assert Certificate.objects.count() == 1


def test_the_next_run_supersedes(criteria_set: CriteriaSet, judge: JudgeVersion) -> None:
    first = certified(make_run(judge, criteria_set, a=3, d=2))
    second = certified(make_run(judge, criteria_set, a=30, d=30))

    first.refresh_from_db()
    assert first.superseded_at == NOON
    assert Certificate.objects.current().get() == second


def test_two_certificates_in_force_cannot_be(criteria_set: CriteriaSet, judge: JudgeVersion) -> None:
    certificate = certified(make_run(judge, criteria_set, a=3, d=2))
    certificate.pk = None

    with pytest.raises(IntegrityError), transaction.atomic():
        certificate.save(force_insert=True)


def test_a_run_with_rows_to_ask_certifies_nobody(criteria_set: CriteriaSet, judge: JudgeVersion) -> None:
    run = make_run(judge, criteria_set, a=30, d=30)
    make_verdict(run, make_candidate(criteria_set), "pending")

    assert certify_run(run=run) is None


def test_a_cancelled_run_is_incomplete(criteria_set: CriteriaSet, judge: JudgeVersion) -> None:
    run = make_run(judge, criteria_set, a=30, d=30)
    run.state = "cancelled"
    run.save()

    assert codes(certified(run)) == ["run_incomplete"]


def test_a_cancelled_run_takes_no_certificate_away(criteria_set: CriteriaSet, judge: JudgeVersion) -> None:
    whole = certified(make_run(judge, criteria_set, a=30, d=30))
    half = make_run(judge, criteria_set, a=1)
    half.state = "cancelled"
    half.save()

    assert certify_run(run=half, now=NOON) is None
    assert Certificate.objects.current().get() == whole


def test_a_scoring_run_certifies_nobody(criteria_set: CriteriaSet, judge: JudgeVersion) -> None:
    assert certify_run(run=make_run(judge, criteria_set, a=30, d=30, kind="scoring")) is None


def test_attempts_count_versions_scored_by_own_runs(criteria_set: CriteriaSet, judge: JudgeVersion) -> None:
    certified(make_run(judge, criteria_set, a=3, d=2))
    fields = {"kind": "model", "model": "openai/other", "fingerprint": "f" * 64}
    second = JudgeVersion.objects.create(judge=judge.judge, number=2, **fields)
    third = JudgeVersion.objects.create(judge=judge.judge, number=3, **fields)
    certified(make_run(make_panel([third]), criteria_set, a=3, d=2))

    assert certified(make_run(second, criteria_set, a=3, d=2)).attempt == 2


def test_a_version_that_scored_nothing_made_no_attempt(
    criteria_set: CriteriaSet, judge: JudgeVersion
) -> None:
    certified(make_run(judge, criteria_set, skipped_pass=3))
    second = make_judge()
    JudgeVersion.objects.filter(pk=second.pk).update(judge=judge.judge, number=2)

    run = make_run(JudgeVersion.objects.get(pk=second.pk), criteria_set, a=3, d=2)

    assert certified(run).attempt == 1


def test_opened_certify_rows_stand_on_later_certificates(
    criteria_set: CriteriaSet, judge: JudgeVersion
) -> None:
    run = make_run(judge, criteria_set, a=3, d=2)
    shown = list(run.verdicts.values_list("candidate_id", flat=True)[:2])
    reader, version = make_user(), live(criteria_set)
    record_exposure(user=reader, version=version, candidate_ids=shown, what=Exposure.What.VERDICTS)
    others = run.verdicts.exclude(candidate__in=shown).values_list("candidate_id", flat=True)
    record_exposure(user=reader, version=version, candidate_ids=list(others), what=Exposure.What.LABELS)

    assert certified(run).opened_rows == 2


def test_the_golden_hash_knows_rows_and_truth_but_no_order(criteria_set: CriteriaSet) -> None:
    run = make_run(make_judge(), criteria_set, a=3, d=2)
    again = make_run(make_judge(), criteria_set)
    for verdict in run.verdicts.order_by("-pk"):
        make_verdict(again, verdict.candidate, "pass")

    first, second = certified(run).calibration, certified(again).calibration

    assert first.golden_hash == second.golden_hash
    other = make_criteria_set("other")
    assert certified(make_run(make_judge(), other, a=3, d=2)).calibration.golden_hash != first.golden_hash
