"""A message whose worker is killed while it sends."""

from datetime import timedelta

import pytest
from django.utils import timezone
from pytest_django import Settings

from judging.models import Delivery
from judging.services.webhooks import send_test
from tests.factories import make_criteria_set
from tests.faults.conftest import MakeHouse
from tests.faults.servers import wait_for
from tests.judging.receiving import Receiver, make_webhook, silent, status

pytestmark = pytest.mark.faults


def test_another_worker_sends_it_again_under_the_same_id(make_house: MakeHouse, settings: Settings) -> None:
    with Receiver(silent) as receiver:
        settings.VERA_WEBHOOK_HOSTS = [receiver.host]
        house = make_house(VERA_WEBHOOK_HOSTS=receiver.host)
        sent = send_test(webhook=make_webhook(make_criteria_set(), receiver.url), now=timezone.now())
        worker = house.start_worker()
        wait_for(lambda: receiver.messages, 60, "the first worker to send the message")

        worker.kill()
        receiver.answer = status(204)
        Delivery.objects.update(lease_until=timezone.now() - timedelta(seconds=1))  # half a minute has passed
        house.start_worker()

        wait_for(lambda: Delivery.objects.filter(state="delivered").exists(), 60, "the second one to send it")
    assert [message.id for message in receiver.messages] == [sent.message_id] * 2
    assert Delivery.objects.get().tries == 2
