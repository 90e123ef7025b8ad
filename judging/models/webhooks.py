"""Telling others of every change of a certificate: where to, and what became of each message."""

from datetime import datetime
from typing import ClassVar, Self

from django.conf import settings
from django.db import models
from django.db.models import Q

from judging.domain.webhook_events import event_words
from labeling.models import CriteriaSet


class Webhook(models.Model):
    """An address that is told of changes. Its signing key is derived from the salt, never stored."""

    criteria_set = models.ForeignKey(
        CriteriaSet, null=True, blank=True, on_delete=models.CASCADE, related_name="webhooks"
    )  # null: of every set
    url = models.URLField(max_length=500)
    description = models.CharField(max_length=200, blank=True)
    salt = models.CharField(max_length=64)
    # The salt before it, and until when messages are signed by both: receivers change over in peace.
    previous_salt = models.CharField(max_length=64, blank=True)
    previous_until = models.DateTimeField(null=True, blank=True)
    is_on = models.BooleanField(default=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["pk"]

    def __str__(self) -> str:
        return self.url


class DeliveryQuerySet(models.QuerySet["Delivery"]):
    def due(self, now: datetime) -> Self:
        """Those to be sent by `now` that no worker is sending."""
        waiting = self.filter(state="waiting", next_at__lte=now, webhook__is_on=True)
        return waiting.filter(Q(lease_until=None) | Q(lease_until__lt=now))


class Delivery(models.Model):
    """One message to one address, from the moment that something changed: written in that transaction."""

    class State(models.TextChoices):
        WAITING = "waiting", "waiting"
        DELIVERED = "delivered", "delivered"
        FAILED = "failed", "given up"

    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries")
    message_id = models.CharField(max_length=64)  # the same for every try of it and for its replays
    event = models.CharField(max_length=60)  # such as "certificate.suspended"
    payload = models.JSONField()
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    tries = models.PositiveSmallIntegerField(default=0)
    next_at = models.DateTimeField()
    lease_until = models.DateTimeField(null=True, blank=True)
    status = models.PositiveSmallIntegerField(null=True, blank=True)  # of the last answer
    problem = models.TextField(blank=True)  # why the last try failed
    answer = models.TextField(blank=True)  # the beginning of what the address last said
    replay_of = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.SET_NULL, related_name="replays"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = DeliveryQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["-pk"]
        verbose_name_plural = "deliveries"
        indexes: ClassVar = [
            models.Index(name="delivery_waiting", fields=["next_at"], condition=Q(state="waiting"))
        ]
        constraints: ClassVar = [
            models.CheckConstraint(
                name="delivery_state_known", condition=Q(state__in=["waiting", "delivered", "failed"])
            )
        ]

    def __str__(self) -> str:
        return f"{self.event} to {self.webhook}: {self.state}"

    @property
    def event_words(self) -> str:
        """The event as people read it."""
        return event_words(self.event)

    @property
    def about(self) -> str:
        """The versions that it tells of, such as "strict@2 on replies@1"; "" of a test."""
        told = self.payload.get("data", {})
        if "judge_version" not in told:
            return ""
        return f"{told['judge']}@{told['judge_version']} on {told['criteria']}@{told['criteria_version']}"


class DeliveryTry(models.Model):
    """One request that carried a message, and what came of it. Only added to."""

    delivery = models.ForeignKey(Delivery, on_delete=models.CASCADE, related_name="log")
    number = models.PositiveSmallIntegerField()
    began_at = models.DateTimeField()
    seconds = models.FloatField()
    address = models.CharField(max_length=64, blank=True)  # that the name led to; blank: there was no answer
    status = models.PositiveSmallIntegerField(null=True, blank=True)  # null: there was no answer
    problem = models.TextField(blank=True)  # why it failed, a sentence; blank: it was delivered
    answer = models.TextField(blank=True)  # the beginning of what came back

    class Meta:
        ordering: ClassVar = ["number"]
        constraints: ClassVar = [
            models.UniqueConstraint(name="deliverytry_number", fields=["delivery", "number"])
        ]

    def __str__(self) -> str:
        return f"try {self.number} of {self.delivery}"
