"""`manage.py import_golden`: bring a file of labelled rows into a criteria set."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError

from labeling.domain.sampling import Split
from labeling.formats.field_mapping import FIELDS
from labeling.formats.given_file import open_file
from labeling.management.progress_bar import progress_bar
from labeling.services.imports import (
    FORMATS,
    HASH,
    FileProblem,
    ImportProblem,
    Report,
    import_golden,
)

REFUSED, BAD_INPUT = 1, 2
_FIELDS = ", ".join(field or "meta" for field in FIELDS)


class Command(BaseCommand):
    help = (
        "Import labelled rows: JSON, CSV or TSV, of Vera, Label Studio, Langfuse or any other tool. Exit 0: "
        "imported (or, with --dry-run, would be), 1: rows were refused and nothing was kept, 2: wrong use or "
        "unreadable file."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument("--criteria-set", required=True, metavar="SLUG", help="where the rows go")
        parser.add_argument("--format", choices=FORMATS, default="auto", help="auto looks at the first row")
        parser.add_argument(
            "--map",
            action="append",
            default=[],
            metavar="FIELD=COLUMN",
            help=f"which column is which field; may be repeated. Fields: {_FIELDS}, mark:CRITERION",
        )
        parser.add_argument(
            "--create", action="store_true", help="make the criteria set from the first row if there is none"
        )
        parser.add_argument(
            "--split", choices=[*map(str, Split), HASH], default=str(Split.CERTIFY), help="default: certify"
        )
        parser.add_argument(
            "--labeler", metavar="USER", help="whose labels they are where the file does not say"
        )
        parser.add_argument(
            "--keep-good", action="store_true", help="keep the good rows of a file with bad ones"
        )
        parser.add_argument("--dry-run", action="store_true", help="check and report, keep nothing")
        parser.add_argument("--json", action="store_true", help="report as one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        labeler, mapping = _labeler(options["labeler"]), _mapping(options["map"])
        try:
            with (
                open_file(options["file"]) as stream,
                progress_bar(options["file"].stat().st_size) as progress,
            ):
                report = import_golden(
                    stream=stream,
                    file_name=options["file"].name,
                    slug=options["criteria_set"],
                    format=options["format"],
                    split=options["split"],
                    labeler=labeler,
                    mapping=mapping,
                    create=options["create"],
                    keep_good=options["keep_good"],
                    dry_run=options["dry_run"],
                    progress=progress,
                )
        except OSError as error:
            raise _bad_input(f"{options['file']} cannot be read: {error.strerror or error}.") from error
        except (FileProblem, ImportProblem) as problem:
            raise _bad_input(str(problem)) from problem
        self.stdout.write(json.dumps(report.as_json()) if options["json"] else _in_words(report))
        if not report.acceptable:
            raise SystemExit(REFUSED)


def _mapping(pairs: list[str]) -> dict[str, str]:
    """Fields by column, of `FIELD=COLUMN`; a column may hold an equals sign."""
    mapping: dict[str, str] = {}
    for pair in pairs:
        field, equals, column = pair.partition("=")
        if not equals or not field or not column:
            raise _bad_input(
                f"{pair!r} maps nothing: write --map FIELD=COLUMN, such as --map candidate=output."
            )
        if column in mapping:
            raise _bad_input(f"The column {column!r} is mapped twice. Keep one of them.")
        mapping[column] = field
    return mapping


def _labeler(name: str | None) -> User | None:
    if name is None:
        return None
    labeler = User.objects.filter(username=name, is_active=True).first()
    if labeler is None:
        raise _bad_input(f"There is no active user {name!r}. Name one with --labeler, or leave it out.")
    return labeler


def _bad_input(sentence: str) -> CommandError:
    return CommandError(sentence, returncode=BAD_INPUT)


def _in_words(report: Report) -> str:
    lines = [report.headline, *(f"  {line}" for line in report.lines()), *report.notes]
    for refused in report.refused:
        place = f"line {refused.line}" + (f" (element {refused.element})" if refused.element else "")
        lines.append(f"{place}, {refused.field or 'row'}: {refused.reason}")
    return "\n".join(lines)
