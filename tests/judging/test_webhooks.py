"""Which messages a change of a certificate writes, and that none is written without the change."""

from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone

from judging.domain.reasons import CertificateReason, certificate_reason
from judging.models import Certificate, Delivery, JudgeVersion
from judging.services.certification import golden_set_changed
from judging.services.expiring import expire_due
from judging.services.resource import resource
from judging.services.standing import find_standing
from judging.services.suspending import reinstate, suspend
from judging.services.targets import NotAllowed
from judging.services.webhooks import CannotSend, add_webhook, change_secret, replay, secrets_of, send_test
from judging.services.webhooks import switch_webhook as switch
from labeling.models import AuditEvent, CriteriaSet
from tests.factories import live, make_criteria_set, make_judge, make_user
from tests.judging.dashboards import certify
from tests.judging.golden import correct
from tests.judging.receiving import make_webhook

pytestmark = pytest.mark.django_db

URL = "https://example.org/hooks"


@pytest.fixture
def criteria_set() -> CriteriaSet:
    return make_criteria_set("replies")


@pytest.fixture
def judge() -> JudgeVersion:
    return make_judge("strict")


def events() -> list[str]:
    return list(Delivery.objects.order_by("pk").values_list("event", flat=True))


def alarm(certificate: Certificate) -> None:
    reason = certificate_reason(CertificateReason.DRIFT_ALARM)
    versions = {
        "judge_version_id": certificate.judge_version_id,
        "criteria_version_id": certificate.criteria_version_id,
    }
    suspend(**versions, reason=reason, cause=Certificate.Cause.DRIFT, now=timezone.now())


def test_a_life_of_a_certificate_is_told_event_by_event(
    judge: JudgeVersion, criteria_set: CriteriaSet
) -> None:
    make_webhook(criteria_set, URL)

    certify(judge, criteria_set, a=4, d=4)
    certificate = certify(judge, criteria_set, a=28, b=2, c=2, d=28)
    alarm(certificate)
    reinstate(
        judge_version_id=certificate.judge_version_id,
        criteria_version_id=certificate.criteria_version_id,
        now=timezone.now(),
        note="The labels were wrong.",
    )

    assert events() == [
        "certificate.uncertified",
        "certificate.certified",
        "certificate.suspended",
        "certificate.reinstated",
    ]


def test_the_payload_is_the_resource_with_what_was_before_and_why(
    judge: JudgeVersion, criteria_set: CriteriaSet
) -> None:
    make_webhook(criteria_set, URL)
    certificate = certify(judge, criteria_set, a=28, b=2, c=2, d=28)

    alarm(certificate)

    payload = Delivery.objects.latest("pk").payload
    data = payload["data"]
    now = find_standing(judge="strict", criteria="replies", sets=None, now=timezone.now())
    assert (payload["type"], set(payload)) == ("certificate.suspended", {"type", "timestamp", "data"})
    assert resource(now).items() <= data.items()
    assert (data["certified"], data["reasons"][0]["code"]) == (False, "drift_alarm")
    assert (data["previous"]["certified"], data["previous"]["reasons"]) == (True, [])
    assert (data["live"], data["cause"]) == (True, "drift")
    assert data["cause_message"] == "People disagreed with it too often on live rows."


def test_that_its_time_ran_out_is_told_once(judge: JudgeVersion, criteria_set: CriteriaSet) -> None:
    certify(judge, criteria_set, a=28, d=28)
    make_webhook(criteria_set, URL)
    past = timezone.now() - timedelta(hours=1)
    Certificate.objects.update(calibrated_at=past - timedelta(days=30), expires_at=past)

    for _ in range(2):
        expire_due(now=timezone.now())

    assert events() == ["certificate.expired"]
    data = Delivery.objects.get().payload["data"]
    assert (data["certified"], data["reasons"][-1]["code"], data["cause"]) == (False, "expired", "expired")


def test_a_correction_that_costs_the_certificate_is_told(
    judge: JudgeVersion, criteria_set: CriteriaSet
) -> None:
    certify(judge, criteria_set, a=20, d=20, b=3)
    make_webhook(criteria_set, URL)

    rows = list(criteria_set.candidates.all()[:12])
    for row in rows:
        correct(row, "fail" if row.rulings.current().get().verdict == "pass" else "pass")
    golden_set_changed(live(criteria_set), [row.pk for row in rows])

    assert events()[-1] == "certificate.uncertified"


