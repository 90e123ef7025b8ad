"""Load judges and panels from a TOML file: a new version only where something changed."""

import json
from argparse import ArgumentParser
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from judging.domain.judges import InvalidJudge
from judging.domain.judges_toml import read_judges
from judging.services.judges_code import LoadedJudge, load_judges
from labeling.formats.given_file import read_text
from labeling.formats.rows import FileProblem
from labeling.services.promotions import ClosesGates


class Command(BaseCommand):
    help = (
        "Make or update judges from a TOML file. The first version of a judge is live; a later one is a "
        "draft until a lead promotes it, or at once with --promote. All of the file is loaded or nothing. "
        "Exit 0: loaded, 2: something in the file is wrong."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", help="TOML file with [[judge]] tables")
        parser.add_argument("--promote", action="store_true", help="make the version of each judge live")
        parser.add_argument(
            "--close-gates", action="store_true", help="with --promote: even where that closes an open gate"
        )
        parser.add_argument("--json", action="store_true", help="report as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            entries = read_judges(read_text(Path(options["file"])))
            confirmed = None if options["close_gates"] else ()
            loaded = load_judges(entries=entries, promote=options["promote"], confirmed=confirmed)
        except FileProblem as error:
            raise CommandError(str(error), returncode=2) from error
        except InvalidJudge as error:
            raise CommandError(f"{options['file']}: {error}", returncode=2) from error
        except ClosesGates as refusal:
            raise CommandError(
                f"Nothing is loaded. {refusal} Or add --close-gates.", returncode=2
            ) from refusal
        if options["json"]:
            self.stdout.write(json.dumps([asdict(each) for each in loaded], indent=2))
        else:
            self.stdout.write("\n".join(line for each in loaded for line in lines(each)))


def lines(loaded: LoadedJudge) -> list[str]:
    """What became of one judge, and beneath it what to know about it."""
    return [sentence(loaded), *(f"  warning: {warning}" for warning in loaded.warnings)]


def sentence(loaded: LoadedJudge) -> str:
    """What became of one judge, in a line."""
    if loaded.outcome == "created":
        return f"{loaded.slug}: created, version 1 is live"
    words = {"new_version": "new version", "unchanged": "unchanged, version"}[loaded.outcome]
    is_live = loaded.live_version == loaded.version
    draft = f"a draft; version {loaded.live_version} is live, until --promote or a lead on its page"
    state = "live" if is_live else draft
    return f"{loaded.slug}: {words} {loaded.version} ({state})"
