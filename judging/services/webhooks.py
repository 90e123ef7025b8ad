"""Messages about certificates: written down in the transaction that changes one, sent by the workers."""

import secrets
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Q

from judging.domain.webhook_events import Answer, Event, event_of
from judging.domain.webhook_signing import secret_from
from judging.models import Certificate, Delivery, Webhook
from judging.services.standing import Standing
from judging.services.targets import target_of
from labeling.access import AnyUser
from labeling.models import CriteriaSet
from labeling.services.audit import record

_BOTH_SECRETS = timedelta(hours=24)  # for which messages are signed by the secret before, too
_SWITCHED_OFF = "The webhook was switched off before this was delivered. Switch it on and replay it."


class CannotSend(ValueError):
    """The webhook takes no message as things stand; the sentence says what to do."""


def certificate_changed(*, before: Certificate | None, after: Certificate, moment: datetime) -> None:
    """Write a message for every webhook of the criteria set where the answer to readers has changed.

    Called in the transaction that adds `after`, so that no change goes untold and none is told that was not.
    """
    reinstated = after.cause == Certificate.Cause.REINSTATED
    event = event_of(_answer(before) if before else None, _answer(after), moment, reinstated=reinstated)
    if event is None:
        return
    told = Webhook.objects.filter(is_on=True).filter(
        Q(criteria_set=after.criteria_version.criteria_set_id) | Q(criteria_set=None)
    )
    if webhooks := list(told):
        _write(webhooks, event, _data(before, after, moment), moment)


def _answer(certificate: Certificate) -> Answer:
    said = (*certificate.reasons, *certificate.warnings)
    certified = certificate.status == Certificate.Status.CERTIFIED
    return Answer(certified, frozenset(each["code"] for each in said), certificate.expires_at)


def _data(before: Certificate | None, after: Certificate, moment: datetime) -> dict[str, Any]:
    """The certification resource as it is now, what was before, and why it changed."""
    from judging.services.resource import resource  # which imports the module that calls this one

    judge, criteria_set = after.judge_version.judge, after.criteria_version.criteria_set
    return resource(Standing(after.judge_version, after.criteria_version, after, moment)) | {
        "live": judge.live_version_id == after.judge_version_id
        and criteria_set.live_version_id == after.criteria_version_id,
        "cause": str(after.cause),
        "cause_message": f"{Certificate.Cause(after.cause).label.capitalize()}.",
        "previous": None if before is None else _previous(before, moment),
    }


def _previous(before: Certificate, moment: datetime) -> dict[str, Any]:
    standing = Standing(before.judge_version, before.criteria_version, before, moment)
    return {
        "certified": standing.certified,
        "status": str(standing.status),
        "reasons": [str(reason.code) for reason in standing.reasons],
        "expires_at": before.expires_at.isoformat(),
    }


def _write(webhooks: list[Webhook], event: Event, data: dict[str, Any], moment: datetime) -> list[Delivery]:
    """One message to each of them, under one id."""
    message_id = f"msg_{secrets.token_hex(16)}"
    payload = {"type": str(event), "timestamp": moment.isoformat(), "data": data}
    return Delivery.objects.bulk_create(
        Delivery(webhook=each, message_id=message_id, event=event, payload=payload, next_at=moment)
        for each in webhooks
    )


def secrets_of(webhook: Webhook, now: datetime) -> list[str]:
    """What its messages are signed with: its secret, and for a day after a change the one before."""
    salts = [webhook.salt]
    if webhook.previous_salt and webhook.previous_until and now < webhook.previous_until:
        salts.append(webhook.previous_salt)
    return [secret_from(settings.SECRET_KEY, salt) for salt in salts]


@transaction.atomic
def add_webhook(
    *, url: str, criteria_set: CriteriaSet | None, description: str = "", actor: AnyUser | None = None
) -> Webhook:
    """A new address, switched on; `criteria_set` None: told about every one. Raises `NotAllowed`."""
    target_of(url)
    webhook = Webhook.objects.create(
        url=url,
        criteria_set=criteria_set,
        description=description,
        salt=secrets.token_hex(24),
        created_by=actor if actor is not None and actor.is_authenticated else None,
    )
    _record(webhook, actor, "webhook_added")
    return webhook


