"""Bringing rows in: all of a file or nothing, every refused row named."""

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import batched
from types import MappingProxyType
from typing import BinaryIO

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils import timezone

from labeling.access import AnyUser
from labeling.formats.detect import NAMES_ITS_PEOPLE, READERS, detect
from labeling.formats.rows import FileProblem, Refused, Row
from labeling.models import CriteriaVersion, ImportBatch
from labeling.services.audit import record
from labeling.services.draws import put_aside
from labeling.services.imports.annotators import Annotators
from labeling.services.imports.contradictions import declare_unresolved
from labeling.services.imports.intake import HASH, Intake
from labeling.services.imports.report import RECORDED_REFUSED, ImportProblem, Report, in_words
from labeling.services.imports.target import Target, find_target, make_target
from labeling.services.imports.writer import Writer
from labeling.services.queue import close_settled, open_slots
from labeling.services.truth import truth_changed

__all__ = ["FORMATS", "HASH", "FileProblem", "ImportProblem", "Report", "import_golden", "in_words"]

AUTO = "auto"
FORMATS = (AUTO, *READERS)
NO_MAPPING: Mapping[str, str] = MappingProxyType({})
_MOST_ROWS = 500  # decided on and written at once
_MOST_TEXT = 8 * 1024 * 1024  # characters of them
_TELL_EVERY = 100  # rows

type Progress = Callable[[int, int, int], None]  # bytes read, rows read, rows refused so far


@dataclass(frozen=True, slots=True)
class _Order:
    slug: str
    split: str
    labeler: User | None
    create: bool
    actor: AnyUser | None
    mapping: Mapping[str, str]
    tell: Callable[[], None]


def import_golden(
    *,
    stream: BinaryIO,
    file_name: str,
    slug: str,
    format: str = AUTO,
    split: str = "certify",
    labeler: User | None = None,
    create: bool = False,
    keep_good: bool = False,
    dry_run: bool = False,
    mapping: Mapping[str, str] = NO_MAPPING,
    progress: Progress | None = None,
    actor: AnyUser | None = None,
) -> Report:
    """Bring the rows of a seekable file into the live version of the criteria set `slug`.

    A file with a refused row is not kept at all unless `keep_good`; `dry_run` reports and keeps nothing.
    `create` makes the set from the first row where there is none. `split` is tune, certify or hash.
    `labeler` is whose labels they are where the file does not say. `mapping` says what the columns of a
    table are, as `labeling.formats.columns` has it. `progress` is told how far it is; what it raises ends
    the import. On SQLite other writers wait meanwhile.
    Raises FileProblem or ImportProblem with a sentence; then nothing is kept.
    """
    chosen = detect(stream, file_name) if format == AUTO else format
    if labeler is not None and chosen in NAMES_ITS_PEOPLE:
        raise ImportProblem("These rows name their annotators themselves. Leave the labeler out.")
    report = Report(shown_name(file_name), chosen, dry_run=dry_run, keep_good=keep_good, criteria=slug)
    tell = partial(_tell, progress, stream, report)
    order = _Order(slug, split, labeler, create, actor, mapping, tell)
    sha256 = _sha256(stream)  # before anybody has to wait for this
    try:
        with transaction.atomic():
            intake = _read_in(stream, sha256, report, order)
            report.kept = report.acceptable and not dry_run
            if intake is not None:
                _finish(intake, report, order)
            if not report.kept:
                report.batch = 0
                transaction.set_rollback(True)
    except IntegrityError as error:
        raise ImportProblem(
            "Somebody changed the same rows while they were imported. Nothing was kept: import them again."
        ) from error
    return report


def shown_name(file_name: str) -> str:
    """A file's name with every invisible or direction-changing character spelt out, at most 255 long."""
    visible = (char if char.isprintable() else ascii(char)[1:-1] for char in file_name)
    return "".join(visible)[:255] or "unnamed"


def _tell(progress: Progress | None, stream: BinaryIO, report: Report) -> None:
    if progress is not None:
        progress(stream.tell(), report.counts["rows"], report.counts["refused"])


