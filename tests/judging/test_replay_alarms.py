"""Golden replays that take a certificate away and give it back, and never raise or renew it."""

from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from scipy.stats import binomtest

from judging.domain.comparison import Changes
from judging.domain.reasons import CertificateReason, Reason
from judging.domain.replay_findings import ReplayFinding, alarm, passed_in_a_row, said
from judging.models import Certificate, Run
from judging.services.certification import golden_set_changed
from judging.services.finishing import finish_run
from judging.services.replay_alarms import act_on_replay, findings_since_certified, said_by_replays
from judging.services.runs import cancel_run, start_run
from judging.services.suspending import reinstate, suspend
from labeling.models import AuditEvent
from tests.factories import live, make_criteria_set, make_judge, make_user
from tests.judging.dashboards import certify
from tests.judging.golden import codes, correct
from tests.judging.living import replay, suspended

pytestmark = pytest.mark.django_db


def earned(**cells: int) -> Certificate:
    """Forty rows of each kind, nearly all judged rightly, just now."""
    certificate = certify(make_judge(), make_criteria_set(), **{"a": 38, "b": 2, "c": 2, "d": 38, **cells})
    certificate.refresh_from_db()
    return certificate


def now_in_force() -> Certificate:
    return Certificate.objects.current().get()


def finding(run_id: int, *, lost: int = 0, codes: tuple[str, ...] = ()) -> ReplayFinding:
    changes = Changes(regressed=lost, stable=80 - lost)
    return ReplayFinding(run_id, timezone.now(), 80, "0.700", "0.54 to 0.86", "0.65", codes, changes)


def test_a_replay_under_the_bar_suspends_at_once() -> None:
    certificate = earned()

    run = replay(certificate, wrong=20)

    suspension = now_in_force()
    assert (suspension.status, suspension.cause, codes(suspension)) == (
        "uncertified",
        "replay",
        ["drift_alarm"],
    )
    [reason] = suspension.reasons
    assert reason["detail"] == f"replay {run.pk}: kappa 0.400 of 0.65"  # 2(18·38−22·2)/(40·60+20·40)
    assert f"Golden replay {run.pk} came out at kappa 0.400, below the bar of 0.65" in reason["message"]


def test_the_suspension_keeps_figures_policy_and_expiry() -> None:
    certificate = earned()

    replay(certificate, wrong=20)

    suspension = now_in_force()
    for name in ("kappa", "lower_bound", "n", "policy", "expires_at", "calibrated_at", "attempt", "look"):
        assert getattr(suspension, name) == getattr(certificate, name)
    assert suspension.calibration == certificate.calibration


def test_worse_once_may_be_chance_and_twice_running_suspends() -> None:
    certificate = earned()

    first = replay(certificate, wrong=8)
    assert now_in_force() == certificate
    second = replay(certificate, wrong=8)

    [reason] = now_in_force().reasons
    assert reason["detail"] == f"replays {first.pk} and {second.pk}: worse"
    p = binomtest(8, 8, alternative="greater").pvalue  # 8 lost, none won
    assert f"p = {p:.3f} and p = {p:.3f}" in reason["message"]


def test_worse_better_worse_is_not_twice_running() -> None:
    certificate = earned()

    for wrong in (8, 0, 8):
        replay(certificate, wrong=wrong)

    assert now_in_force() == certificate


def test_seven_lost_rows_twice_are_worse_and_six_are_not() -> None:
    """One-sided: 2⁻⁷ = .0078 is under .01, and 2⁻⁶ = .0156 is not."""
    seven, six = earned(), earned()

    for _ in range(2):
        replay(seven, wrong=7)
        replay(six, wrong=6)

    states = {each.judge_version_id: each.status for each in Certificate.objects.current()}
    assert states == {seven.judge_version_id: "uncertified", six.judge_version_id: "certified"}


def test_a_provider_that_is_down_is_no_drift() -> None:
    certificate = earned()

    replay(certificate, wrong=6, skipped=74)

    assert now_in_force() == certificate
    [found] = findings_since_certified(certificate)
    assert (found.says_enough, found.words) == (False, "too few answers to tell anything")


