"""What providers allow, shared by all workers; and what they were found to take."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q


class ProviderLimit(models.Model):
    """How much may be asked of one provider at once and in a minute, by all workers together.

    `provider`: see `judging.domain.pacing.provider_of`. A limit that is null is none. The times are the
    workers' common state: when the next request and the next tokens are due, and until when nobody asks
    because the provider said so.
    """

    provider = models.CharField(max_length=200, unique=True)
    calls_in_flight = models.PositiveIntegerField(null=True, blank=True)
    requests_per_minute = models.PositiveIntegerField(null=True, blank=True)
    tokens_per_minute = models.PositiveIntegerField(null=True, blank=True)

    requests_due_at = models.DateTimeField(null=True, blank=True)
    tokens_due_at = models.DateTimeField(null=True, blank=True)
    closed_until = models.DateTimeField(null=True, blank=True)

    updated_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering: ClassVar = ["provider"]
        constraints: ClassVar = [
            models.CheckConstraint(
                name="providerlimit_above_zero",
                condition=(Q(calls_in_flight=None) | Q(calls_in_flight__gt=0))
                & (Q(requests_per_minute=None) | Q(requests_per_minute__gt=0))
                & (Q(tokens_per_minute=None) | Q(tokens_per_minute__gt=0)),
            ),
        ]

    def __str__(self) -> str:
        return self.provider


class ProviderShare(models.Model):
    """How many calls one worker process may have in flight at a limited provider, while its lease lasts."""

    limit = models.ForeignKey(ProviderLimit, on_delete=models.CASCADE, related_name="shares")
    worker = models.CharField(max_length=100)
    calls = models.PositiveIntegerField()
    lease_until = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(name="providershare_one_per_worker", fields=["limit", "worker"])
        ]

    def __str__(self) -> str:
        return f"{self.worker}: {self.calls} at {self.limit_id}"


class TakenFormat(models.Model):
    """The response format that a model was found to take, where it refused a stricter one."""

    model = models.CharField(max_length=200)
    base_url_env = models.CharField(max_length=80, blank=True)
    format = models.CharField(max_length=10)  # see judging.domain.params.RESPONSE_FORMATS
    noted_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(name="takenformat_one_per_model", fields=["model", "base_url_env"])
        ]

    def __str__(self) -> str:
        return f"{self.model}: {self.format}"
