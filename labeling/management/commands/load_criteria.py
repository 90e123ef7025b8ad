"""Load criteria sets from a TOML file: a new version only where something changed."""

import json
from argparse import ArgumentParser
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from labeling.domain.criteria import InvalidCriteria
from labeling.formats.criteria_toml import read_criteria
from labeling.formats.given_file import read_text
from labeling.formats.rows import FileProblem
from labeling.services.criteria_code import Loaded, load_criteria
from labeling.services.promotions import ClosesGates


class Command(BaseCommand):
    help = (
        "Make or update criteria sets from a TOML file. The first version of a set is live; a later one is "
        "a draft until a lead promotes it, or at once with --promote. All of the file is loaded or nothing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", help="TOML file with [[criteria_set]] tables")
        parser.add_argument("--promote", action="store_true", help="make each set's newest version live")
        parser.add_argument(
            "--close-gates", action="store_true", help="with --promote: even where that closes an open gate"
        )
        parser.add_argument("--json", action="store_true", help="report as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            entries = read_criteria(read_text(Path(options["file"])))
            confirmed = None if options["close_gates"] else ()
            loaded = load_criteria(entries=entries, promote=options["promote"], confirmed=confirmed)
        except FileProblem as error:
            raise CommandError(str(error), returncode=2) from error
        except InvalidCriteria as error:
            raise CommandError(f"{options['file']}: {error}", returncode=2) from error
        except ClosesGates as refusal:
            raise CommandError(
                f"Nothing is loaded. {refusal} Or add --close-gates.", returncode=2
            ) from refusal
        if options["json"]:
            self.stdout.write(json.dumps([asdict(each) for each in loaded], indent=2))
        else:
            self.stdout.write("\n".join(map(sentence, loaded)))


def sentence(loaded: Loaded) -> str:
    """What became of one criteria set, in a line."""
    words = {
        "created": "created, version 1 is live",
        "new_version": f"new version {loaded.version}",
        "unchanged": f"version {loaded.version} unchanged",
    }[loaded.outcome]
    if loaded.outcome != "created":
        is_live = loaded.live_version == loaded.version
        words += " (live)" if is_live else f" (draft; version {loaded.live_version} is live)"
    if loaded.changed:
        words += f"; settings changed: {', '.join(loaded.changed)}"
    return f"{loaded.slug}: {words}"
