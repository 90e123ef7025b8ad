"""`export_certificate JUDGE CRITERIA[@N]`: the answer as a signed file, for `gate --offline`."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from judging.services.signing import CannotSign, sign_standing
from judging.services.standing import UnknownName, named_standing


class Command(BaseCommand):
    help = "Write a signed certificate, which `gate --offline` believes without server or database."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("judge", help="slug of a judge, or slug@N for another version than the live one")
        parser.add_argument("criteria", help="slug of a criteria set, or slug@N")
        parser.add_argument("-o", "--output", metavar="FILE", help="where to write it; else it is printed")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            standing = named_standing(options["judge"], options["criteria"], timezone.now())
            content = json.dumps(sign_standing(standing), indent=2)
        except (UnknownName, CannotSign) as problem:
            raise CommandError(str(problem), returncode=2) from None
        if not options["output"]:
            self.stdout.write(content)
            return
        try:
            Path(options["output"]).write_text(content + "\n", encoding="utf-8")
        except OSError as error:
            raise CommandError(
                f"{options['output']} cannot be written: {error.strerror}.", returncode=2
            ) from None
        self.stderr.write(f"{standing.status}: written to {options['output']}")