def _read_in(stream: BinaryIO, sha256: str, report: Report, order: _Order) -> Intake | None:
    """Take in every row; None where the set is yet to be made and no row is fit for that."""
    target = find_target(order.slug)
    if target is None and not order.create:
        raise ImportProblem(
            f"There is no criteria set {order.slug!r}. Make it first, or let the import create it (--create)."
        )
    good = _good_rows(READERS[report.format](stream, order.mapping), report, order.tell)
    intake: Intake | None = None
    for rows in _portions(good):
        if intake is None:
            target = target or make_target(order.slug, rows[0], order.actor)
            intake = _intake(target, report, sha256, order)
        intake.take(rows)
    report.refused.sort(key=lambda refused: (refused.line, refused.element or 0))
    if not report.counts["rows"]:
        raise FileProblem("The file has no rows: there is nothing to import.")
    return intake


def _good_rows(rows: Iterable[Row | Refused], report: Report, tell: Callable[[], None]) -> Iterator[Row]:
    for row in rows:
        report.counts["rows"] += 1
        if report.counts["rows"] % _TELL_EVERY == 0:
            tell()
        if isinstance(row, Refused):
            report.refuse(row)
        else:
            yield row


def _portions(rows: Iterable[Row]) -> Iterator[list[Row]]:
    portion: list[Row] = []
    size = 0
    for row in rows:
        portion.append(row)
        size += len(row.output) + len(row.request) + len(row.grounding) + len(row.criteria_text)
        if len(portion) >= _MOST_ROWS or size >= _MOST_TEXT:
            yield portion
            portion, size = [], 0
    if portion:
        yield portion


def _sha256(stream: BinaryIO) -> str:
    stream.seek(0)
    return hashlib.file_digest(stream, "sha256").hexdigest()  # type: ignore[arg-type]


def _intake(target: Target, report: Report, sha256: str, order: _Order) -> Intake:
    version = target.version
    report.version = version.number
    batch = ImportBatch.objects.create(
        criteria_set_id=version.criteria_set_id,
        version=version,
        file_name=report.file_name,
        format=report.format,
        sha256=sha256,
        created_by=order.actor if isinstance(order.actor, User) else None,
    )
    report.batch = batch.pk
    annotators = Annotators(version.criteria_set.slug, order.labeler)
    return Intake(target, annotators, order.split, report, Writer(target, batch, annotators, report))


def _aside(version: CriteriaVersion, known: Collection[int]) -> set[int]:
    """Those of the rows that a draw by verdict left: they wait outside the queue until they are drawn."""
    aside = put_aside(version, timezone.now()).values_list("pk", flat=True)
    return {pk for ids in batched(known, _MOST_ROWS) for pk in aside.filter(pk__in=ids)}


def _finish(intake: Intake, report: Report, order: _Order) -> None:
    """What can be said only at the end of the file: contradictions, the queue, the record."""
    batch, version = intake.writer.batch, intake.target.version
    lines = {intake.seen[digest].candidate: lines for digest, lines in intake.contradictions.items()}
    report.note_elsewhere()
    report.counts["unresolved"] = declare_unresolved(batch=batch, lines=lines)
    wanting = sorted(intake.wanting - lines.keys() - _aside(version, intake.wanting & intake.known))
    report.counts["queued"] = len(wanting)
    for ids in batched(wanting, _MOST_ROWS):
        order.tell()
        open_slots(version=version, candidate_ids=ids)
    # Only of those that were there before: what is new was never in the queue.
    for ids in batched(intake.writer.changed & intake.known, _MOST_ROWS):
        order.tell()
        close_settled(version=version, candidate_ids=ids, now=timezone.now())
    batch.counts = report.recorded_counts()
    batch.refused = [refused.as_json() for refused in report.refused[:RECORDED_REFUSED]]
    batch.created_at = timezone.now()  # as late as can be: nobody sees its rows before, however long it took
    batch.save(update_fields=["counts", "refused", "created_at"])
    record(
        actor=order.actor,
        action="import",
        subject=report.file_name,
        criteria_set=version.criteria_set,
        rows=report.counts["rows"],
        refused=report.counts["refused"],
        sha256=batch.sha256,
    )
    truth_changed(version=version, candidate_ids=intake.writer.changed | lines.keys())
