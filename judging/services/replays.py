"""Golden replays: counted against the golden set, and never turned into a certificate."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from django.utils import timezone

from judging.domain.comparison import Changes
from judging.models import Calibration, Run
from judging.services.attempts import attempt_number
from judging.services.calibration import calibrate, golden_truths, layer1
from judging.services.comparing import compared, judges_on_certify_rows
from judging.services.recounting import count_again, people_now
from judging.services.retried import asked_again
from labeling.services.human_agreement import human_agreement


def count_replay(*, run: Run, known: Mapping[int, str], now: datetime | None = None) -> list[Calibration]:
    """The calibrations of a replay that has ended: of its judge first, then of each juror.

    Called in the transaction that ends the run. `known`: what `layer1_of` said of the run's rows before. A
    replay that ends again, because skipped rows were asked again, is counted again. None for other runs.
    """
    if run.kind != Run.Kind.REPLAY:
        return []
    moment = now or timezone.now()
    counted = run.calibrations.filter(is_current=True, judge_version=run.judge_version_id).first()
    if counted is None:
        return _counted(run, known, moment)
    answered, _ = asked_again(counted)
    if not answered:
        return []
    return count_again(run, answered, moment, people=people_now(run.criteria_version))


def _counted(run: Run, known: Mapping[int, str], moment: datetime) -> list[Calibration]:
    truths = golden_truths(run)
    killed_by = {**known, **layer1(run.criteria_version, truths.keys() - known.keys())}
    people = human_agreement(run.criteria_version)
    jurors = [seat.juror for seat in run.judge_version.seats.select_related("juror__judge")]
    return [
        calibrate(
            run=run,
            judge_version=judge,
            truths=truths,
            killed_by=killed_by,
            as_of=moment,
            run_complete=True,
            attempt=attempt_number(judge, run.criteria_version),
            people=people,
        )
        for judge in (run.judge_version, *jurors)
    ]


def changes(certified: Calibration, replay: Calibration) -> Changes:
    """What became of the rows that `certified` counts, in a replay, by what people say of them now."""
    found = compared(judges_on_certify_rows(certified, replay))
    return replace(found.changes, inconclusive=found.changes.inconclusive + found.only_before)
