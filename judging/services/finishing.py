"""The end of a run: finished once, and with it the certificate that it earns, or the count of a replay."""

import logging

from django.db import DatabaseError, transaction
from django.utils import timezone

from judging.domain.reasons import PauseReason
from judging.models import Run, Verdict
from judging.services.audits import draw_for_audit
from judging.services.calibration import layer1_of
from judging.services.certification import certify_run
from judging.services.escalation import queue_splits
from judging.services.ordering import count_ordering
from judging.services.replay_alarms import act_on_replay
from judging.services.replays import count_replay
from judging.services.runs import pause_run

log = logging.getLogger(__name__)


def finish_run(*, run_id: int) -> bool:
    """Finish a running run that has no pending row left; True for the one caller that did it.

    State and certificate are one transaction: whoever is killed in between leaves a run that is still
    running, which the next worker finishes. A certificate that cannot be computed pauses the run.
    """
    if Verdict.objects.own().pending().filter(run=run_id).exists():
        return False
    try:
        return _finish(run_id)
    except DatabaseError:
        raise
    except Exception as error:
        log.exception("Run %s is judged, and its certificate cannot be computed.", run_id)
        pause_run(run_id=run_id, reason=PauseReason.INTERNAL_ERROR, detail=type(error).__name__)
        return False


def _finish(run_id: int) -> bool:
    # A second's import that certifying needs; within the transaction every other writer on SQLite would wait.
    import scipy.optimize  # noqa: F401

    running = Run.objects.filter(pk=run_id, state=Run.State.RUNNING)
    run = running.select_related("criteria_version").first()
    if run is None:
        return False
    known = layer1_of(run)
    with transaction.atomic():
        if not running.update(state=Run.State.FINISHED, finished_at=timezone.now()):
            return False
        certify_run(run=run, known=known)
        count_replay(run=run, known=known)
        act_on_replay(run=run, now=timezone.now())
        count_ordering(run=run)
        queue_splits(run=run)
        draw_for_audit(run=run)
    log.info("Run %s is finished.", run_id)
    return True
