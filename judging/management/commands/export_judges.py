"""Write judges as the TOML that load_judges reads."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db.models import QuerySet

from judging.domain.judges_toml import write_judges
from judging.models import Judge, JudgeVersion
from judging.services.judges_code import export_judges


class Command(BaseCommand):
    help = (
        "Write judges, each at its newest version, as TOML without any secret. Loading it changes nothing. "
        "Judges whose verdicts came from a file are left out: their files say it all."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slugs", nargs="*", help="which judges; all of them when none is named")
        parser.add_argument("-o", "--output", help="file to write; standard output when absent")

    def handle(self, *args: Any, **options: Any) -> None:
        text = write_judges(export_judges(self.chosen(options["slugs"])))
        if not options["output"]:
            self.stdout.write(text, ending="")
            return
        try:
            Path(options["output"]).write_text(text, encoding="utf-8")
        except OSError as error:
            raise CommandError(f"{options['output']}: {error.strerror}.", returncode=2) from error

    def chosen(self, slugs: list[str]) -> "QuerySet[Judge]":
        every = Judge.objects.filter(versions__isnull=False).distinct()
        known = set(every.values_list("slug", flat=True))
        if unknown := set(slugs) - known:
            raise CommandError(
                f"There is no judge {', '.join(sorted(unknown))}. "
                f"Known are: {', '.join(sorted(known)) or 'none yet'}.",
                returncode=2,
            )
        recorded = every.filter(versions__kind=JudgeVersion.Kind.RECORDED)
        if of_files := recorded.filter(slug__in=slugs).values_list("slug", flat=True):
            raise CommandError(
                f"The verdicts of {', '.join(of_files)} came from a file. Keep that, and load it with "
                "load_recorded.",
                returncode=2,
            )
        return every.filter(slug__in=slugs) if slugs else every.exclude(pk__in=recorded.values("pk"))
