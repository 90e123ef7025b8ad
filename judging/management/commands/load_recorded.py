"""`load_recorded FILE --criteria-set SLUG`: bring a judge's verdicts in that were given elsewhere."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from judging.domain.judges import InvalidJudge
from judging.services.recordings import LoadedRecording, Order, RecordingReport, load_recordings
from labeling.formats.given_file import open_file
from labeling.formats.rows import FileProblem
from labeling.services.imports import ImportProblem

REFUSED, BAD_INPUT = 1, 2


class Command(BaseCommand):
    help = (
        "Make a judge whose verdicts come from a file: a published set with its judges, or a plain list of "
        "verdicts (JSON Lines, JSON array, CSV). No model is asked for it. Exit 0: loaded (or, with "
        "--dry-run, would be), 1: rows were refused and nothing was kept, 2: wrong use or unreadable file."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument(
            "--criteria-set", required=True, metavar="SLUG", help="whose rows are judged in it"
        )
        parser.add_argument("--judge", default="", metavar="SLUG", help="what the judge is called here")
        parser.add_argument("--name", default="", metavar="NAME", help="which judge of the file")
        parser.add_argument("--all", action="store_true", help="every judge of the file, each by its name")
        parser.add_argument("--family", metavar="FAMILY", help="who made the model, such as openai")
        parser.add_argument("--promote", action="store_true", help="make the version of each judge live")
        parser.add_argument(
            "--keep-good", action="store_true", help="keep the good rows of a file with bad ones"
        )
        parser.add_argument("--dry-run", action="store_true", help="check and report, keep nothing")
        parser.add_argument("--json", action="store_true", help="report as one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["all"] and (options["judge"] or options["name"]):
            raise _bad_input("--all takes every judge by its own name: leave --judge and --name out.")
        try:
            with open_file(options["file"]) as stream:
                report = load_recordings(
                    stream=stream,
                    file_name=options["file"].name,
                    criteria_set=options["criteria_set"],
                    order=_order(options),
                )
        except OSError as error:
            raise _bad_input(f"{options['file']} cannot be read: {error.strerror or error}.") from error
        except (FileProblem, ImportProblem, InvalidJudge) as problem:
            raise _bad_input(f"{problem} {_hint(str(problem))}".strip()) from problem
        self.stdout.write(json.dumps(report.as_json()) if options["json"] else _in_words(report))
        if not report.acceptable:
            raise SystemExit(REFUSED)


def _order(options: dict[str, Any]) -> Order:
    return Order(
        name=options["name"],
        judge=options["judge"],
        every=options["all"],
        family=options["family"],
        promote=options["promote"],
        keep_good=options["keep_good"],
        dry_run=options["dry_run"],
    )


def _bad_input(sentence: str) -> CommandError:
    return CommandError(sentence, returncode=BAD_INPUT)


def _hint(problem: str) -> str:
    """The options that a sentence, which pages show too, speaks of."""
    if "Choose one, or all." in problem:
        return "(--name NAME or --all)"
    return "(--judge SLUG)" if "short name" in problem else ""


def _in_words(report: RecordingReport) -> str:
    lines = [report.headline]
    if report.acceptable:
        lines += [f"  {sentence(each)}" for each in report.judges]
    lines += report.notes
    for refused in report.refused:
        place = f"line {refused.line}" + (f" (element {refused.element})" if refused.element else "")
        lines.append(f"{place}, {refused.field or 'row'}: {refused.reason}")
    return "\n".join(lines)


def sentence(loaded: LoadedRecording) -> str:
    """What became of one judge, in a line."""
    words = {"created": "created, version", "new_version": "new version", "unchanged": "unchanged, version"}
    live = loaded.live_version
    state = "live" if live == loaded.version else f"a draft; version {live} is live, until --promote"
    counts = f"{loaded.passes} pass, {loaded.fails} fail, {loaded.without} without a verdict"
    called = f" ({loaded.name})" if loaded.name not in ("", loaded.slug) else ""
    return f"{loaded.slug}{called}: {words[loaded.outcome]} {loaded.version} ({state}): {counts}"
