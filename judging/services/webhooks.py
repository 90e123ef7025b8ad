"""Messages about certificates: written down in the transaction that changes one, sent by the workers."""

from datetime import datetime

from judging.models import Certificate


def certificate_changed(*, before: Certificate | None, after: Certificate, moment: datetime) -> None:
    """Write a message for every webhook of the criteria set where the answer to readers has changed."""
