"""Checking and importing the files that wait, in a worker: claimed by one, once, however it may end.

The database is the queue: a message only wakes a worker up, and the workers' timer finds what waits. What an
import brings and that it is done are one transaction. A worker that dies leaves nothing of it but a claim
whose lease runs out; then another begins anew, three times at the most.
"""

import json
import logging
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import DatabaseError, connection, transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from labeling.models import ImportJob
from labeling.services.import_files import forget, path_of
from labeling.services.import_progress import GivenUp, Stopping, Telling, is_worked_on
from labeling.services.imports import FileProblem, ImportProblem, Report, import_golden
from labeling.services.imports.report import RECORDED_REFUSED
from labeling.services.workers import is_stopping

log = logging.getLogger(__name__)

MOST_ATTEMPTS = 3
_LOST = (
    "Three workers were lost, or could not use the database, while they read this file. Nothing of it was "
    "kept. The workers' log says more; then import it again."
)
_BROKEN = "Vera itself failed on this file and kept nothing of it; the worker's log says where."
_GONE = "The file is not there any more, so nothing was imported. Send it again."


@dataclass(frozen=True, slots=True)
class _Claim:
    job: ImportJob
    until: datetime

    @property
    def held(self) -> QuerySet[ImportJob]:
        """The job, while it is still this worker's."""
        mine = ImportJob.objects.filter(pk=self.job.pk, state=ImportJob.State.RUNNING)
        return mine.filter(claimed_until=self.until)


def work_on_jobs() -> None:
    """Read every file that waits or whose worker was lost. The workers' timer."""
    for pk in list(ImportJob.objects.due(timezone.now()).values_list("pk", flat=True)):
        run_job(pk)


def run_job(pk: int) -> bool:
    """Check or import one file; False where somebody else does, or did."""
    claim = None if is_stopping() else _claim(pk)
    if claim is None:
        return False
    try:
        with Telling(claim.job.stored_as) as telling:
            _import(claim, telling)
    except Stopping:
        claim.held.update(state=ImportJob.State.WAITING, attempts=F("attempts") - 1)
        return False
    except GivenUp:
        return False
    except (FileProblem, ImportProblem) as problem:
        _end(claim, problem=str(problem))
    except FileNotFoundError:
        _end(claim, problem=_GONE)
    except DatabaseError as error:
        log.warning("Import job %s cannot use the database now (%s).", pk, str(error).strip()[:200])
        return False  # once its lease is over it is tried again
    except Exception:
        log.exception("Import job %s failed.", pk)
        _end(claim, problem=_BROKEN)
    return True


def _claim(pk: int) -> _Claim | None:
    """Compare and set: of many who are told of a file, one gets it."""
    now = timezone.now()
    job = ImportJob.objects.due(now).filter(pk=pk).first()
    if job is None or is_worked_on(job.stored_as) or _must_wait():
        return None
    seen = ImportJob.objects.filter(pk=pk, state=job.state, attempts=job.attempts)
    seen = seen.filter(claimed_until=job.claimed_until)
    if job.attempts >= MOST_ATTEMPTS:
        seen.update(state=ImportJob.State.FAILED, problem=_LOST, finished_at=now)
        return None
    until = now + timedelta(seconds=settings.VERA_CLAIM_LEASE)
    claimed = seen.update(state=ImportJob.State.RUNNING, attempts=F("attempts") + 1, claimed_until=until)
    return _Claim(job, until) if claimed else None


def _must_wait() -> bool:
    """Whether another import has the whole database, so that even a claim would wait for it in vain."""
    if connection.vendor != "sqlite":
        return False
    running = ImportJob.objects.filter(state=ImportJob.State.RUNNING).values_list("stored_as", flat=True)
    return any(map(is_worked_on, running))


def _import(claim: _Claim, telling: Telling) -> None:
    """What the file brings, and that it is done: together or not at all."""
    job = claim.job
    with path_of(job.stored_as).open("rb") as stream, transaction.atomic():
        report = import_golden(
            stream=stream,
            file_name=job.file_name,
            slug=job.criteria_set.slug,
            format=job.format,
            split=job.split,
            keep_good=job.keep_good,
            dry_run=job.check_only,
            mapping=job.mapping,
            progress=telling,
            actor=job.created_by,
        )
        _write_refused(job, report)
        if not _end(claim, report):
            raise GivenUp
    if report.kept and not report.refused:
        forget(job.stored_as)


def _end(claim: _Claim, report: Report | None = None, *, problem: str = "") -> bool:
    """Write down what came of it; False where the job is not this worker's any more."""
    kept = report is not None and report.kept
    done = {"finished_at": timezone.now(), "state": ImportJob.State.DONE if kept else ImportJob.State.FAILED}
    looked = {"finished_at": None, "state": ImportJob.State.UPLOADED}
    told: dict[str, Any] = looked if claim.job.check_only else done
    if report is not None:
        told |= {"report": recorded(report), "rows_read": report.counts["rows"]}
    if kept and report is not None:
        told["batch_id"] = report.batch
    return bool(claim.held.update(problem=problem, **told))


def recorded(report: Report) -> dict[str, Any]:
    """The report as a job keeps it: in words, and the first of its refused rows."""
    told = report.as_json() | {"headline": report.headline, "lines": list(report.lines())}
    return told | {"refused": told["refused"][:RECORDED_REFUSED]}


def _write_refused(job: ImportJob, report: Report) -> None:
    path = path_of(job.stored_as, "refused")
    if not report.refused:
        path.unlink(missing_ok=True)
        return
    with path.open("w", encoding="utf-8") as file:
        file.writelines(
            json.dumps(refused.as_json(), ensure_ascii=False) + "\n" for refused in report.refused
        )
