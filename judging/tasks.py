"""What is sent through the broker. Every message may be lost or delivered twice: it only wakes workers up."""

import logging

from celery import shared_task
from django.conf import settings
from kombu.exceptions import OperationalError

from judging import worker  # noqa: F401  (registers what each worker process does by itself)
from judging.services.engine import work_on
from judging.services.trying import answer_trial

log = logging.getLogger(__name__)


@shared_task
def judge_run(run_id: int) -> None:
    """Work on a run for a slice of time; send for another slice when that was not enough."""
    if work_on(run_id):
        _send(run_id)


def start_work(run_id: int) -> None:
    """Wake the workers up for a run; call it on commit. A broker that is down costs seconds, not the run."""
    for _ in range(settings.CELERY_WORKER_CONCURRENCY):
        if not _send(run_id):
            return


def _send(run_id: int) -> bool:
    try:
        judge_run.delay(run_id)
    except (OperationalError, OSError) as error:
        log.warning(
            "The broker cannot be reached (%s); the workers find run %s by themselves.", error, run_id
        )
        return False
    return True


@shared_task
def try_judge(trial_id: int) -> None:
    """Answer a lead's trial of a judge, if nobody else does."""
    answer_trial(trial_id)


def send_trial(trial_id: int) -> None:
    """Wake a worker up for a trial; call it on commit. The workers find a trial by themselves, only later."""
    try:
        try_judge.delay(trial_id)
    except (OperationalError, OSError) as error:
        log.warning("The broker cannot be reached (%s); the workers find trial %s.", error, trial_id)
