"""`manage.py agreement FILE`: how far the annotators of a file agree with each other, pair by pair."""

import json
from argparse import ArgumentParser
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from labeling.formats.given_file import open_file
from labeling.formats.rows import FileProblem
from labeling.services.file_agreement import FilePair, agreement_in


class Command(BaseCommand):
    help = (
        "Say how far the annotators of a file agree (Cohen's kappa for each pair), by their verdicts or, "
        "where two outputs are compared, their votes. Nothing is imported. Exit 0; 2: unreadable file."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE", help="JSON Lines or an array, as for imports")
        parser.add_argument("--json", action="store_true", help="report as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            with open_file(options["file"]) as stream:
                pairs = agreement_in(stream)
        except FileProblem as problem:
            raise CommandError(str(problem), returncode=2) from problem
        if options["json"]:
            self.stdout.write(json.dumps([asdict(pair) for pair in pairs], indent=2))
        else:
            self.stdout.write("\n".join(map(_line, pairs)))


def _line(pair: FilePair) -> str:
    kappa = "undefined" if pair.kappa is None else f"{pair.kappa:.3f}"
    return f"{pair.one} and {pair.other}: kappa {kappa} on {pair.rows} rows"
