"""`gate JUDGE CRITERIA[@N]`: the certificate in force, for shells and CI."""

import json
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from judging.services.resource import resource, summary
from judging.services.standing import Standing, UnknownName, find_standing, named_version
from labeling.models import CriteriaSet


class Command(BaseCommand):
    help = "Say whether a judge is certified: exit 0 only when it is, 1 when it is not, 2 on wrong use."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("judge", help="slug of a judge, or slug@N for another version than the live one")
        parser.add_argument("criteria", help="slug of a criteria set, or slug@N")
        parser.add_argument("--json", action="store_true", help="print the certification resource")

    def handle(self, *args: Any, **options: Any) -> None:
        standing = _standing(options["judge"], options["criteria"])
        if options["json"]:
            self.stdout.write(json.dumps(resource(standing), indent=2))
        else:
            self.stdout.write(summary(standing))
        if not standing.certified:
            sys.exit(1)


def _standing(judge: str, criteria: str) -> Standing:
    try:
        slug, judge_version = named_version(judge)
        criteria_slug, version = named_version(criteria)
        return find_standing(
            judge=slug,
            criteria=criteria_slug,
            sets=CriteriaSet.objects.all(),
            now=timezone.now(),
            judge_version=judge_version,
            version=version,
        )
    except UnknownName as problem:
        raise CommandError(str(problem), returncode=2) from None
