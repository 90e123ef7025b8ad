"""`gate JUDGE CRITERIA[@N]`: the certificate in force, for shells and CI; or one in a file, offline."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from judging.domain.signed_certificates import (
    LARGEST,
    Malformed,
    Refused,
    Signed,
    check,
    check_names,
    decoded,
    keys_in,
    read,
)
from judging.models import Drill
from judging.services.drills import UNAVAILABLE, Rehearsed, rehearsed
from judging.services.resource import RECORDED, resource, summary
from judging.services.signing import own_public_keys
from judging.services.standing import UnknownName, named_standing

_NAMES = ("judge", "criteria")


class Command(BaseCommand):
    help = (
        "Say whether a judge is certified: exit 0 only when it is, 1 when it is not, 2 on wrong use. With "
        "--offline a signed certificate is believed without server or database."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        self._parser = parser
        parser.add_argument(
            "judge", nargs="?", help="slug of a judge, or slug@N for another version than the live one"
        )
        parser.add_argument("criteria", nargs="?", help="slug of a criteria set, or slug@N")
        parser.add_argument("--json", action="store_true", help="print the certification resource")
        parser.add_argument(
            "--rehearse",
            choices=Drill.Answer.values,
            help="a drill: print the refusal that this would be, marked as rehearsed, and exit 1. "
            "“unavailable” is as if Vera could not be reached. Nothing is written down",
        )
        parser.add_argument(
            "--offline",
            metavar="FILE",
            help="signed certificate, - for standard input; it must be about JUDGE and CRITERIA, if given",
        )
        parser.add_argument("--key", action="append", default=[], help="a public key to trust, in base64")
        parser.add_argument("--keys", metavar="FILE", help="a file of public keys to trust")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["offline"] is not None:
            if options["rehearse"]:
                raise CommandError("--rehearse asks Vera, so it does not go with --offline.", returncode=2)
            self._offline(options)
        else:
            self._in_force(options)

    def _in_force(self, options: dict[str, Any]) -> None:
        if missing := [name for name in _NAMES if options[name] is None]:
            self._parser.error(f"the following arguments are required: {', '.join(missing)}")
        if options["key"] or options["keys"]:
            raise CommandError("--key and --keys go with --offline.", returncode=2)
        try:
            standing = named_standing(options["judge"], options["criteria"], timezone.now())
        except UnknownName as problem:
            raise CommandError(str(problem), returncode=2) from None
        if options["rehearse"]:
            self._rehearse(rehearsed(standing, options["rehearse"]), as_json=options["json"])
        if options["json"]:
            self.stdout.write(json.dumps(resource(standing), indent=2))
        else:
            self.stdout.write(summary(standing))
        if not standing.certified:
            sys.exit(1)

    def _rehearse(self, found: Rehearsed, *, as_json: bool) -> NoReturn:
        if found.answer == Drill.Answer.UNAVAILABLE:
            raise CommandError(UNAVAILABLE)
        if as_json:
            self.stdout.write(json.dumps(found.certification | {"rehearsal": True}, indent=2))
        else:
            self.stdout.write(f"REHEARSAL  UNCERTIFIED  {'; '.join(map(str, found.reasons))}")
        sys.exit(1)

    def _offline(self, options: dict[str, Any]) -> None:
        if options["judge"] is not None and options["criteria"] is None:
            self._parser.error("the following arguments are required: criteria")
        _check_filled(options, ("offline", "keys", *_NAMES))
        try:
            found, keys = read(_content(options["offline"])), _trusted(options)
        except Malformed as problem:
            raise CommandError(str(problem), returncode=2) from None
        try:
            check(found, keys, timezone.now())
            if options["judge"] is not None:
                check_names(found, options["judge"], options["criteria"])
        except Malformed as problem:
            raise CommandError(str(problem), returncode=2) from None
        except Refused as problem:
            self._say(options["json"], found, str(problem))
            sys.exit(1)
        self._say(options["json"], found, "")

    def _say(self, as_json: bool, found: Signed, problem: str) -> None:
        """The answer; nothing of a file that was refused is repeated as if it were known."""
        certificate = found.certificate
        if as_json:
            known = None if problem else certificate
            told = {"valid": not problem, "problem": problem or None, "certificate": known}
            self.stdout.write(json.dumps(told, indent=2))
        elif problem:
            self.stdout.write(f"UNCERTIFIED  {problem}")
        else:
            about = " on ".join(f"{certificate[name]}@{certificate[f'{name}_version']}" for name in _NAMES)
            mark = RECORDED if certificate.get("recorded") is True else ""
            self.stdout.write(f"CERTIFIED  {about}  good until {certificate['valid_until']}{mark}")


def _check_filled(options: dict[str, Any], names: Sequence[str]) -> None:
    """A shell's variable that was never set is an empty name, and must not be taken for none."""
    for name in names:
        if options[name] is not None and not options[name].strip():
            called = name.upper() if name in _NAMES else f"FILE of --{name}"
            raise CommandError(
                f"{called} is given and empty. Is the variable set that it comes from?", returncode=2
            )


def _content(name: str) -> bytes:
    """The first bytes of a file, one more than a certificate has at the most."""
    try:
        if name == "-":
            return sys.stdin.buffer.read(LARGEST + 1)
        with Path(name).open("rb") as file:
            return file.read(LARGEST + 1)
    except OSError as error:
        raise CommandError(f"{name} cannot be read: {error.strerror}.", returncode=2) from None


def _trusted(options: dict[str, Any]) -> list[bytes]:
    """Those that the command names, and nobody else's; where it names none, the settings' and our own."""
    if options["key"] or options["keys"]:
        named = keys_in(_content(options["keys"])) if options["keys"] else []
        return [*map(decoded, options["key"]), *named]
    return [*settings.VERA_TRUSTED_KEYS, *own_public_keys()]
