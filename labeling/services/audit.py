"""Recording acts that somebody may have to answer for."""

from typing import Any

from labeling.access import AnyUser
from labeling.models import AuditEvent, CriteriaSet


def record(
    *,
    actor: AnyUser | None,
    action: str,
    subject: str,
    criteria_set: CriteriaSet | None = None,
    **details: Any,
) -> AuditEvent:
    """Add one audit event. `details` must be JSON and hold no secret."""
    user = actor if actor is not None and actor.is_authenticated else None
    return AuditEvent.objects.create(
        actor=user, criteria_set=criteria_set, action=action, subject=subject[:200], details=details
    )
