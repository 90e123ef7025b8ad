"""API tokens: stored hashed, bound to scopes and criteria sets."""

from typing import ClassVar

from django.conf import settings
from django.db import models

from labeling.models import CriteriaSet


class ApiToken(models.Model):
    """A key to the API. Only its SHA-256 is stored; 256 random bits need no slow hash.

    Scopes: `gate` reads certification, `submit` sends candidates, `export` reads labels and verdicts,
    `admin` does all three. Who may read the gate may not fetch the answer key.
    """

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

    class Meta:
        ordering: ClassVar = ["-pk"]

    def __str__(self) -> str:
        return self.name
