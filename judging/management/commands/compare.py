"""`compare JUDGE@1 JUDGE@2 --criteria SLUG`: what moved on the same rows, and whether it got worse."""

import json
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from judging.domain.comparison import Changes
from judging.services.comparing import (
    CannotCompare,
    Compared,
    Paired,
    compared,
    counts_of,
    further_outputs,
    further_words,
    generators,
    judges_on_certify_rows,
    judges_on_tune_rows,
    moved_of,
    moved_rows,
    read_moved,
)
from judging.services.standing import Standing, UnknownName, named_standing

_LUCK = 0.05  # one-sided: rarer than this is not put down to chance
_OPINION = "These are a judge's opinions of outputs, not people's."


class Command(BaseCommand):
    help = (
        "Compare two judge versions on golden rows, by who says what people say; or, with --generators, two "
        "generators by what one judge says of their outputs to the same requests. Exit 0: the second is not "
        "shown to be worse. Exit 1: it is worse (McNemar's exact test, one-sided, p below .05). Exit 2: "
        "wrong use, or nothing to compare."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("judges", nargs="*", help="two judges, slug or slug@N: before and after")
        parser.add_argument("--criteria", required=True, help="slug of a criteria set, or slug@N")
        parser.add_argument(
            "--generators", nargs=2, metavar=("BEFORE", "AFTER"), help="two generators' names"
        )
        parser.add_argument("--judge", help="the one judge by which generators are compared, slug or slug@N")
        parser.add_argument("--tune", action="store_true", help="compare judges on rows for tuning instead")
        parser.add_argument("--rows", action="store_true", help="list the rows that moved, by number")
        parser.add_argument("--json", action="store_true", help="print everything as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            names, paired, further = self.pair(options)
        except (UnknownName, CannotCompare) as problem:
            raise CommandError(str(problem), returncode=2) from None
        found = compared(paired)
        if not found.changes.n:
            raise CommandError(
                "No row has a verdict of both, so there is nothing to compare. Run both over the same rows.",
                returncode=2,
            )
        told = resource(names, paired, found, options) | {"further_outputs": further}
        self.stdout.write(json.dumps(told, indent=2) if options["json"] else summary(told, found.changes))
        if told["worse"]:
            sys.exit(1)

    def pair(self, options: dict[str, Any]) -> tuple[list[str], Paired, int]:
        """The two names, their rows, and how many outputs of generators are left out.

        Raises `UnknownName`, `CannotCompare`, and CommandError (2).
        """
        if options["generators"]:
            return self.generators(options)
        if len(options["judges"]) != 2 or options["judge"]:
            raise CommandError(
                "Name two judges, before and after, or --generators BEFORE AFTER with --judge JUDGE.",
                returncode=2,
            )
        standings = [standing(name, options) for name in options["judges"]]
        before, after = (each.judge_version for each in standings)
        version = standings[0].criteria_version
        names = [str(before), str(after)]
        if options["tune"]:
            return names, judges_on_tune_rows(version, before, after), 0
        return names, judges_on_certify_rows(counts_of(version, before), counts_of(version, after)), 0

    def generators(self, options: dict[str, Any]) -> tuple[list[str], Paired, int]:
        """The same of generators under one judge, of which a warning says where it is not certified."""
        if options["judges"] or not options["judge"] or options["tune"]:
            raise CommandError(
                "Generators are compared by one judge: name it with --judge, and no other judges.",
                returncode=2,
            )
        found = standing(options["judge"], options)
        judge, version = found.judge_version, found.criteria_version
        self.stderr.write(_OPINION)
        if not found.certified:
            self.stderr.write(f"{judge} is not certified on {version}, so nobody knows what they are worth.")
        before, after = options["generators"]
        if further := further_outputs(version, judge, [before, after]):
            self.stderr.write(further_words(further))
        return [before, after], generators(version, judge, before, after), further


def standing(judge: str, options: dict[str, Any]) -> Standing:
    return named_standing(judge, options["criteria"], timezone.now())


def resource(names: list[str], paired: Paired, found: Compared, options: dict[str, Any]) -> dict[str, Any]:
    """All that was found, ready for JSON; `moved` only where the rows were asked for."""
    changes = found.changes
    told: dict[str, Any] = {
        "criteria": paired.version.criteria_set.slug,
        "criteria_version": paired.version.number,
        "before": names[0],
        "after": names[1],
        "judge": options["judge"],  # by which generators are compared; null where judges are
        "n": changes.n,
        "fixed": changes.fixed,
        "regressed": changes.regressed,
        "stable": changes.stable,
        "inconclusive": changes.inconclusive,
        "only_before": found.only_before,
        "only_after": found.only_after,
        "net": changes.net,
        "net_share": changes.net_share,
        "interval": list(changes.interval()),
        "p": changes.chance,
        "p_worse": changes.chance_of_worse,
        "worse": changes.chance_of_worse < _LUCK,
    }
    return told | ({"moved": moved(paired)} if options["rows"] else {})


def moved(paired: Paired) -> list[dict[str, Any]]:
    """The rows that came out otherwise, by number alone: whoever reads it can still label them blind."""
    read = read_moved(paired, moved_rows(paired)).iterator(chunk_size=2000)
    return [{"row": each.candidate, "change": each.change.value} for each in moved_of(paired, read)]


def summary(told: dict[str, Any], changes: Changes) -> str:
    """One line, and one for each row that moved where they were asked for."""
    low, high = told["interval"]
    end = "WORSE" if told["worse"] else "NOT SHOWN TO BE WORSE"
    line = (
        f"{end}  {told['before']} → {told['after']}  n={changes.n}  fixed={changes.fixed}  "
        f"regressed={changes.regressed}  stable={changes.stable}  inconclusive={changes.inconclusive}  "
        f"net={changes.net:+d} ({changes.net_share:+.1%}, 95% {low:+.1%} to {high:+.1%})  "
        f"p={changes.chance:.3f}"
    )
    return "\n".join([line, *(f"  {each['change']}: row {each['row']}" for each in told.get("moved", []))])
