"""Messages on their way: sent once, signed, tried again, resent when a worker is lost."""

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from threading import Barrier

import pytest
from django.db import connection
from django.utils import timezone
from pytest_django import Settings

from judging.domain.webhook_events import MOST_TRIES
from judging.models import Delivery
from judging.services.delivering import LEASE, _claim, claim_due, deliver_due, finish
from judging.services.posting import Answer
from judging.services.webhooks import change_secret, replay, secrets_of, send_test, switch_webhook
from labeling.models import AuditEvent, CriteriaSet
from tests.factories import make_criteria_set, make_judge
from tests.judging.dashboards import certify
from tests.judging.receiving import Receiver, make_webhook, secret_of, status, told, waiting

pytestmark = pytest.mark.django_db


@pytest.fixture
def criteria_set() -> CriteriaSet:
    return make_criteria_set("replies")


def fail(answer: Answer, now: datetime) -> Delivery:
    """One try with this answer, at this time."""
    (claimed,) = claim_due(now)
    finish(claimed, answer, now)
    return Delivery.objects.get()


def test_a_change_is_delivered_with_a_signature_that_the_official_library_accepts(
    settings: Settings, criteria_set: CriteriaSet
) -> None:
    with Receiver(status(200, b"thanks")) as receiver:
        webhook = told(settings, receiver, criteria_set)
        certify(make_judge("strict"), criteria_set, a=28, b=2, c=2, d=28)
        deliver_due()

    (message,) = receiver.messages
    assert message.verified(secret_of(webhook))["data"]["certified"] is True
    assert message.headers["content-type"] == "application/json"
    assert (message.path, message.headers["host"]) == ("/hook", receiver.host)
    done = Delivery.objects.get()
    assert (done.state, done.status, done.answer, done.tries) == ("delivered", 200, "thanks", 1)
    assert (done.log.get().address, done.log.get().problem) == ("127.0.0.1", "")


def test_what_was_delivered_is_not_sent_again(settings: Settings, criteria_set: CriteriaSet) -> None:
    with Receiver() as receiver:
        send_test(webhook=told(settings, receiver, criteria_set), now=timezone.now())
        deliver_due()
        deliver_due()

    assert len(receiver.messages) == 1


def test_two_workers_send_once(criteria_set: CriteriaSet) -> None:
    waiting(criteria_set)

    first, second = claim_due(timezone.now()), claim_due(timezone.now())

    assert (len(first), second) == (1, [])


@pytest.mark.django_db(transaction=True)
def test_of_many_workers_at_once_each_message_goes_to_one(criteria_set: CriteriaSet) -> None:
    for number in range(4):
        waiting(criteria_set, f"https://example.org/{number}")
    together = Barrier(3)

    def claim() -> list[int]:
        try:
            together.wait(10)
            return [each.delivery.pk for each in claim_due(timezone.now())]
        finally:
            connection.close()

    with ThreadPoolExecutor(3) as workers:
        claimed = [pk for each in [workers.submit(claim) for _ in range(3)] for pk in each.result(30)]

    assert sorted(claimed) == sorted(Delivery.objects.values_list("pk", flat=True))


def test_a_worker_that_reads_before_another_claims_gets_nothing(criteria_set: CriteriaSet) -> None:
    seen = waiting(criteria_set)
    now = timezone.now()

    assert [_claim(seen, now), _claim(seen, now)] == [True, False]


def test_a_worker_lost_before_it_saved_leaves_the_message_to_another_under_the_same_id(
    settings: Settings, criteria_set: CriteriaSet
) -> None:
    with Receiver() as receiver:
        sent = send_test(webhook=told(settings, receiver, criteria_set), now=timezone.now())
        claim_due(timezone.now())  # and the worker is killed
        deliver_due()
        assert receiver.messages == []
        Delivery.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
        deliver_due()

    assert [message.id for message in receiver.messages] == [sent.message_id]
    done = Delivery.objects.get()
    assert (done.state, done.tries, [each.number for each in done.log.all()]) == ("delivered", 2, [2])


def test_an_answer_that_comes_after_the_lease_counts_when_it_is_a_yes(criteria_set: CriteriaSet) -> None:
    waiting(criteria_set)
    now = timezone.now()
    (slow,) = claim_due(now)
    (other,) = claim_due(now + LEASE + timedelta(seconds=1))

    finish(slow, Answer(status=204), now)
    finish(other, Answer("It answered with status 500.", 500), now)

    done = Delivery.objects.get()
    assert (done.state, done.status, done.log.count()) == ("delivered", 204, 2)


