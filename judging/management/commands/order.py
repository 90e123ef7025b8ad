"""`order JUDGE CRITERIA[@N]`: ask a judge about reference sets, and say whether it orders them rightly."""

import json
import sys
from functools import partial
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction
from django.utils import timezone

from judging.management.following import follow, run_resource
from judging.models import OrderingResult, Run
from judging.services.order_resource import newest_result, order_resource, order_summary
from judging.services.ordering import start_ordering
from judging.services.runs import CannotRun
from judging.services.standing import Standing, UnknownName, named_standing
from judging.tasks import start_work


class Command(BaseCommand):
    help = (
        "Run a judge over the reference sets. With --wait: follow the run to its end, then say how many sets "
        "it put in the wrong order: exit 0 where there is none, 1 where there is one, or where nothing could "
        "be told. Without: start the run and say what the last one found. Exit 2: wrong names, or no sets."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("judge", help="slug of a judge, or slug@N for another version than the live one")
        parser.add_argument("criteria", help="slug of a criteria set, or slug@N")
        parser.add_argument("--wait", action="store_true", help="follow the run until it ends")
        parser.add_argument("--json", action="store_true", help="print the ordering resource and the run")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            standing = named_standing(options["judge"], options["criteria"], timezone.now())
            run = self.start(standing)
        except (UnknownName, CannotRun) as problem:
            raise CommandError(str(problem), returncode=2) from None
        if options["wait"]:
            run = follow(run, self.stderr)
        result = newest_result(standing)
        if options["json"]:
            told = order_resource(standing, result) | {"run": run_resource(run)}
            self.stdout.write(json.dumps(told, indent=2))
        else:
            self.stdout.write(order_summary(result))
        if not _is_in_order(result) or (options["wait"] and run.state != Run.State.FINISHED):
            sys.exit(1)

    def start(self, standing: Standing) -> Run:
        """The run that answers this call: a new one, or the one that is at work already."""
        judge, criteria = standing.judge_version, standing.criteria_version
        with transaction.atomic():
            run, is_new = start_ordering(judge_version=judge, criteria_version=criteria)
            transaction.on_commit(partial(start_work, run.pk))
        what = "is started" if is_new else "is at work already, so no second one was started"
        self.stderr.write(f"Run {run.pk} {what}: {judge} over the reference sets of {criteria}.")
        return run


def _is_in_order(result: OrderingResult | None) -> bool:
    return result is not None and result.sets > 0 and not result.violated
