"""A worker that is killed in the middle of an import: another begins anew, and every row is there once."""

from typing import Any

import pytest

from labeling.models import Candidate, ImportBatch, ImportJob, Label
from labeling.services.import_jobs import begin_upload, order_import, receive_piece
from labeling.services.import_progress import reached
from tests.factories import make_criteria_set, make_user
from tests.faults.conftest import MakeHouse
from tests.faults.servers import wait_for

pytestmark = pytest.mark.faults

ROWS = 6000
TEXT = "A sentence of an answer that goes on for a while. " * 20


def sent() -> ImportJob:
    """A file of that many labelled rows, which waits for a worker that nobody has told of it."""
    criteria_set = make_criteria_set("notes")
    line = '{"candidate": "%d %s", "human": "PASS"}\n'
    content = "".join(line % (number, TEXT) for number in range(ROWS)).encode()
    lead = make_user(lead_of=criteria_set)
    job = begin_upload(criteria_set=criteria_set, file_name="rows.jsonl", size=len(content), actor=lead)
    receive_piece(job=job, offset=0, piece=content)
    order_import(job=job, format="vera", split="certify", keep_good=False, check_only=False)
    return job


def rows_read(job: ImportJob) -> int:
    far = reached(job.stored_as)
    return far.rows if far else 0


def test_an_import_whose_worker_is_killed_is_done_once_by_the_next(
    make_house: MakeHouse, settings: Any
) -> None:
    house = make_house()
    settings.VERA_VAR = house.folder
    job = sent()
    first = house.start_worker()
    wait_for(lambda: rows_read(job) > 200, 120, "the import to be under way")
    first.kill()
    nothing = Candidate.objects.count()
    house.send(times=4, task="labeling.tasks.run_import_job", about=job.pk)
    house.start_worker()

    wait_for(lambda: ImportJob.objects.get().state not in ("waiting", "running"), 120, "the import to end")

    job = ImportJob.objects.get()
    assert (nothing, job.state, job.attempts, job.problem) == (0, "done", 2, "")
    assert (Candidate.objects.count(), Label.objects.count(), ImportBatch.objects.count()) == (ROWS, ROWS, 1)