def test_two_passing_replays_lift_a_suspension_until_the_old_expiry() -> None:
    certificate = earned()
    suspended(certificate)

    first, second = replay(certificate), replay(certificate, wrong=1)

    lifted = now_in_force()
    assert (lifted.status, lifted.cause, lifted.expires_at) == (
        "certified",
        "reinstated",
        certificate.expires_at,
    )
    assert lifted.note == f"Two golden replays in a row were passed: run {first.pk} and run {second.pk}."
    assert (lifted.actor, AuditEvent.objects.get(action="suspension_lifted").actor) == (None, None)


def test_replays_from_before_the_suspension_do_not_count() -> None:
    certificate = earned()
    replay(certificate)
    begun = start_run(
        judge_version=certificate.judge_version, criteria_version=certificate.criteria_version, kind="replay"
    )
    suspended(certificate)
    answer_rightly(begun, certificate)

    replay(certificate)
    assert now_in_force().status == "uncertified"
    replay(certificate)

    assert now_in_force().status == "certified"


def answer_rightly(run: Run, certificate: Certificate) -> None:
    truths = dict(certificate.calibration.rows.values_list("candidate", "truth"))
    for verdict in run.verdicts.all():
        verdict.outcome, verdict.filled_at = truths[verdict.candidate_id], timezone.now()
        verdict.save()
    assert finish_run(run_id=run.pk)


@pytest.mark.parametrize("between", [{"wrong": 20}, {"wrong": 8}, {"skipped": 5}, {"skipped": 80}], ids=str)
def test_a_replay_that_is_not_passed_begins_the_count_again(between: dict[str, int]) -> None:
    certificate = earned()
    suspended(certificate)

    replay(certificate)
    replay(certificate, **between)
    replay(certificate)
    assert now_in_force().status == "uncertified"
    replay(certificate)

    assert now_in_force().status == "certified"


def test_what_people_corrected_meanwhile_stands_on_once_it_is_lifted() -> None:
    certificate = earned(a=30, b=10, c=0, d=40)
    suspended(certificate)
    wrong = list(certificate.calibration.rows.filter(truth="fail", outcome="fail")[:20])
    for row in wrong:
        correct(row.candidate, "pass")
    golden_set_changed(certificate.criteria_version, [row.candidate_id for row in wrong])
    for row in wrong:
        correct(row.candidate, "fail")
    golden_set_changed(certificate.criteria_version, [row.candidate_id for row in wrong])

    replay(certificate)
    replay(certificate)

    lifted = now_in_force()
    assert (lifted.cause, lifted.status, codes(lifted)) == (
        "reinstated",
        "uncertified",
        ["golden_set_changed"],
    )


def test_a_correction_that_it_outlives_is_noted_beside_it_all_the_time() -> None:
    certificate = earned()
    suspended(certificate)
    row = certificate.calibration.rows.filter(truth="fail")[0].candidate
    correct(row, "pass")
    golden_set_changed(certificate.criteria_version, [row.pk])
    assert codes(now_in_force()) == ["drift_alarm"]

    replay(certificate)
    replay(certificate)

    lifted = now_in_force()
    assert (lifted.status, codes(lifted)) == ("certified", [])
    assert "golden_set_changed" in {warning["code"] for warning in lifted.warnings}


def test_passing_replays_certify_nobody_who_was_refused() -> None:
    certificate = earned(a=30, b=10, c=10, d=30)
    assert certificate.status == "uncertified"

    replay(certificate, right=20)
    replay(certificate, right=20)

    assert now_in_force() == certificate


def test_a_replay_renews_nothing_that_expired() -> None:
    certificate = earned()
    over = timezone.now() - timedelta(days=1)
    Certificate.objects.update(calibrated_at=over - timedelta(days=30), expires_at=over)

    replay(certificate, wrong=20)
    replay(certificate)

    assert now_in_force() == certificate


def test_a_cancelled_calibration_leaves_a_suspension_as_it_is() -> None:
    certificate = earned()
    suspension = suspended(certificate)
    run = start_run(judge_version=certificate.judge_version, criteria_version=certificate.criteria_version)

    cancel_run(run=run)

    assert now_in_force() == suspension


