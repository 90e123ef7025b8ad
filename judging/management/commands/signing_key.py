"""`signing_key`: the public key by which others check our certificates, and changing it."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from judging.domain.signed_certificates import encoded, key_id_of
from judging.models import SigningKey
from judging.services.signing import CannotSign, current_public_key, renew_key, withdraw_key


class Command(BaseCommand):
    help = "Print the public key that certificates are signed with. The secret one is never printed."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        choice = parser.add_mutually_exclusive_group()
        choice.add_argument(
            "--renew", action="store_true", help="make another key; the one before stays listed"
        )
        choice.add_argument("--withdraw", metavar="KEY_ID", help="list a key no more: it is in wrong hands")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if options["withdraw"]:
                withdraw_key(key_id=options["withdraw"], now=timezone.now())
                self.stdout.write(
                    f"{options['withdraw']} is listed no more. Tell those who trust it by --key."
                )
                return
            public = renew_key(now=timezone.now()) if options["renew"] else current_public_key()
        except CannotSign as problem:
            raise CommandError(str(problem), returncode=2) from None
        except SigningKey.DoesNotExist:
            raise CommandError(f"There is no key {options['withdraw']!r}.", returncode=2) from None
        self.stdout.write(f"{encoded(public)}  {key_id_of(public)}")
