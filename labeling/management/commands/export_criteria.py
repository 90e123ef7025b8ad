"""Write criteria sets as the TOML that load_criteria reads."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db.models import QuerySet

from labeling.formats.criteria_toml import write_criteria
from labeling.models import CriteriaSet
from labeling.services.criteria_code import export_criteria


class Command(BaseCommand):
    help = "Write criteria sets, each at its newest version, as TOML. Loading it again changes nothing."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slugs", nargs="*", help="which sets; all of them when none is named")
        parser.add_argument("-o", "--output", help="file to write; standard output when absent")

    def handle(self, *args: Any, **options: Any) -> None:
        text = write_criteria(export_criteria(self.chosen(options["slugs"])))
        if not options["output"]:
            self.stdout.write(text, ending="")
            return
        try:
            Path(options["output"]).write_text(text, encoding="utf-8")
        except OSError as error:
            raise CommandError(f"{options['output']}: {error.strerror}.", returncode=2) from error

    def chosen(self, slugs: list[str]) -> "QuerySet[CriteriaSet]":
        every = CriteriaSet.objects.filter(versions__isnull=False).distinct()
        unknown = set(slugs) - set(every.values_list("slug", flat=True))
        if unknown:
            raise CommandError(
                f"There is no criteria set {', '.join(sorted(unknown))}. "
                f"Known are: {', '.join(every.values_list('slug', flat=True)) or 'none yet'}.",
                returncode=2,
            )
        return every.filter(slug__in=slugs) if slugs else every
