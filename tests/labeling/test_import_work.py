"""The worker's side of an import: claimed once, given back, parked; nothing half-kept."""

import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from labeling.models import Candidate, ImportJob
from labeling.services import workers
from labeling.services.import_files import folder, forget, new_file, path_of
from labeling.services.import_jobs import (
    CannotImport,
    begin_upload,
    discard_job,
    forget_old,
    order_import,
    receive_piece,
)
from labeling.services.import_progress import Discarded, Telling
from labeling.services.import_work import run_job, work_on_jobs
from tests.factories import make_criteria_set, make_user

pytestmark = pytest.mark.django_db

CONTENT = b"".join(b'{"candidate": "%d"}\n' % number for number in range(120))


@pytest.fixture
def job() -> ImportJob:
    """A file that waits for a worker."""
    criteria_set = make_criteria_set("notes")
    lead = make_user(lead_of=criteria_set)
    sent = begin_upload(criteria_set=criteria_set, file_name="rows.jsonl", size=len(CONTENT), actor=lead)
    receive_piece(job=sent, offset=0, piece=CONTENT)
    order_import(job=sent, format="vera", split="certify", keep_good=False, check_only=False)
    return sent


def left_behind(job: ImportJob, attempts: int) -> None:
    """The job as a worker leaves it that was killed an hour ago."""
    ago = timezone.now() - timedelta(hours=1)
    ImportJob.objects.filter(pk=job.pk).update(state="running", attempts=attempts, claimed_until=ago)


def test_a_message_that_comes_twice_imports_once(job: ImportJob) -> None:
    assert [run_job(job.pk), run_job(job.pk)] == [True, False]

    assert Candidate.objects.count() == 120


def test_a_job_that_a_living_worker_holds_is_left_alone(job: ImportJob) -> None:
    left_behind(job, 1)

    with Telling(job.stored_as):
        taken = run_job(job.pk)

    assert (taken, run_job(job.pk)) == (False, True)


def test_a_job_that_lost_three_workers_is_parked_with_a_reason(job: ImportJob) -> None:
    left_behind(job, 3)

    work_on_jobs()

    job.refresh_from_db()
    assert (job.state, Candidate.objects.count()) == ("failed", 0)
    assert "Three workers were lost" in job.problem


def test_a_worker_that_is_told_to_stop_gives_the_job_back(job: ImportJob, monkeypatch: Any) -> None:
    told = iter([False, True])
    monkeypatch.setattr(workers, "stop_signs", [lambda: next(told)])

    run_job(job.pk)

    job.refresh_from_db()
    assert (job.state, job.attempts, Candidate.objects.count()) == ("waiting", 0, 0)


def test_a_worker_that_lost_its_claim_keeps_nothing(job: ImportJob, monkeypatch: Any) -> None:
    def robbed(*far: int) -> None:
        ImportJob.objects.update(claimed_until=timezone.now())

    monkeypatch.setattr(Telling, "__call__", lambda self, *far: robbed())

    assert not run_job(job.pk)

    job.refresh_from_db()
    assert Candidate.objects.count() == 0


def test_a_file_that_is_discarded_ends_its_import() -> None:
    name = new_file()

    with Telling(name) as telling:
        telling(1, 1, 0)
        forget(name)
        time.sleep(0.7)
        with pytest.raises(Discarded):
            telling(2, 2, 0)


def test_a_set_without_a_live_version_is_a_sentence(job: ImportJob) -> None:
    job.criteria_set.__class__.objects.update(live_version=None)

    work_on_jobs()

    job.refresh_from_db()
    assert (job.state, "no live version" in job.problem) == ("failed", True)


def test_files_that_nobody_imported_go_after_a_week(job: ImportJob) -> None:
    stranded = begin_upload(
        criteria_set=job.criteria_set, file_name="b", size=9, actor=make_user(lead_of=job.criteria_set)
    )

    forget_old(now=timezone.now() + timedelta(days=8))

    assert list(ImportJob.objects.all()) == [job]  # which waits for a worker, however long
    assert (path_of(job.stored_as).exists(), path_of(stranded.stored_as).exists()) == (True, False)


def test_a_file_that_goes_while_old_ones_are_looked_for_disturbs_nobody(
    tmp_path: Path, settings: Any
) -> None:
    settings.VERA_VAR = tmp_path
    (folder() / "name.fresh").symlink_to("gone")  # listed, and not there

    forget_old(now=timezone.now())


def test_what_was_imported_just_before_it_is_discarded_is_not_called_discarded(job: ImportJob) -> None:
    path_of(job.stored_as, "refused").write_text("{}")
    run_job(job.pk)

    with pytest.raises(CannotImport, match="its rows stay"):
        discard_job(job=job)  # as the page saw it: waiting

    assert ImportJob.objects.get().state == "done"
