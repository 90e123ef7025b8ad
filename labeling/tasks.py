"""What is sent through the broker. Every message may be lost or delivered twice: it only wakes workers up."""

import logging

from celery import shared_task
from kombu.exceptions import OperationalError

from labeling.services.import_work import run_job

log = logging.getLogger(__name__)


@shared_task
def run_import_job(job_id: int) -> None:
    """Check or import this file, if nobody else does."""
    run_job(job_id)


def start_import(job_id: int) -> None:
    """Wake a worker up for a file; call it on commit. The workers find the file by themselves, only later."""
    try:
        run_import_job.delay(job_id)
    except (OperationalError, OSError) as error:
        log.warning("The broker cannot be reached (%s); the workers find import %s.", error, job_id)
