"""`manage.py precheck`: what Layer 1 says of one candidate. Asks no model and opens no database."""

import json
import sys
from argparse import ArgumentParser
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from judging.domain.precheck import Case, Layer1, PrecheckOutcome, run_precheck
from judging.domain.precheck.strict_json import NotJson, TooDeep, parse

KILLED, WRONG_USE = 1, 2


class Command(BaseCommand):
    help = "Run the deterministic checks on one candidate. Exit 0: abstain, 1: kill, 2: wrong use."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--candidate", required=True, help="the output to check, or - to read it from stdin"
        )
        parser.add_argument("--criteria", default="", help="what good looks like for it")
        parser.add_argument("--request", default="", help="what the user asked")
        parser.add_argument(
            "--meta", default="{}", help='what is known of the run, as JSON: {"success": false}'
        )
        parser.add_argument("--json", action="store_true", help="report as one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        case = Case(
            candidate=_candidate(options["candidate"]),
            criteria=_utf8("--criteria", options["criteria"]),
            request=_utf8("--request", options["request"]),
            meta=_meta(options["meta"]),
        )
        outcome = run_precheck(case)
        self.stdout.write(json.dumps(asdict(outcome)) if options["json"] else _in_words(outcome))
        if outcome.verdict is Layer1.KILL:
            sys.exit(KILLED)


def _in_words(outcome: PrecheckOutcome) -> str:
    if outcome.verdict is Layer1.KILL:
        return f"Layer 1: KILL\n  killed by {outcome.check}: {outcome.reason}"
    names = ", ".join(outcome.checks_run)
    return f"Layer 1: ABSTAIN\n  nothing fired ({names}) — fall through to the panel"


def _candidate(given: str) -> str:
    if given != "-":
        return _utf8("--candidate", given)
    try:
        return sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError as error:
        raise _wrong_use(
            f"The candidate on stdin is not UTF-8 (byte {error.start}). Convert it to UTF-8 and try again."
        ) from None


def _utf8(option: str, given: str) -> str:
    """Bytes of the command line that were not UTF-8 arrive as lone surrogates."""
    try:
        given.encode("utf-8")
    except UnicodeEncodeError:
        raise _wrong_use(f"{option} is not UTF-8. Convert it to UTF-8 and try again.") from None
    return given


def _meta(given: str) -> Mapping[str, object]:
    try:
        document = parse(_utf8("--meta", given))
    except NotJson as error:
        raise _wrong_use(f"--meta is not JSON: {error}. Give an object such as {{}}.") from None
    except TooDeep:
        raise _wrong_use("--meta nests too deep to be read. Give a flatter object.") from None
    if not isinstance(document.value, dict):
        raise _wrong_use('--meta must be a JSON object, such as {"success": false}.')
    if document.repeated_name is not None:
        raise _wrong_use(f"--meta has {document.repeated_name!r} twice in one object. Keep one of them.")
    return document.value


def _wrong_use(sentence: str) -> CommandError:
    return CommandError(sentence, returncode=WRONG_USE)
