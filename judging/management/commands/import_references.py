"""`manage.py import_references`: bring a file of compared pairs into a criteria set as reference sets."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from judging.services.reference_imports import import_references
from judging.services.reference_report import ReferenceReport
from labeling.formats.given_file import open_file
from labeling.services.imports import FileProblem, ImportProblem

REFUSED, BAD_INPUT = 1, 2


class Command(BaseCommand):
    help = (
        "Import pairs of outputs of which people said which is the better one (JSON array or lines). Exit 0: "
        "imported (or, with --dry-run, would be), 1: rows were refused and nothing was kept, 2: wrong use or "
        "unreadable file."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument("--criteria-set", required=True, metavar="SLUG", help="where the pairs go")
        parser.add_argument(
            "--create", action="store_true", help="make the criteria set from the first row if there is none"
        )
        parser.add_argument(
            "--gold",
            default="",
            metavar="ANNOTATOR",
            help="whose vote decides; else the file's own final vote, else the strict majority",
        )
        parser.add_argument(
            "--clear",
            action="store_true",
            help="the worse ones are clearly deficient, so the sets count for certificates",
        )
        parser.add_argument(
            "--keep-good", action="store_true", help="keep the good rows of a file with bad ones"
        )
        parser.add_argument("--dry-run", action="store_true", help="check and report, keep nothing")
        parser.add_argument("--json", action="store_true", help="report as one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            with open_file(options["file"]) as stream:
                report = import_references(
                    stream=stream,
                    file_name=options["file"].name,
                    slug=options["criteria_set"],
                    gold=options["gold"],
                    decides=options["clear"],
                    create=options["create"],
                    keep_good=options["keep_good"],
                    dry_run=options["dry_run"],
                )
        except OSError as error:
            raise _bad_input(f"{options['file']} cannot be read: {error.strerror or error}.") from error
        except (FileProblem, ImportProblem) as problem:
            raise _bad_input(str(problem)) from problem
        self.stdout.write(json.dumps(report.as_json()) if options["json"] else _in_words(report))
        if not report.acceptable:
            raise SystemExit(REFUSED)


def _bad_input(sentence: str) -> CommandError:
    return CommandError(sentence, returncode=BAD_INPUT)


def _in_words(report: ReferenceReport) -> str:
    lines = [report.headline, *(f"  {line}" for line in report.lines()), *report.notes]
    for refused in report.refused:
        place = f"line {refused.line}" + (f" (element {refused.element})" if refused.element else "")
        lines.append(f"{place}, {refused.field or 'row'}: {refused.reason}")
    return "\n".join(lines)