def test_a_change_that_is_rolled_back_is_not_told(judge: JudgeVersion, criteria_set: CriteriaSet) -> None:
    make_webhook(criteria_set, URL)

    with transaction.atomic():
        certify(judge, criteria_set, a=28, d=28)
        assert events() == ["certificate.certified"]
        transaction.set_rollback(True)

    assert events() == []


def test_only_webhooks_of_the_set_that_are_on_are_told(
    judge: JudgeVersion, criteria_set: CriteriaSet
) -> None:
    own, every = make_webhook(criteria_set, URL), make_webhook(None, URL)
    make_webhook(make_criteria_set("other"), URL)
    switch(webhook=make_webhook(criteria_set, URL), on=False, now=timezone.now())

    certify(judge, criteria_set, a=28, d=28)

    told = Delivery.objects.order_by("pk")
    assert [each.webhook for each in told] == [own, every]
    assert len({each.message_id for each in told}) == 1


def test_switching_off_gives_up_what_waits(judge: JudgeVersion, criteria_set: CriteriaSet) -> None:
    webhook = make_webhook(criteria_set, URL)
    certify(judge, criteria_set, a=28, d=28)

    switch(webhook=webhook, on=False, now=timezone.now())

    given_up = Delivery.objects.get()
    assert given_up.state == "failed"
    assert given_up.problem == (
        "The webhook was switched off before this was delivered. Switch it on and replay it."
    )
    with pytest.raises(CannotSend, match="Switch it on first"):
        replay(delivery=given_up, now=timezone.now())
    with pytest.raises(CannotSend, match="Switch it on first"):
        send_test(webhook=webhook, now=timezone.now())


def test_a_replay_has_the_same_id_and_text(judge: JudgeVersion, criteria_set: CriteriaSet) -> None:
    make_webhook(criteria_set, URL)
    certify(judge, criteria_set, a=28, d=28)
    first = Delivery.objects.get()
    with pytest.raises(CannotSend, match="still being sent"):
        replay(delivery=first, now=timezone.now())
    first.state = "delivered"
    first.save()

    again = replay(delivery=first, now=timezone.now())

    assert (again.message_id, again.payload, again.replay_of) == (first.message_id, first.payload, first)
    assert (again.state, again.tries) == ("waiting", 0)


def test_a_new_secret_leaves_the_one_before_a_day(criteria_set: CriteriaSet) -> None:
    webhook, now = make_webhook(criteria_set, URL), timezone.now()
    (old,) = secrets_of(webhook, now)

    changed = change_secret(webhook=webhook, now=now)

    new = secrets_of(changed, now)
    assert (len(set(new)), new[1]) == (2, old)
    assert secrets_of(changed, now + timedelta(hours=24)) == new[:1]


def test_no_secret_is_stored(criteria_set: CriteriaSet) -> None:
    webhook = make_webhook(criteria_set, URL)
    secret = secrets_of(webhook, timezone.now())[0].removeprefix("whsec_")

    change_secret(webhook=webhook, now=timezone.now())

    webhook.refresh_from_db()
    stored = [str(value) for value in (*webhook.__dict__.values(), *AuditEvent.objects.values_list())]
    assert not any(secret in each for each in stored)


def test_each_act_is_recorded_with_who_did_it(criteria_set: CriteriaSet) -> None:
    lead = make_user("lena", lead_of=criteria_set)

    webhook = add_webhook(url=URL, criteria_set=criteria_set, actor=lead)
    change_secret(webhook=webhook, now=timezone.now(), actor=lead)
    switch(webhook=webhook, on=False, now=timezone.now(), actor=lead)

    told = AuditEvent.objects.order_by("pk").values_list("action", "actor__username", "subject")
    assert [action for action, *_ in told] == [
        "webhook_added",
        "webhook_secret_changed",
        "webhook_switched_off",
    ]
    assert {tuple(rest) for _, *rest in told} == {("lena", URL)}


def test_a_refused_address_is_not_kept(criteria_set: CriteriaSet) -> None:
    with pytest.raises(NotAllowed):
        add_webhook(url="http://169.254.169.254/latest", criteria_set=criteria_set)

    assert not criteria_set.webhooks.exists()
