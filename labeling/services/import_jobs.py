"""What a lead does with a file on its way in: send it, say how to read it, have it imported, or drop it.

The work itself is a worker's, see `import_work`.
"""

import hashlib
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime, timedelta

from django.contrib.auth.models import User

from labeling.formats.detect import detect
from labeling.formats.rows import FileProblem
from labeling.models import CriteriaSet, ImportJob
from labeling.services.import_files import (
    OutOfStep,
    UploadProblem,
    add_piece,
    arrived,
    check_size,
    folder,
    forget,
    is_there,
    new_file,
    path_of,
)
from labeling.services.imports import shown_name

KEPT = timedelta(days=7)

__all__ = ["OutOfStep", "UploadProblem"]


class CannotImport(ValueError):
    """This cannot be done with the file now; the sentence says why."""


def begin_upload(
    *, criteria_set: CriteriaSet, file_name: str, size: int, changed_at: str = "", actor: User
) -> ImportJob:
    """A place for a file of `size` bytes that comes in pieces; where the same file's sending broke off, that.

    The same is a file of that name, size and time of change from the same person. Raises UploadProblem.
    """
    when = changed_at[:20] if changed_at.isascii() and changed_at.isdecimal() else ""
    known = {"file_name": shown_name(file_name), "size": size, "changed_at": when}
    begun = criteria_set.import_jobs.filter(created_by=actor, sha256="", **known)
    for job in begun if when else ():
        if is_there(job.stored_as):
            check_size(size, arrived(job.stored_as))
            _complete_if_whole(job)
            return job
    check_size(size)
    return ImportJob.objects.create(
        criteria_set=criteria_set, stored_as=new_file(), created_by=actor, **known
    )


def receive_piece(*, job: ImportJob, offset: int, piece: bytes) -> int:
    """Take the next piece of the file; how many bytes have come. Raises OutOfStep, UploadProblem."""
    _complete_if_whole(job)
    if job.sha256:
        raise OutOfStep(job.size)
    if offset + len(piece) > job.size:
        raise UploadProblem("More was sent than the file is long. Choose it again.")
    there = add_piece(job.stored_as, offset, piece)
    _complete_if_whole(job)
    return there


def take_upload(*, criteria_set: CriteriaSet, file_name: str, stored_as: str, actor: User) -> ImportJob:
    """Take over a file that was sent whole and lies under that name. Raises UploadProblem."""
    size = arrived(stored_as)
    check_size(size, size)
    job = ImportJob(
        criteria_set=criteria_set,
        file_name=shown_name(file_name),
        stored_as=stored_as,
        size=size,
        created_by=actor,
    )
    _get_to_know(job)
    job.save()
    return job


def _complete_if_whole(job: ImportJob) -> None:
    """Note that the last piece came, also where whoever took that piece died before noting it."""
    if job.sha256 or arrived(job.stored_as) < job.size:
        return
    _get_to_know(job)
    seen = {"sha256": job.sha256, "format": job.format, "problem": job.problem}
    ImportJob.objects.filter(pk=job.pk, sha256="").update(**seen)  # of two who look, the first


def _get_to_know(job: ImportJob) -> None:
    """The whole file is there: know it by its content, and see which format it is in."""
    with path_of(job.stored_as).open("rb") as file:
        job.sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        try:
            job.format = detect(file, job.file_name)
        except FileProblem as problem:
            job.problem = str(problem)


def order_import(
    *,
    job: ImportJob,
    format: str,
    split: str,
    keep_good: bool,
    check_only: bool,
    mapping: Mapping[str, str] | None = None,
) -> None:
    """Let a worker check the file, or import it. The caller wakes one, on commit. Raises CannotImport."""
    if not is_there(job.stored_as):
        raise CannotImport("The file is not there any more. Send it again.")
    _complete_if_whole(job)
    if not job.sha256:
        raise CannotImport("Not all of the file has arrived. Choose it again, as before: it goes on.")
    idle = ImportJob.objects.filter(pk=job.pk, state__in=_IDLE)
    ordered = idle.update(
        state=ImportJob.State.WAITING,
        format=format,
        split=split,
        keep_good=keep_good,
        check_only=check_only,
        mapping=dict(mapping or {}),
        attempts=0,
        report={},
        problem="",
        finished_at=None,
    )
    if not ordered:
        raise CannotImport("The file is being read already, or was imported. Look at its page.")
    path_of(job.stored_as, "refused").unlink(missing_ok=True)  # of a reading before


_IDLE = (ImportJob.State.UPLOADED, ImportJob.State.FAILED)


def discard_job(*, job: ImportJob) -> None:
    """Drop a file that was not imported, and end the work on it. Raises CannotImport where it was imported.

    The file goes first: a worker that reads it stops when it is gone, so that nobody waits for its rows.
    """
    this = ImportJob.objects.filter(pk=job.pk)
    if this.filter(state=ImportJob.State.DONE).exists():
        raise CannotImport(_IMPORTED)
    forget(job.stored_as, refused=False)
    deleted, _ = this.exclude(state=ImportJob.State.DONE).delete()
    if not deleted and this.exists():  # a worker was done with it meanwhile
        raise CannotImport(_IMPORTED)
    forget(job.stored_as)


_IMPORTED = "The file was imported already; its rows stay."


def forget_old(*, now: datetime) -> None:
    """Drop what nobody went on with for a week, and files of imports that are done. A worker's timer."""
    since = now - KEPT
    for job in ImportJob.objects.filter(state__in=_IDLE, created_at__lt=since):
        with suppress(CannotImport):
            discard_job(job=job)
    for path in folder().iterdir():
        name, _, belonging = path.name.partition(".")
        with suppress(FileNotFoundError):  # what a worker tells is under another name in a moment
            if path.stat().st_mtime < since.timestamp() and not _is_wanted(name, belonging):
                path.unlink()


def _is_wanted(name: str, belonging: str) -> bool:
    jobs = ImportJob.objects.filter(stored_as=name)
    if belonging == "refused":
        return jobs.exists()
    return jobs.unfinished().exists()