@transaction.atomic
def switch_webhook(
    *, webhook: Webhook, on: bool, now: datetime, actor: AnyUser | None = None, why: str = ""
) -> Webhook:
    """On or off. Switched off, it is told nothing, and what waits to be sent is given up."""
    locked = _locked(webhook)
    if locked.is_on == on:
        return locked
    locked.is_on = on
    locked.save(update_fields=["is_on"])
    if not on:
        waiting = locked.deliveries.filter(state=Delivery.State.WAITING)
        waiting.update(state=Delivery.State.FAILED, problem=_SWITCHED_OFF, finished_at=now, lease_until=None)
    _record(locked, actor, "webhook_switched_on" if on else "webhook_switched_off", why=why)
    return locked


@transaction.atomic
def change_secret(*, webhook: Webhook, now: datetime, actor: AnyUser | None = None) -> Webhook:
    """Another secret. For a day messages carry a signature by each, so that the receiver can change over."""
    locked = _locked(webhook)
    locked.previous_salt, locked.previous_until = locked.salt, now + _BOTH_SECRETS
    locked.salt = secrets.token_hex(24)
    locked.save(update_fields=["salt", "previous_salt", "previous_until"])
    _record(locked, actor, "webhook_secret_changed")
    return locked


@transaction.atomic
def show_secret(*, webhook: Webhook, actor: AnyUser) -> str:
    """The secret, for somebody who sets up the receiver. That it was shown is recorded."""
    _record(webhook, actor, "webhook_secret_shown")
    return secret_from(settings.SECRET_KEY, webhook.salt)


@transaction.atomic
def delete_webhook(*, webhook: Webhook, actor: AnyUser | None = None) -> None:
    """Take an address away, with the log of what was sent there."""
    locked = _locked(webhook)
    # An answer that is being saved is waited for: its try would be one of a message that is no more.
    list(locked.deliveries.select_for_update().order_by("pk").values_list("pk"))
    _record(locked, actor, "webhook_deleted")
    locked.delete()


@transaction.atomic
def send_test(*, webhook: Webhook, now: datetime, actor: AnyUser | None = None) -> Delivery:
    """A message that says only that it is a test. Raises `CannotSend`. The caller wakes the workers."""
    locked = _switched_on(webhook)
    of = locked.criteria_set
    data = {"message": "This is a test. No certificate has changed.", "criteria": of.slug if of else None}
    _record(locked, actor, "webhook_tested")
    return _write([locked], Event.TEST, data, now)[0]


@transaction.atomic
def replay(*, delivery: Delivery, now: datetime, actor: AnyUser | None = None) -> Delivery:
    """Send a message again, under its id, by which a receiver that has it already leaves it alone.

    Raises `CannotSend`. The caller wakes the workers.
    """
    locked = _switched_on(delivery.webhook)
    if delivery.state == Delivery.State.WAITING:
        raise CannotSend("This message is still being sent. Wait until it is delivered or given up.")
    _record(locked, actor, "webhook_replayed", message=delivery.message_id)
    return Delivery.objects.create(
        webhook=locked,
        message_id=delivery.message_id,
        event=delivery.event,
        payload=delivery.payload,
        next_at=now,
        replay_of=delivery,
    )


def _switched_on(webhook: Webhook) -> Webhook:
    locked = _locked(webhook)
    if not locked.is_on:
        raise CannotSend("The webhook is switched off, so nothing is sent. Switch it on first.")
    return locked


def _locked(webhook: Webhook) -> Webhook:
    return Webhook.objects.select_for_update(of=("self",)).select_related("criteria_set").get(pk=webhook.pk)


def _record(webhook: Webhook, actor: AnyUser | None, action: str, **details: object) -> None:
    record(
        actor=actor,
        action=action,
        subject=webhook.url,
        criteria_set=webhook.criteria_set,
        webhook=webhook.pk,
        **details,
    )
