"""`manage.py export_golden`: write a criteria set's rows, golden set or labels, or all that is known."""

import os
import sys
from argparse import ArgumentParser
from functools import partial
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from labeling.models import CriteriaSet, CriteriaVersion
from labeling.services.exports import KINDS, LABELS, ROWS, WRITERS, export_golden, export_to_file

BAD_INPUT = 2


class Command(BaseCommand):
    help = (
        "Export every candidate with its current labels and ruling. Importing a jsonl export gives the same "
        "golden set. With --what: the settled rows alone with their verdict (golden), one line for each "
        "label with who, when and how long (labels), or corrected labels, skips, rulings, draws and who saw "
        "what, too (everything). Exit 0: written, 2: wrong use."
    )

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        # Django's own --version gives way to ours.
        return super().create_parser(prog_name, subcommand, conflict_handler="resolve", **kwargs)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--criteria-set", required=True, metavar="SLUG")
        parser.add_argument(
            "--version", dest="number", type=int, metavar="N", help="default: the live version"
        )
        parser.add_argument("--format", choices=list(WRITERS), default="jsonl", help="default: jsonl")
        parser.add_argument(
            "--what", choices=list(KINDS), default=ROWS, help="default: every row with its current labels"
        )
        parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="default: standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        version = _version(options["criteria_set"], options["number"])
        path: Path | None = options["output"]
        chosen = {"version": version, "format": options["format"], "what": options["what"]}
        if options["format"] not in KINDS[options["what"]]:
            raise _bad_input(f"--what {options['what']} is written as {' or '.join(KINDS[options['what']])}.")
        if path is None:
            write = partial(self.stdout.write, ending="")
            try:
                export_golden(**chosen, write=write)
            except BrokenPipeError:  # the reader has had enough; nothing is left to say at exit
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return
        try:
            count = export_to_file(**chosen, path=path)
        except OSError as error:
            raise _bad_input(f"{path} cannot be written: {error.strerror}.") from error
        lines = "labels" if options["what"] == LABELS else "rows"
        self.stderr.write(f"{count} {lines} of {version} in {path}")


def _version(slug: str, number: int | None) -> CriteriaVersion:
    criteria_set = CriteriaSet.objects.filter(slug=slug).select_related("live_version").first()
    if criteria_set is None:
        raise _bad_input(f"There is no criteria set {slug!r}.")
    version = criteria_set.live_version
    if number is not None:
        version = criteria_set.versions.filter(number=number).first()
    if version is None:
        raise _bad_input(f"{slug} has no {'live version' if number is None else f'version {number}'}.")
    return version


def _bad_input(sentence: str) -> CommandError:
    return CommandError(sentence, returncode=BAD_INPUT)