def test_the_findings_by_hand() -> None:
    below, worse = finding(1, codes=("below_bar",)), finding(2, lost=10)
    fine, thin = finding(3), finding(4, codes=("low_coverage",))

    assert alarm([]) is alarm([fine, below]) is alarm([worse, fine]) is None
    assert alarm([below, fine]) is not None
    assert alarm([worse, finding(5, lost=7)]) is not None
    assert alarm([worse, finding(5, lost=6)]) is None
    assert [each.run_id for each in passed_in_a_row([fine, finding(6), worse, fine])] == [3, 6]
    assert passed_in_a_row([thin, fine]) == []
    assert "too many rows left without a verdict" in thin.words


def test_one_worse_replay_is_watched_and_only_the_alarm_says_worse() -> None:
    """One-sided: 2⁻⁵ = .031 is under .05, and 2⁻⁴ = .0625 is not."""
    below, ten, five, four = (
        finding(1, codes=("below_bar",)),
        finding(2, lost=10),
        finding(3, lost=5),
        finding(4, lost=4),
    )

    assert (
        said([], reached_bar=True)
        == said([finding(5, codes=("too_few_rows",))], reached_bar=True)
        == "missing"
    )
    assert said([four, ten], reached_bar=True) == "steady"
    assert said([five, ten], reached_bar=True) == said([ten, five], reached_bar=True) == "watch"
    assert said([ten, ten], reached_bar=False) == said([below], reached_bar=True) == "worse"
    assert said([below], reached_bar=False) == "steady"  # it was under the bar from the beginning
    assert (
        five.words
        == "kappa 0.700: passed, but watch this: it came out worse than the certified run (p = 0.031)"
    )


def test_the_replays_that_lifted_a_suspension_are_seen_since_and_earlier_ones_are_not() -> None:
    certificate = earned()
    replay(certificate, wrong=20)
    first, second = replay(certificate), replay(certificate)

    by_replays = findings_since_certified(now_in_force())
    suspended(certificate)
    reinstate(
        judge_version_id=certificate.judge_version_id,
        criteria_version_id=certificate.criteria_version_id,
        now=timezone.now(),
        note="The audit was of another product.",
        actor=make_user(),
    )

    assert [each.run_id for each in by_replays] == [second.pk, first.pk]
    assert findings_since_certified(now_in_force()) == []


def test_what_replays_took_away_stands_whatever_else_suspends_it_until_it_is_given_back() -> None:
    certificate = earned()
    replay(certificate, wrong=20)
    suspend(
        judge_version_id=certificate.judge_version_id,
        criteria_version_id=certificate.criteria_version_id,
        reason=Reason(CertificateReason.PROVIDER_MODEL_CHANGED, "other", "Another model answers."),
        cause=Certificate.Cause.PROVIDER_MODEL,
        now=timezone.now(),
    )

    said_now = []
    for _ in range(2):
        replay(certificate)
        in_force = now_in_force()
        said_now.append(said_by_replays(in_force, findings_since_certified(in_force), timezone.now()))

    assert said_now == ["worse", "steady"]


@pytest.mark.parametrize("is_suspended", [False, True])
def test_many_replays_take_no_more_work_from_the_end_of_one(is_suspended: bool) -> None:
    certificate = earned()
    if is_suspended:
        suspended(certificate)
    few = queries_of_acting_on([replay(certificate, wrong=7), replay(certificate)][-1])

    for _ in range(3):
        replay(certificate, skipped=80)

    assert queries_of_acting_on(replay(certificate)) == few


def queries_of_acting_on(run: Run) -> int:
    with CaptureQueriesContext(connection) as queries, transaction.atomic():
        act_on_replay(run=run, now=timezone.now())
    return len(queries)


def test_live_versions_are_whatever_they_are() -> None:
    """A replay of a draft acts on the draft's certificate alone."""
    certificate = earned()
    criteria_set = certificate.criteria_version.criteria_set
    other = certify(make_judge(), criteria_set, a=38, b=2, c=2, d=38)

    replay(other, wrong=60)

    assert Certificate.objects.current().get(judge_version=certificate.judge_version).status == "certified"
    assert live(criteria_set) == other.criteria_version
