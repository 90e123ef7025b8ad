"""Print docs/certificate-states.md."""

from typing import Any

from django.core.management.base import BaseCommand

from judging.domain.certificate_diagram import document
from judging.models import Certificate


class Command(BaseCommand):
    """The states of a certificate and what leads from one to another, as the code has them."""

    help = "Print docs/certificate-states.md as the code has it: states, events, diagram. Nothing is changed."

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(document(dict(Certificate.Cause.choices)), ending="")
