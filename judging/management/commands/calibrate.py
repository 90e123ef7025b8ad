"""`calibrate JUDGE CRITERIA[@N]`: compare a judge with the golden set, and say whether it may be trusted."""

import json
import sys
from collections.abc import Iterator
from functools import partial
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction
from django.utils import timezone

from judging.management.following import follow, run_resource
from judging.models import JudgeVersion, Run
from judging.services.ordering import ordering_at_work
from judging.services.resource import resource, summary
from judging.services.runs import CannotRun
from judging.services.standing import Standing, UnknownName, named_standing
from judging.services.starting import start_once
from judging.tasks import start_work
from labeling.models import CriteriaVersion


class Command(BaseCommand):
    help = (
        "Run a judge over the golden rows that certify. With --wait: follow the run to its end, then say "
        "CERTIFIED (exit 0) or UNCERTIFIED with the reasons (exit 1, as when the run does not end well). "
        "Without: start the run and say how the judge stands at present. Exit 2: wrong names, or no rows."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("judge", help="slug of a judge, or slug@N for another version than the live one")
        parser.add_argument("criteria", help="slug of a criteria set, or slug@N")
        parser.add_argument("--wait", action="store_true", help="follow the run until it ends")
        parser.add_argument(
            "--json", action="store_true", help="print the certification resource and the run as JSON"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        standing = self.standing(options["judge"], options["criteria"])
        run = self.start(standing)
        if options["wait"]:
            run = follow(run, self.stderr)
            for beside in ordering_at_work(run):
                follow(beside, self.stderr)
            # By number: another version may have been promoted meanwhile.
            standing = self.standing(str(run.judge_version), str(run.criteria_version))
        if options["json"]:
            self.stdout.write(json.dumps(resource(standing) | {"run": run_resource(run)}, indent=2))
        else:
            self.stdout.write(summary(standing))
        if not standing.certified or (options["wait"] and run.state != Run.State.FINISHED):
            sys.exit(1)

    def standing(self, judge: str, criteria: str) -> Standing:
        """How the named judge stands now."""
        try:
            return named_standing(judge, criteria, timezone.now())
        except UnknownName as problem:
            raise CommandError(str(problem), returncode=2) from None

    def start(self, standing: Standing) -> Run:
        """The run that answers this call: a new one, or the one that is at work already."""
        try:
            with transaction.atomic():
                run, is_new = start_once(
                    judge_version=standing.judge_version, criteria_version=standing.criteria_version
                )
                transaction.on_commit(partial(start_work, run.pk))
        except CannotRun as problem:
            raise CommandError(str(problem), returncode=2) from None
        what = "is started" if is_new else "is at work already, so no second one was started"
        self.stderr.write(f"Run {run.pk} {what}: {standing.judge_version} on {standing.criteria_version}.")
        for beside in ordering_at_work(run):
            self.stderr.write(f"Run {beside.pk} over the reference sets goes on beside it.")
        for sentence in newer_drafts(standing.judge_version, standing.criteria_version):
            self.stderr.write(sentence)
        return run


def newer_drafts(judge_version: JudgeVersion, criteria_version: CriteriaVersion) -> Iterator[str]:
    """A sentence for each of the two that is live and has a newer version, which this run says nothing of."""
    judge, criteria_set = judge_version.judge, criteria_version.criteria_set
    asked = (judge, judge_version, "judge"), (criteria_set, criteria_version, "criteria")
    for owner, version, what in asked:
        newest = owner.versions.order_by("-number").first()
        if version.pk == owner.live_version_id and newest is not None and newest.number > version.number:
            yield f"There is a newer draft of the {what}: {newest}. This run uses the live {version}."
