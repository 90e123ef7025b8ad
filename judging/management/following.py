"""Following a run from the shell until it is no longer running."""

import sys
import time
from functools import partial
from typing import Any

from django.core.management.base import CommandError, OutputWrapper
from django.utils import timezone
from tqdm import tqdm

from judging.domain.reasons import PAUSE_SENTENCES, PauseReason
from judging.models import Run
from judging.services.patience import patiently
from judging.services.progress import Progress, progress
from judging.services.workers import workers_seen

_LOOK_EVERY = 0.5  # seconds
_WORD_EVERY = 30.0  # seconds between two words that no worker is seen
_NO_WORKER = "No worker is seen; the run waits for one. Start it with: celery -A vera_site worker"
_INTERRUPTED = 130  # what shells expect after Ctrl-C


def follow(run: Run, stderr: OutputWrapper) -> Run:
    """The run once it is no longer running. Ctrl-C ends the watching, not the run."""
    try:
        run = _watch(run)
    except KeyboardInterrupt:
        raise CommandError(
            f"Run {run.pk} goes on without you. Watch it at /runs/{run.pk}/, or give this command again.",
            returncode=_INTERRUPTED,
        ) from None
    if run.state == Run.State.PAUSED:
        sentence = PAUSE_SENTENCES[PauseReason(run.pause_reason)]
        stderr.write(f"Run {run.pk} is paused ({run.pause_reason}): {sentence} {run.pause_detail}")
        stderr.write(f"Resume it at /runs/{run.pk}/.")
    elif run.state == Run.State.CANCELLED:
        stderr.write(f"Run {run.pk} was cancelled.")
    return run


def _watch(run: Run) -> Run:
    """Show progress on stderr until the run stops."""
    next_word = time.monotonic()
    on_terminal = sys.stderr.isatty()
    rows = progress(run).total
    with tqdm(total=rows, unit="row", mininterval=0.1 if on_terminal else 10.0) as bar:
        while True:
            patiently(run.refresh_from_db)
            _show(bar, patiently(partial(progress, run)))
            if run.state != Run.State.RUNNING:
                return run
            if time.monotonic() >= next_word and not patiently(lambda: workers_seen(timezone.now())):
                bar.write(_NO_WORKER, file=sys.stderr)
                next_word = time.monotonic() + _WORD_EVERY
            time.sleep(_LOOK_EVERY)


def _show(bar: "tqdm[Any]", figures: Progress) -> None:
    """Bring the bar to where the run is."""
    bar.set_postfix(skipped=sum(figures.skipped.values()), calls=figures.calls, refresh=False)
    bar.update(figures.done - bar.n)


def run_resource(run: Run) -> dict[str, Any]:
    """The run behind the answer, ready for JSON. A cost that nobody knows is None."""
    figures = progress(run)
    return {
        "id": run.pk,
        "state": run.state,
        "pause_reason": run.pause_reason,
        "rows": figures.total,
        "done": figures.done,
        "skipped": figures.skipped,
        "calls": figures.calls,
        "cost": None if figures.cost is None else float(figures.cost),
    }
