"""The dashboard in one line for each judge: state, kappa, bound, rows, and where it goes."""

import pytest
from django.test import Client
from django.utils import timezone

from judging.domain.reasons import CertificateReason, certificate_reason
from judging.models import Certificate, JudgeVersion
from judging.services.suspending import suspend
from labeling.models import CriteriaSet
from tests.factories import live, make_criteria_set, make_judge, make_user
from tests.judging.dashboards import certify, text

pytestmark = pytest.mark.django_db


@pytest.fixture
def criteria_set() -> CriteriaSet:
    return make_criteria_set("replies")


@pytest.fixture
def judge() -> JudgeVersion:
    return make_judge("strict")


@pytest.fixture
def client(client: Client, criteria_set: CriteriaSet) -> Client:
    client.force_login(make_user("lena", lead_of=criteria_set))
    return client


@pytest.mark.parametrize(
    ("wrong_before", "words"),
    [
        (4, "up from 0.733 in the run before"),
        (0, "down from 1.000 in the run before"),
        (2, "as in the run before (0.867)"),
    ],
)
def test_the_trend_is_kappa_beside_the_run_before(
    client: Client, criteria_set: CriteriaSet, judge: JudgeVersion, wrong_before: int, words: str
) -> None:
    certify(judge, criteria_set, a=30 - wrong_before, b=wrong_before, c=wrong_before, d=30 - wrong_before)
    certify(judge, criteria_set, a=28, b=2, c=2, d=28)

    assert words in text(client.get("/dashboard/"))


def test_the_first_run_has_no_trend(client: Client, criteria_set: CriteriaSet, judge: JudgeVersion) -> None:
    certify(judge, criteria_set, a=28, b=2, c=2, d=28)

    assert "first run" in text(client.get("/dashboard/"))


def test_a_suspended_judge_is_called_so(
    client: Client, criteria_set: CriteriaSet, judge: JudgeVersion
) -> None:
    certify(judge, criteria_set, a=28, b=2, c=2, d=28)
    suspend(
        judge_version_id=judge.pk,
        criteria_version_id=live(criteria_set).pk,
        reason=certificate_reason(CertificateReason.DRIFT_ALARM),
        cause=Certificate.Cause.DRIFT,
        now=timezone.now(),
    )

    page = text(client.get("/dashboard/"))

    assert page.count('<span class="badge uncertified">suspended</span>') == 2
