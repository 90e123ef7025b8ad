"""`revoke_token NAME`: a token that answers to nobody any more."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from judging.services.tokens import revoke_tokens


class Command(BaseCommand):
    help = "Revoke every API token with this name, at once."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name")

    def handle(self, *args: Any, **options: Any) -> None:
        revoked = revoke_tokens(name=options["name"])
        if not revoked:
            raise CommandError(f"There is no token “{options['name']}” in force.", returncode=1)
        self.stdout.write(f"Revoked {revoked} token{'s' if revoked > 1 else ''} “{options['name']}”.")
