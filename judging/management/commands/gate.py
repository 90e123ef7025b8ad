"""`gate JUDGE CRITERIA[@N]`: the certificate in force, for shells and CI."""

import json
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from judging.services.resource import resource, summary
from judging.services.standing import UnknownName, named_standing


class Command(BaseCommand):
    help = "Say whether a judge is certified: exit 0 only when it is, 1 when it is not, 2 on wrong use."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("judge", help="slug of a judge, or slug@N for another version than the live one")
        parser.add_argument("criteria", help="slug of a criteria set, or slug@N")
        parser.add_argument("--json", action="store_true", help="print the certification resource")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            standing = named_standing(options["judge"], options["criteria"], timezone.now())
        except UnknownName as problem:
            raise CommandError(str(problem), returncode=2) from None
        if options["json"]:
            self.stdout.write(json.dumps(resource(standing), indent=2))
        else:
            self.stdout.write(summary(standing))
        if not standing.certified:
            sys.exit(1)
