"""After another model answered, the first passed replay brings the second that it takes."""

import pytest
from django.utils import timezone

from judging.domain.reasons import CertificateReason, Reason
from judging.models import Certificate, Run
from judging.services.finishing import finish_run
from judging.services.runs import start_run
from judging.services.suspending import suspend
from tests.factories import make_criteria_set, make_judge
from tests.judging.dashboards import certify
from tests.judging.living import replay, suspended

pytestmark = pytest.mark.django_db


def earned() -> Certificate:
    certificate = certify(make_judge(), make_criteria_set(), a=38, b=2, c=2, d=38)
    certificate.refresh_from_db()
    return certificate


def another_model(certificate: Certificate) -> None:
    suspend(
        judge_version_id=certificate.judge_version_id,
        criteria_version_id=certificate.criteria_version_id,
        reason=Reason(CertificateReason.PROVIDER_MODEL_CHANGED, "x → y", "It answers as y."),
        cause=Certificate.Cause.PROVIDER_MODEL,
        now=timezone.now(),
    )


def at_work() -> int:
    return Run.objects.filter(kind="replay", state="running").count()


def test_a_second_replay_is_started_when_the_first_is_passed() -> None:
    certificate = earned()
    another_model(certificate)

    first = replay(certificate)

    second = Run.objects.exclude(pk=first.pk).get(kind="replay")
    assert (second.state, second.judge_version) == ("running", certificate.judge_version)
    assert not Certificate.objects.current().get().is_certified(timezone.now())


def test_one_that_is_at_work_already_is_the_second() -> None:
    certificate = earned()
    another_model(certificate)
    by, of = certificate.judge_version, certificate.criteria_version
    Run.objects.create(judge_version=by, criteria_version=of, kind="replay")

    replay(certificate)

    assert at_work() == 1


def test_after_one_that_was_not_passed_nothing_is_started_by_itself() -> None:
    certificate = earned()
    another_model(certificate)

    replay(certificate, wrong=20)
    replay(certificate)

    assert at_work() == 0


def test_a_judge_that_people_disagreed_with_is_replayed_when_somebody_says_so() -> None:
    certificate = earned()
    suspended(certificate)

    replay(certificate)

    assert at_work() == 0


def test_one_that_began_before_another_model_answered_brings_none() -> None:
    certificate = earned()
    run = start_run(
        judge_version=certificate.judge_version, criteria_version=certificate.criteria_version, kind="replay"
    )
    another_model(certificate)

    run.verdicts.update(outcome="pass", filled_at=timezone.now())
    assert finish_run(run_id=run.pk)

    assert at_work() == 0
