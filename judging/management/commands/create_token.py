"""`create_token NAME --scope …`: a token for the API, printed once."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from judging.models import ApiToken
from judging.services.tokens import BadToken, create_token
from labeling.models import CriteriaSet


class Command(BaseCommand):
    help = "Make an API token. It is printed once and stored hashed."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="what the token is for, such as the pipeline that uses it")
        parser.add_argument(
            "--scope", action="append", required=True, choices=ApiToken.Scope.values, help="may be repeated"
        )
        parser.add_argument(
            "--criteria-set", action="append", metavar="SLUG", help="may be repeated; without it: every set"
        )
        parser.add_argument("--days", type=int, help="expires after so many days; without it: never")
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        chosen = _sets(options["criteria_set"])
        try:
            token, secret = create_token(
                name=options["name"], scopes=options["scope"], criteria_sets=chosen, days=options["days"]
            )
        except BadToken as problem:
            raise CommandError(str(problem), returncode=2) from None
        slugs = None if chosen is None else [each.slug for each in chosen]
        if options["json"]:
            self.stdout.write(json.dumps(_report(token, secret, slugs)))
        else:
            self.stdout.write(secret)
            self.stderr.write(_explanation(token, slugs))


def _sets(slugs: list[str] | None) -> list[CriteriaSet] | None:
    if slugs is None:
        return None
    found = {each.slug: each for each in CriteriaSet.objects.filter(slug__in=slugs)}
    for slug in slugs:
        if slug not in found:
            raise CommandError(f"There is no criteria set “{slug}”.", returncode=2)
    return list(found.values())


def _report(token: ApiToken, secret: str, slugs: list[str] | None) -> dict[str, Any]:
    expires = token.expires_at.isoformat() if token.expires_at else None
    return {
        "name": token.name,
        "token": secret,
        "scopes": token.scopes,
        "criteria_sets": slugs,
        "every_criteria_set": token.every_criteria_set,
        "expires_at": expires,
    }


def _explanation(token: ApiToken, slugs: list[str] | None) -> str:
    covers = "every criteria set, also those to come" if slugs is None else ", ".join(slugs)
    until = f"until {token.expires_at:%Y-%m-%d %H:%M %Z}" if token.expires_at else "without an end"
    return (
        f"Token “{token.name}”: scope {', '.join(token.scopes)}; covers {covers}; valid {until}. "
        "It is shown this once; only its hash is stored."
    )
