"""What a lead does with a file on its way in: send it, say how to read it, have it imported, or drop it.

The work itself is a worker's, see `import_work`.
"""

import hashlib
from collections.abc import Mapping
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
    known = {"file_name": shown_name(file_name), "size": size, "changed_at": changed_at[:20]}
    begun = criteria_set.import_jobs.filter(created_by=actor, sha256="", **known)
    for job in begun if changed_at else ():
        if is_there(job.stored_as):
            check_size(size, arrived(job.stored_as))
            return job
    check_size(size)
    return ImportJob.objects.create(
        criteria_set=criteria_set, stored_as=new_file(), created_by=actor, **known
    )


def receive_piece(*, job: ImportJob, offset: int, piece: bytes) -> int:
    """Take the next piece of the file; how many bytes have come. Raises OutOfStep, UploadProblem."""
    if job.sha256:
        raise OutOfStep(job.size)
    if offset + len(piece) > job.size:
        raise UploadProblem("More was sent than the file is long. Choose it again.")
    there = add_piece(job.stored_as, offset, piece)
    if there == job.size:
        _complete(job)
    return there


def take_upload(*, criteria_set: CriteriaSet, file_name: str, stored_as: str, actor: User) -> ImportJob:
    """Take over a file that was sent whole and lies under that name. Raises UploadProblem."""
    size = arrived(stored_as)
    check_size(size, size)
    job = ImportJob.objects.create(
        criteria_set=criteria_set,
        file_name=shown_name(file_name),
        stored_as=stored_as,
        size=size,
        created_by=actor,
    )
    _complete(job)
    return job


def _complete(job: ImportJob) -> None:
    """The whole file is there: know it by its content, and see which format it is in."""
    with path_of(job.stored_as).open("rb") as file:
        job.sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        try:
            job.format = detect(file, job.file_name)
        except FileProblem as problem:
            job.problem = str(problem)
    job.save(update_fields=["sha256", "format", "problem"])


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
    idle = ImportJob.objects.filter(pk=job.pk, state__in=_IDLE).exclude(sha256="")
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


_IDLE = (ImportJob.State.UPLOADED, ImportJob.State.FAILED)


def discard_job(*, job: ImportJob) -> None:
    """Drop a file that was not imported, and end the work on it. Raises CannotImport where it was imported.

    The file goes first: a worker that reads it stops when it is gone, so that nobody waits for its rows.
    """
    if job.state == ImportJob.State.DONE:
        raise CannotImport("The file was imported already; its rows stay.")
    forget(job.stored_as)
    ImportJob.objects.filter(pk=job.pk).exclude(state=ImportJob.State.DONE).delete()


def forget_old(*, now: datetime) -> None:
    """Drop what nobody went on with for a week, and files of imports that are done. A worker's timer."""
    since = now - KEPT
    for job in ImportJob.objects.filter(state__in=_IDLE, created_at__lt=since):
        discard_job(job=job)
    for path in folder().iterdir():
        name, _, belonging = path.name.partition(".")
        if path.stat().st_mtime < since.timestamp() and not _is_wanted(name, belonging):
            path.unlink(missing_ok=True)


def _is_wanted(name: str, belonging: str) -> bool:
    jobs = ImportJob.objects.filter(stored_as=name)
    if belonging == "refused":
        return jobs.exists()
    return jobs.unfinished().exists()
