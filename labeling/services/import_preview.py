"""What a file that has arrived looks like, before anybody reads the whole of it."""

from dataclasses import dataclass

from labeling.formats.columns import MAPPED, Preview, columns_of
from labeling.formats.rows import FileProblem
from labeling.models import ImportJob
from labeling.services.import_files import path_of

ROWS = 20


@dataclass(frozen=True, slots=True)
class Look:
    """The first rows by column, or the problem that keeps them from being read."""

    preview: Preview | None
    problem: str
    takes_mapping: bool

    def table(self, columns: int) -> list[list[str]]:
        """The first rows, of each the values of the first columns."""
        if self.preview is None:
            return []
        names = self.preview.columns[:columns]
        return [[row.get(name, "") for name in names] for row in self.preview.rows]


def look_at(job: ImportJob, format: str) -> Look:
    """The beginning of the job's file, read as `format`."""
    takes_mapping = format in MAPPED
    if not format:
        return Look(None, job.problem, takes_mapping)
    try:
        with path_of(job.stored_as).open("rb") as file:
            return Look(columns_of(file, format, rows=ROWS), "", takes_mapping)
    except FileProblem as problem:
        return Look(None, str(problem), takes_mapping)
    except FileNotFoundError:
        return Look(None, "The file is not there any more. Send it again.", takes_mapping)
