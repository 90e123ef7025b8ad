"""API tokens: stored hashed, bound to scopes and criteria sets."""

from datetime import datetime
from typing import ClassVar, Self

from django.conf import settings
from django.db import models
from django.db.models import Q

from labeling.models import CriteriaSet


class ApiTokenQuerySet(models.QuerySet["ApiToken"]):
    def in_force(self, now: datetime) -> Self:
        """Tokens neither revoked nor expired at `now`."""
        return self.filter(Q(expires_at=None) | Q(expires_at__gt=now), revoked_at=None)


class ApiToken(models.Model):
    """A key to the API. Only its SHA-256 is stored; 256 random bits need no slow hash.

    Scopes: `gate` reads certification, `submit` sends candidates, `export` reads labels and verdicts,
    `admin` does all three. Who may read the gate may not fetch the answer key.
    """

    class Scope(models.TextChoices):
        GATE = "gate", "read certification"
        SUBMIT = "submit", "send candidates"
        EXPORT = "export", "read labels and verdicts"
        ADMIN = "admin", "all of these"

    name = models.CharField(max_length=120)
    digest = models.CharField(max_length=64, unique=True)
    scopes = models.JSONField(default=list)
    every_criteria_set = models.BooleanField(default=False)
    criteria_sets = models.ManyToManyField(CriteriaSet, blank=True, related_name="tokens")
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    objects = ApiTokenQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["-pk"]

    def __str__(self) -> str:
        return self.name

    def is_in_force(self, now: datetime) -> bool:
        """Neither revoked nor expired; it is over in the very second it expires."""
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)

    def allows(self, scope: str) -> bool:
        """Whether one of the scopes is this one, or `admin`, which does all."""
        return scope in self.scopes or "admin" in self.scopes
