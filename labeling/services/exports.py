"""Taking rows, labels and all that is known of them out, to whoever wants them; each time it is on record."""

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User

from labeling.access import AnyUser
from labeling.formats import csv, jsonl, label_studio, langfuse_items, langfuse_scores, tsv, vera
from labeling.formats.rows import Row
from labeling.models import Candidate, CriteriaVersion
from labeling.services import label_records
from labeling.services.audit import record
from labeling.services.everything import everything_about
from labeling.services.exposures import record_taken_out
from labeling.services.golden_rows import golden_rows, portions, settled_rows

WRITERS: dict[str, Callable[[Iterable[Row]], Iterator[str]]] = {
    "jsonl": jsonl.write,
    "vera": vera.write,
    "csv": csv.write,
    "tsv": tsv.write,
    "label_studio": label_studio.write,
    "langfuse_scores": langfuse_scores.write,
    "langfuse_items": langfuse_items.write,
}
ROWS, LABELS, GOLDEN, EVERYTHING = "rows", "labels", "golden", "everything"
# What may be taken out, and in which formats.
KINDS: dict[str, tuple[str, ...]] = {
    ROWS: tuple(WRITERS),
    GOLDEN: tuple(WRITERS),
    LABELS: tuple(label_records.WRITERS),
    EVERYTHING: ("jsonl",),
}


def export_golden(
    *,
    version: CriteriaVersion,
    format: str,
    write: Callable[[str], object],
    actor: AnyUser | None = None,
    what: str = ROWS,
) -> int:
    """Write `what` (of KINDS) in `format`, a line at a time, and record that it was done. Returns the rows.

    Who has the file has seen what others said: that is noted of `actor`.
    """
    count = 0

    def counted[Each](each: Iterable[Each]) -> Iterator[Each]:
        nonlocal count
        for count, one in enumerate(each, start=1):  # noqa: B007
            yield one

    for line in _lines(version, format, what, counted):
        write(line)
    if isinstance(actor, User):
        record_taken_out(user=actor, version=version, ever=what == EVERYTHING)
    record(
        actor=actor,
        action="export",
        subject=str(version),
        criteria_set=version.criteria_set,
        format=format,
        rows=count,
        what=what,
    )
    return count


type _Counting = Callable[[Iterable[Any]], Iterator[Any]]


def _lines(version: CriteriaVersion, format: str, what: str, counted: _Counting) -> Iterator[str]:
    if format not in KINDS[what]:
        raise ValueError(f"{what} cannot be written as {format}.")
    if what == LABELS:
        return label_records.WRITERS[format](counted(label_records.label_records(version)))
    if what == EVERYTHING:
        known = (row for ids in portions(version) for row in everything_about(ids))
        return label_records.write_lines(counted(known))
    rows = settled_rows(version, unnamed=format == "vera") if what == GOLDEN else golden_rows(version)
    return WRITERS[format](counted(rows))


def export_row(*, candidate: Candidate, version: CriteriaVersion, actor: AnyUser | None) -> dict[str, Any]:
    """Everything that is known of one row; that `actor` has seen it and taken it out is recorded."""
    [row] = everything_about([candidate.pk])
    if isinstance(actor, User):
        record_taken_out(user=actor, version=version, ever=True, only=candidate.pk)
    record(
        actor=actor,
        action="export",
        subject=f"{candidate} of {version.criteria_set.slug}",
        criteria_set=version.criteria_set,
        format="json",
        rows=1,
        what=EVERYTHING,
    )
    return row


def export_to_file(*, version: CriteriaVersion, format: str, path: Path, what: str = ROWS) -> int:
    """As `export_golden`, to a file that appears under its name only once it is whole. Raises OSError."""
    handle, begun = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as out:
            count = export_golden(version=version, format=format, write=out.write, what=what)
        Path(begun).chmod(0o666 & ~_umask())
        Path(begun).replace(path)
    except BaseException:
        with suppress(FileNotFoundError):
            Path(begun).unlink()
        raise
    return count


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
