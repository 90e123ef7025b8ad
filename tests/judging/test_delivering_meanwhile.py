"""Answers that come while a webhook is switched off or deleted, and one that cannot be saved."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone
from pytest_django import Settings

from judging.models import Delivery, DeliveryTry, Webhook
from judging.services.delivering import claim_due, deliver_due, finish
from judging.services.posting import Answer
from judging.services.webhooks import delete_webhook, send_test, switch_webhook
from labeling.models import CriteriaSet
from tests.factories import make_criteria_set
from tests.judging.receiving import Receiver, told, waiting

pytestmark = pytest.mark.django_db
one_by_one = pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite lets one write at a time")


@pytest.fixture
def criteria_set() -> CriteriaSet:
    return make_criteria_set("replies")


@one_by_one
@pytest.mark.django_db(transaction=True)
def test_gone_and_a_lead_who_switches_off_wait_for_each_other(criteria_set: CriteriaSet) -> None:
    webhook = waiting(criteria_set).webhook
    (claimed,) = claim_due(timezone.now())

    def gone() -> None:
        try:
            finish(claimed, Answer("It answered with status 410.", 410), timezone.now())
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as workers:
        with transaction.atomic():
            Webhook.objects.select_for_update().get(pk=webhook.pk)
            answered = workers.submit(gone)
            until_somebody_waits()
            switch_webhook(webhook=webhook, on=False, now=timezone.now())
        answered.result(30)

    assert DeliveryTry.objects.get().status == 410


def until_somebody_waits() -> None:
    """Until another connection waits for a lock; ten seconds at the most."""
    until = time.monotonic() + 10
    with connection.cursor() as cursor:
        while time.monotonic() < until:
            cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
            if cursor.fetchone() != (0,):
                return
    raise AssertionError("Nobody waits.")


@one_by_one
@pytest.mark.django_db(transaction=True)
def test_who_deletes_a_webhook_waits_for_an_answer_that_is_being_saved(criteria_set: CriteriaSet) -> None:
    sent = waiting(criteria_set)
    (claimed,) = claim_due(timezone.now())

    def delete() -> None:
        try:
            delete_webhook(webhook=sent.webhook)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as workers:
        with transaction.atomic():
            Delivery.objects.select_for_update().get(pk=sent.pk)
            deleted = workers.submit(delete)
            until_somebody_waits()
            finish(claimed, Answer(status=204), timezone.now())
        deleted.result(30)

    assert not Delivery.objects.exists()


def test_an_answer_about_a_webhook_that_was_deleted_meanwhile_is_dropped(criteria_set: CriteriaSet) -> None:
    sent = waiting(criteria_set)
    claimed = claim_due(timezone.now())
    delete_webhook(webhook=sent.webhook)

    for answer in (Answer(status=204), Answer("It answered with status 410.", 410)):
        finish(claimed[0], answer, timezone.now())

    assert not DeliveryTry.objects.exists()


def test_an_answer_that_cannot_be_saved_loses_no_other(settings: Settings, criteria_set: CriteriaSet) -> None:
    broken = waiting(criteria_set, "https://example.invalid/")
    DeliveryTry.objects.create(delivery=broken, number=1, began_at=timezone.now(), seconds=0)
    with Receiver() as receiver:
        sent = send_test(webhook=told(settings, receiver, criteria_set), now=timezone.now())
        with pytest.raises(IntegrityError):
            deliver_due()

    sent.refresh_from_db()
    broken.refresh_from_db()
    assert (sent.state, broken.state) == ("delivered", "waiting")
