"""Sending the messages that are due, in the workers: each claimed by one, sent again when that one is lost.

The database is the queue, as for runs. A claim counts the try and has a lease; whoever claims compares the
number of tries first, so of two workers one gets it. A worker that dies leaves the lease to run out, and the
same message goes out again under the same id, by which its receiver knows it.
"""

import json
import logging
import random
from collections.abc import Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice

from django.db import DatabaseError, transaction
from django.db.models import F, Min
from django.utils import timezone

from judging.domain.webhook_events import MOST_TRIES, wait_after
from judging.domain.webhook_signing import signed_headers
from judging.loop import run_in_loop
from judging.models import Delivery, DeliveryTry, Webhook
from judging.services.posting import PATIENCE, Answer, post
from judging.services.stopping import is_stopping
from judging.services.webhooks import secrets_of, switch_webhook

log = logging.getLogger(__name__)

LEASE = timedelta(seconds=PATIENCE + 20)
_AT_ONCE = 20  # messages that a worker process sends at a time
_PER_WEBHOOK = 5  # of these to one address, so that a slow one does not hold up the others
_LOOK = 0.2  # seconds between two looks at what has come back
_GONE = 410
# Nothing packed is unpacked, so none is asked for.
_HEADERS = {
    "Content-Type": "application/json",
    "User-Agent": "Vera-Webhook/1",
    "Accept-Encoding": "identity",
}
_LOST = "Every worker that tried to send it was lost. The workers' log says more; replay it."


@dataclass(frozen=True, slots=True)
class Claimed:
    """A message that this worker may send now. `number`: which try it is, from 1."""

    delivery: Delivery
    number: int
    began: datetime


def deliver_due() -> None:
    """Send all messages that are due. Returns once they are answered, or when the worker is told to stop."""
    while not is_stopping() and (claimed := claim_due(timezone.now())):
        _send(claimed)


def claim_due(now: datetime) -> list[Claimed]:
    """Some messages that are due and that nobody else is sending: theirs alone until their lease ends."""
    chosen = list(islice(_fair(now), _AT_ONCE))
    return [Claimed(each, each.tries + 1, now) for each in chosen if _claim(each, now)]


def _fair(now: datetime) -> Iterator[Delivery]:
    """Those that are due, only so many to each address; who has waited longest comes first."""
    due = Delivery.objects.due(now)
    longest = due.order_by().values("webhook").annotate(since=Min("next_at")).order_by("since")
    for webhook in longest.values_list("webhook", flat=True)[:_AT_ONCE]:
        of_one = due.filter(webhook=webhook).select_related("webhook").order_by("next_at", "pk")
        yield from of_one[:_PER_WEBHOOK]


def _claim(delivery: Delivery, now: datetime) -> bool:
    seen = Delivery.objects.filter(pk=delivery.pk, state=Delivery.State.WAITING, tries=delivery.tries)
    if delivery.tries >= MOST_TRIES:
        seen.update(state=Delivery.State.FAILED, problem=_LOST, finished_at=now, lease_until=None)
        return False
    return bool(seen.update(tries=F("tries") + 1, lease_until=now + LEASE))


def _send(claimed: list[Claimed]) -> None:
    """An answer that cannot be saved costs no other: what the database said is raised once all are saved."""
    unsaved: list[DatabaseError] = []
    waiting = {run_in_loop(post(*_request(each))): each for each in claimed}
    while waiting and not is_stopping():
        for future in wait(waiting, timeout=_LOOK, return_when=FIRST_COMPLETED).done:
            try:
                _finish(waiting.pop(future), future)
            except DatabaseError as error:
                unsaved.append(error)
    for future, each in waiting.items():
        future.cancel()
        _give_back(each)
    if unsaved:
        raise unsaved[0]


def _request(claimed: Claimed) -> tuple[str, Mapping[str, str], bytes]:
    delivery, webhook = claimed.delivery, claimed.delivery.webhook
    body = json.dumps(delivery.payload, sort_keys=True, separators=(",", ":")).encode()
    known = secrets_of(webhook, claimed.began)
    signed = signed_headers(known, delivery.message_id, int(claimed.began.timestamp()), body)
    return webhook.url, _HEADERS | signed, body


def _finish(claimed: Claimed, future: Future[Answer]) -> None:
    try:
        answer = future.result()
    except Exception as error:
        log.exception("Message %s could not be sent.", claimed.delivery.message_id)
        answer = Answer(f"An error of Vera's own ({type(error).__name__}); the worker's log says where.")
    finish(claimed, answer, timezone.now())


@transaction.atomic
def finish(claimed: Claimed, answer: Answer, now: datetime) -> None:
    """Write down what came of a try, and when there will be another; nothing of a deleted webhook."""
    if answer.status == _GONE:
        # Before its messages, as everybody does who switches it off: in the other order two would deadlock.
        Webhook.objects.select_for_update().filter(pk=claimed.delivery.webhook_id).first()
    delivery = Delivery.objects.select_for_update().filter(pk=claimed.delivery.pk).first()
    if delivery is None:
        return
    DeliveryTry.objects.create(
        delivery=delivery,
        number=claimed.number,
        began_at=claimed.began,
        seconds=max(0.0, (now - claimed.began).total_seconds()),
        address=answer.address,
        status=answer.status,
        problem=answer.problem,
        answer=answer.text,
    )
    # An answer that comes late, when another worker has claimed the message or it was given up, counts if it
    # is a yes.
    mine = Delivery.objects.filter(pk=delivery.pk).exclude(state=Delivery.State.DELIVERED)
    if answer.problem:
        mine = mine.filter(state=Delivery.State.WAITING, tries=claimed.number)
    mine.update(**_outcome(claimed, answer, now))
    if answer.status == _GONE:
        switch_webhook(webhook=delivery.webhook, on=False, now=now, why="It answered with 410 Gone.")


def _outcome(claimed: Claimed, answer: Answer, now: datetime) -> dict[str, object]:
    told = {
        "status": answer.status,
        "problem": answer.problem,
        "answer": answer.text,
        "lease_until": None,
    }
    if not answer.problem:
        return told | {"state": Delivery.State.DELIVERED, "finished_at": now}
    pause = wait_after(claimed.number, answer.retry_after, random.random())  # noqa: S311
    if pause is None or answer.status == _GONE:
        return told | {"state": Delivery.State.FAILED, "finished_at": now}
    return told | {"next_at": now + pause}


def _give_back(claimed: Claimed) -> None:
    """The worker stops: somebody else sends it, and this was no try."""
    held = Delivery.objects.filter(pk=claimed.delivery.pk, state=Delivery.State.WAITING, tries=claimed.number)
    held.update(tries=F("tries") - 1, lease_until=None)
