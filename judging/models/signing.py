"""The public keys that this installation has signed certificates with."""

from typing import ClassVar

from django.db import models


class SigningKey(models.Model):
    """A public key, from its first signature on. Its secret half is never in the database."""

    key_id = models.CharField(max_length=64, unique=True)
    public_key = models.CharField(max_length=64)  # base64 of its 32 bytes
    first_used_at = models.DateTimeField()
    withdrawn_at = models.DateTimeField(null=True, blank=True)  # it is not to be believed any more

    class Meta:
        ordering: ClassVar = ["-pk"]

    def __str__(self) -> str:
        return self.key_id