def test_a_failure_that_comes_after_the_lease_leaves_the_other_try_alone(criteria_set: CriteriaSet) -> None:
    waiting(criteria_set)
    now = timezone.now()
    (slow,) = claim_due(now)
    claim_due(now + LEASE + timedelta(seconds=1))

    finish(slow, Answer("It did not answer within 10 seconds."), now)

    held = Delivery.objects.get()
    assert (held.tries, held.problem, held.lease_until is not None) == (2, "", True)


def test_what_is_taken_after_the_webhook_was_switched_off_was_delivered(criteria_set: CriteriaSet) -> None:
    sent = waiting(criteria_set)
    (claimed,) = claim_due(timezone.now())
    switch_webhook(webhook=sent.webhook, on=False, now=timezone.now())

    finish(claimed, Answer(status=204), timezone.now())

    done = Delivery.objects.get()
    assert (done.state, done.problem) == ("delivered", "")


def test_a_message_that_every_worker_is_lost_with_is_given_up(criteria_set: CriteriaSet) -> None:
    waiting(criteria_set)
    Delivery.objects.update(tries=MOST_TRIES, lease_until=timezone.now() - timedelta(seconds=1))

    assert claim_due(timezone.now()) == []

    assert Delivery.objects.get().problem.startswith("Every worker that tried to send it was lost.")


def test_tries_grow_apart_until_the_message_is_given_up(criteria_set: CriteriaSet) -> None:
    waiting(criteria_set)
    began = now = timezone.now()
    waits = []

    while True:
        delivery = fail(Answer("It answered with status 500.", 500), now)
        if delivery.state == "failed":
            break
        waits.append(delivery.next_at - now)
        now = delivery.next_at

    assert len(waits) == MOST_TRIES - 1 == delivery.log.count() - 1
    assert timedelta(seconds=5) <= waits[0] <= timedelta(seconds=5.5)
    assert timedelta(hours=75) < now - began < timedelta(hours=84)
    assert delivery.problem == "It answered with status 500."


def test_an_address_that_asks_for_time_gets_it(settings: Settings, criteria_set: CriteriaSet) -> None:
    with Receiver(status(429, b"slow down", Retry_After="120")) as receiver:
        send_test(webhook=told(settings, receiver, criteria_set), now=timezone.now())
        deliver_due()

    delivery = Delivery.objects.get()
    assert timedelta(seconds=115) < delivery.next_at - timezone.now() <= timedelta(seconds=120)
    assert (delivery.status, delivery.answer) == (429, "slow down")


def test_gone_switches_the_webhook_off(settings: Settings, criteria_set: CriteriaSet) -> None:
    with Receiver(status(410)) as receiver:
        webhook = told(settings, receiver, criteria_set)
        send_test(webhook=webhook, now=timezone.now())
        deliver_due()

    webhook.refresh_from_db()
    assert not webhook.is_on
    assert Delivery.objects.get().problem == "It answered with status 410."
    assert AuditEvent.objects.latest("pk").details["why"] == "It answered with 410 Gone."


def test_a_replay_comes_under_the_same_id(settings: Settings, criteria_set: CriteriaSet) -> None:
    with Receiver() as receiver:
        first = send_test(webhook=told(settings, receiver, criteria_set), now=timezone.now())
        deliver_due()
        first.refresh_from_db()
        replay(delivery=first, now=timezone.now())
        deliver_due()

    one, two = receiver.messages
    assert (one.id, one.body) == (two.id, two.body)


def test_after_a_change_both_secrets_are_accepted(settings: Settings, criteria_set: CriteriaSet) -> None:
    with Receiver() as receiver:
        webhook = told(settings, receiver, criteria_set)
        old = secret_of(webhook)
        new, _ = secrets_of(change_secret(webhook=webhook, now=timezone.now()), timezone.now())
        send_test(webhook=webhook, now=timezone.now())
        deliver_due()

    (message,) = receiver.messages
    for secret in (old, new):
        assert message.verified(secret)["type"] == "webhook.test"


def test_one_slow_address_does_not_hold_up_the_others(criteria_set: CriteriaSet) -> None:
    slow, other = (make_webhook(criteria_set, f"https://example.org/{n}") for n in range(2))
    for webhook in [slow] * 30 + [other]:
        send_test(webhook=webhook, now=timezone.now())

    claimed = claim_due(timezone.now())

    assert [each.delivery.webhook_id for each in claimed].count(slow.pk) == 5
    assert other.pk in {each.delivery.webhook_id for each in claimed}


def test_a_connection_that_fails_is_a_sentence(settings: Settings, criteria_set: CriteriaSet) -> None:
    with Receiver() as receiver:
        webhook = told(settings, receiver, criteria_set)
    send_test(webhook=webhook, now=timezone.now())

    deliver_due()

    delivery = Delivery.objects.get()
    assert (delivery.state, delivery.status) == ("waiting", None)
    assert delivery.problem.startswith("It could not be reached: ")
