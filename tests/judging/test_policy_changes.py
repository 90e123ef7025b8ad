"""A policy that changes: certificates fall at once, none rises, and what it would do is told beforehand."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from judging.domain.reasons import CertificateReason, certificate_reason
from judging.models import Certificate, JudgeVersion
from judging.services.suspending import reinstate, suspend
from labeling.models import CriteriaSet
from labeling.services.criteria_settings import update_set
from tests.factories import live, make_criteria_set, make_judge, make_user
from tests.judging.dashboards import certify, text
from tests.judging.golden import NOON, codes

pytestmark = pytest.mark.django_db


@pytest.fixture
def criteria_set() -> CriteriaSet:
    return make_criteria_set("replies")


@pytest.fixture
def lead(criteria_set: CriteriaSet) -> User:
    return make_user("lead", lead_of=criteria_set)


@pytest.fixture
def judge() -> JudgeVersion:
    return make_judge("strict")


@pytest.fixture
def certificate(judge: JudgeVersion, criteria_set: CriteriaSet) -> Certificate:
    """Kappa .7 on 100 rows, with one skip."""
    return certify(judge, criteria_set, a=43, b=7, c=8, d=42, skipped_pass=1)


def change(criteria_set: CriteriaSet, actor: User | None = None, **policy: Any) -> Certificate:
    """The certificate in force after the change."""
    update_set(criteria_set=criteria_set, actor=actor, **policy)
    return Certificate.objects.current().get()


@pytest.mark.parametrize(
    ("stricter", "reason"),
    [
        ({"bar": Decimal("0.8")}, "below_bar"),
        ({"min_rows": 200}, "too_few_rows"),
        ({"min_per_class": 60}, "too_few_of_one_class"),
        ({"min_coverage": Decimal("0.999")}, "low_coverage"),
        ({"demand_ordering": True}, "ordering_violated"),
        ({"demand_human_ceiling": True}, "human_ceiling_low"),
        ({"rule": "bound"}, "bound_below_bar"),
    ],
)
def test_what_became_stricter_counts_at_once(
    certificate: Certificate, criteria_set: CriteriaSet, lead: User, stricter: dict[str, Any], reason: str
) -> None:
    after = change(criteria_set, lead, **stricter)

    assert after.status == "uncertified"
    assert reason in codes(after)
    assert (after.cause, after.actor, after.calibration) == ("policy", lead, certificate.calibration)
    name, value = next(iter(stricter.items()))
    assert after.policy[name] == (str(value) if isinstance(value, Decimal) else value)


def test_what_became_laxer_waits_for_the_next_run(
    judge: JudgeVersion, certificate: Certificate, criteria_set: CriteriaSet
) -> None:
    fallen = change(criteria_set, bar=Decimal("0.8"))

    assert change(criteria_set, bar=Decimal("0.65")) == fallen
    assert fallen.status == "uncertified"

    run_again = certify(judge, criteria_set, a=43, b=7, c=8, d=42)
    assert run_again.status == "certified"


def test_undoing_a_laxer_policy_leaves_the_certificate_alone(
    certificate: Certificate, criteria_set: CriteriaSet
) -> None:
    change(criteria_set, bar=Decimal("0.3"), min_rows=10)

    assert change(criteria_set, bar=Decimal("0.65"), min_rows=30) == certificate


def test_a_certificate_that_meets_the_stricter_policy_is_kept_under_it(
    certificate: Certificate, criteria_set: CriteriaSet
) -> None:
    after = change(criteria_set, bar=Decimal("0.69"), min_rows=10)

    assert (after.status, after.cause, after.kappa) == ("certified", "policy", certificate.kappa)
    assert (after.policy["bar"], after.policy["min_rows"]) == ("0.69", 30)
    assert after.expires_at == certificate.expires_at


def test_a_longer_life_is_for_the_next_certificate(
    certificate: Certificate, criteria_set: CriteriaSet
) -> None:
    assert change(criteria_set, max_age_days=300) == certificate


def test_a_shorter_life_ends_sooner_or_at_once(certificate: Certificate, criteria_set: CriteriaSet) -> None:
    sooner = change(criteria_set, max_age_days=10)
    assert (sooner.status, sooner.expires_at - sooner.calibrated_at) == ("certified", timedelta(days=10))

    ago = timezone.now() - timedelta(days=5)
    Certificate.objects.filter(pk=sooner.pk).update(calibrated_at=ago)
    over = change(criteria_set, max_age_days=4)

    assert (over.status, codes(over)) == ("uncertified", ["expired"])


def test_the_plan_of_looks_stays_as_the_rows_were_scored_under(
    certificate: Certificate, criteria_set: CriteriaSet
) -> None:
    assert change(criteria_set, looks=[50, 100], n_max=100) == certificate

    after = change(criteria_set, rule="bound")

    assert list(after.policy["looks"]) == [30, 60, 100, 150, 200, 300, 400]


def test_a_suspension_stays_and_lifting_it_skips_no_demand(
    judge: JudgeVersion, certificate: Certificate, criteria_set: CriteriaSet
) -> None:
    versions: Any = {"judge_version_id": judge.pk, "criteria_version_id": live(criteria_set).pk}
    alarm = certificate_reason(CertificateReason.DRIFT_ALARM)
    suspend(**versions, reason=alarm, cause=Certificate.Cause.DRIFT, now=timezone.now())

    suspended = change(criteria_set, bar=Decimal("0.8"))
    lifted = reinstate(**versions, now=timezone.now(), note="The chart was wrong.")

    assert codes(suspended) == ["drift_alarm", "below_bar"]
    assert (lifted.status, codes(lifted)) == ("uncertified", ["below_bar"])


def test_an_uncertified_judge_stays_so(judge: JudgeVersion, criteria_set: CriteriaSet) -> None:
    before = certify(judge, criteria_set, a=10, d=10)

    after = change(criteria_set, min_per_class=30)

    assert codes(before) == ["too_few_rows"]
    assert codes(after) == ["too_few_rows", "too_few_of_one_class"]


def test_an_expired_certificate_is_left_as_it_is(certificate: Certificate, criteria_set: CriteriaSet) -> None:
    Certificate.objects.update(expires_at=timezone.now() - timedelta(seconds=1), calibrated_at=NOON)

    assert change(criteria_set, bar=Decimal("0.8")) == certificate


def test_other_sets_keep_theirs(judge: JudgeVersion, criteria_set: CriteriaSet) -> None:
    elsewhere = certify(judge, make_criteria_set("elsewhere"), a=30, d=30)

    assert change(criteria_set, min_rows=500) == elsewhere


def test_the_lead_sees_beforehand_who_would_lose_what(
    judge: JudgeVersion, certificate: Certificate, criteria_set: CriteriaSet, lead: User, client: Client
) -> None:
    certify(make_judge("better"), criteria_set, a=50, d=50)
    client.force_login(lead)
    form = client.get("/sets/replies/policy/").context["form"]
    sent = {name: form[name].value() for name in form.fields if form[name].value() is not False}
    sent |= {"looks": "30, 60", "n_max": 60, "bar": "0.8", "max_age_days": 20}

    page = client.post("/sets/replies/policy/", sent)

    assert "1 judge would lose its certificate at once." in text(page)
    assert "strict@1 on replies@1, which is live: Kappa 0.700 is below the bar of 0.8." in text(page)
    assert "1 certificate would expire sooner." in text(page)
    assert "better@1 on replies@1, which is live: on " in text(page)
    assert Certificate.objects.count() == 2

    client.post("/sets/replies/policy/", sent | {"seen": page.context["seen"]})

    assert [each.status for each in Certificate.objects.current().order_by("pk")] == [
        "uncertified",
        "certified",
    ]
    assert set(Certificate.objects.filter(cause="policy").values_list("actor__username", flat=True)) == {
        "lead"
    }
