"""`manage.py export_golden`: write a criteria set's candidates with everything people said of them."""

import os
import sys
from argparse import ArgumentParser
from functools import partial
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from labeling.models import CriteriaSet, CriteriaVersion
from labeling.services.exports import WRITERS, export_golden, export_to_file

BAD_INPUT = 2


class Command(BaseCommand):
    help = (
        "Export every candidate with its current labels and ruling. Importing a jsonl export gives the same "
        "golden set. Exit 0: written, 2: wrong use."
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
        parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="default: standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        version = _version(options["criteria_set"], options["number"])
        path: Path | None = options["output"]
        if path is None:
            write = partial(self.stdout.write, ending="")
            try:
                export_golden(version=version, format=options["format"], write=write)
            except BrokenPipeError:  # the reader has had enough; nothing is left to say at exit
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return
        try:
            count = export_to_file(version=version, format=options["format"], path=path)
        except OSError as error:
            raise _bad_input(f"{path} cannot be written: {error.strerror}.") from error
        self.stderr.write(f"{count} rows of {version} in {path}")


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
