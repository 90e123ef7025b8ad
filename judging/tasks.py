"""What is sent through the broker. Every message may be lost or delivered twice: it only wakes workers up."""

import logging

from celery import shared_task
from django.conf import settings
from django.utils import timezone
from kombu.exceptions import OperationalError

from judging.services.delivering import deliver_due
from judging.services.drift import check_every_drift
from judging.services.engine import work_on_any
from judging.services.expiring import expire_due
from judging.services.provider_models import check_names
from judging.services.schedules import fire_due
from judging.services.trying import answer_trial
from judging.worker import add_timer  # whose import registers what each worker process does by itself
from labeling.services.import_jobs import forget_old
from labeling.services.import_work import work_on_jobs

log = logging.getLogger(__name__)


@shared_task
def judge_run(run_id: int) -> None:
    """Work on this run and all others, unless this process does so already and sees the new one by itself."""
    work_on_any()


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


def fire_schedules() -> None:
    """Start the runs that are due by now, and wake the other workers up for them."""
    for run_id in fire_due(now=timezone.now()):
        start_work(run_id)


def look_for_drift() -> None:
    """Suspend every judge that the live audit raised the alarm about."""
    check_every_drift(now=timezone.now())


add_timer("schedules", fire_schedules)
add_timer("drift", look_for_drift, every=600)  # labels tell of it at once; this finds what they did not


def note_expired() -> None:
    """Note which certificates' time ran out."""
    expire_due(now=timezone.now())


def watch_names() -> None:
    """Compare by which names providers answer, and wake workers up for the replays."""
    for run_id in check_names(now=timezone.now()):
        start_work(run_id)


add_timer("expiry", note_expired)
add_timer("names", watch_names)  # by itself, so that neither fails with the other


@shared_task
def deliver_messages() -> None:
    """Send what is to be sent to webhooks, if nobody else does."""
    deliver_due()


def send_messages() -> None:
    """Wake a worker up for messages; call it on commit. The workers find them by themselves, only later."""
    try:
        deliver_messages.delay()
    except (OperationalError, OSError) as error:
        log.warning("The broker cannot be reached (%s); the workers find the messages by themselves.", error)


add_timer("messages", deliver_due)


def forget_old_files() -> None:
    """Delete the files that nobody imported."""
    forget_old(now=timezone.now())


add_timer("imports", work_on_jobs)
add_timer("old files", forget_old_files, every=3600)
