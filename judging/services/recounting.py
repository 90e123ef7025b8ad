"""Counting again after people corrected themselves: only rows whose truth changed are read or written.

What a recount adds to the tables is one calibration for each judge of the run and the rows that changed,
however many rows the run has.
"""

from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import datetime
from itertools import batched
from typing import Any

from django.db.models import Min

from judging.domain.certification import Policy
from judging.models import Calibration, CalibrationRow, Run
from judging.services.calibration import (
    COUNTS,
    answers_in,
    changed_hash,
    golden_truths_of,
    layer1,
    people_columns,
    rows_of,
    tally,
    unresolved_rows,
)
from judging.services.weighing import Drawn, drawn_as_counted, weigh
from labeling.models import CriteriaVersion
from labeling.services.human_agreement import human_agreement

type People = Mapping[str, Any]  # columns of a calibration about people

_CHUNK = 500
_NAMES = sorted(
    {name for names in COUNTS.values() for name in names}
    | {"layer1", "strata", "standard_error", "design_effect"}
)


@dataclass(slots=True)
class Moved:
    """Rows whose truth is another than a calibration counted: candidate id → truth, `pass` or `fail`.

    A row that became golden has come and not gone, one that is no longer golden has gone and not come.
    """

    gone: dict[int, str] = field(default_factory=dict)
    come: dict[int, str] = field(default_factory=dict)
    open: bool = False  # some row was not golden before or is not now, so it may be unresolved

    def __bool__(self) -> bool:
        return bool(self.gone or self.come)

    def note(self, candidate: int, before: str | None, now: str | None) -> None:
        """Take down one row."""
        self.open = self.open or before is None or now is None
        if before == now:
            return
        if before is not None:
            self.gone[candidate] = before
        if now is not None:
            self.come[candidate] = now


def moved_since(calibration: Calibration, candidate_ids: Iterable[int]) -> Moved:
    """Which of these rows people have settled otherwise than `calibration` counted them."""
    moved = Moved()
    for chunk in batched(candidate_ids, _CHUNK):
        counted = calibration.rows.filter(candidate__in=chunk)
        before = dict(counted.values_list("candidate_id", "truth"))
        now = golden_truths_of(calibration.run, chunk)
        for candidate in chunk:
            moved.note(candidate, before.get(candidate), now.get(candidate))
    return moved


def changes_anything(calibration: Calibration, moved: Moved) -> bool:
    """Whether a count of today would be another. What no row told of can have changed is not counted."""
    if moved:
        return True
    return moved.open and calibration.unresolved != unresolved_rows(calibration.criteria_version)


def count_again(
    run: Run, moved: Moved, moment: datetime, *, people: People | None = None
) -> list[Calibration]:
    """New calibrations, the run's judge first, then its jurors, with the rows in `moved` as they are now.

    `people`: how people stand with people now; None where it decides nothing, and it stays as it was found.
    """
    killed_by = _killed_by(run, moved)
    again = _successors(run, moved, moment, people or {})
    by_judge = {each.judge_version_id: each for each in again}
    for chunk in batched(moved.gone, _CHUNK):
        _end(run, chunk, by_judge)
    drawn = _drawn(run, moved)
    for chunk in batched(moved.come, _CHUNK):
        _begin(run, {pk: moved.come[pk] for pk in chunk}, by_judge, killed_by, drawn)
    _weigh(by_judge, run.judge_version_id)
    Calibration.objects.bulk_update(again, _NAMES)
    return again


def _weigh(by_judge: Mapping[int, Calibration], decided_on: int) -> None:
    """Of the judge that certificates are about. Nothing is decided by its jurors' spread, so theirs is left
    open, unless their rows weigh unequally.
    """
    for judge_version_id, calibration in by_judge.items():
        if judge_version_id == decided_on or calibration.strata:
            weigh(calibration)
        else:
            calibration.standard_error = calibration.design_effect = None


def _killed_by(run: Run, moved: Moved) -> dict[int, str]:
    """What Layer 1 says of the rows that have come: as it said when they were counted before, else now."""
    known: dict[int, str] = {}
    for chunk in batched(moved.come, _CHUNK):
        counted = CalibrationRow.objects.filter(calibration__run=run, candidate__in=chunk)
        known |= dict(counted.values_list("candidate_id", "killed_by"))
    return {**known, **layer1(run.criteria_version, moved.come.keys() - known.keys())}


def _successors(run: Run, moved: Moved, moment: datetime, people: People) -> list[Calibration]:
    """The current calibrations again, under another truth; their counts are still the old ones."""
    found = run.calibrations.filter(is_current=True)
    current = sorted(found, key=lambda each: each.judge_version_id != run.judge_version_id)
    new_values = {
        **people,
        "id": None,
        "is_current": True,
        "golden_hash": changed_hash(current[0].golden_hash, gone=moved.gone, come=moved.come),
        "unresolved": unresolved_rows(run.criteria_version),
        "as_of": moment,
    }
    run.calibrations.filter(is_current=True).update(is_current=False)
    names = [each.attname for each in Calibration._meta.concrete_fields]
    kept = (deepcopy({name: getattr(old, name) for name in names}) for old in current)
    return Calibration.objects.bulk_create(Calibration(**old | new_values) for old in kept)


def people_where(policy: Policy, version: CriteriaVersion) -> People | None:
    """People with people as they stand now, where the policy that decides demands it. Elsewhere None: it
    decides nothing, and takes most of the time in which whoever corrected a label is kept waiting.
    """
    return people_now(version) if policy.demand_human_ceiling else None


def people_now(version: CriteriaVersion) -> People:
    """How far people agree with each other on the criteria version, as calibrations store it."""
    return people_columns(human_agreement(version))


def _end(run: Run, candidate_ids: Sequence[int], by_judge: Mapping[int, Calibration]) -> None:
    """The rows of these candidates stand no longer, neither the judge's nor its jurors'."""
    standing = CalibrationRow.objects.filter(
        calibration__run=run, ended_by=None, candidate__in=candidate_ids
    ).select_related("calibration")
    rows = list(standing)
    for row in rows:
        row.ended_by = by_judge[row.calibration.judge_version_id]
        _tally(row.ended_by, row, -1)
    CalibrationRow.objects.bulk_update(rows, ["ended_by"])


def _drawn(run: Run, moved: Moved) -> Drawn:
    """What the rows that have come weigh by. A draw since, or a settled row more, changed what all rows of a
    stratum count; those counted here stay as they are, so what comes counts like them.
    """
    if not moved.come:
        return {}
    first = run.calibrations.aggregate(first=Min("created_at"))["first"]
    return drawn_as_counted(run, moved.come, until=first)


def _begin(
    run: Run,
    truths: Mapping[int, str],
    by_judge: Mapping[int, Calibration],
    killed_by: Mapping[int, str],
    drawn: Drawn,
) -> None:
    """Rows for the answers that the judge and its jurors gave on these candidates."""
    answers = answers_in(run).filter(judge_version__in=by_judge, candidate__in=truths)
    rows = list(rows_of(by_judge, answers, truths, killed_by, drawn))
    for row in rows:
        _tally(row.calibration, row, 1)
    CalibrationRow.objects.bulk_create(rows)


def _tally(calibration: Calibration, row: CalibrationRow, change: int) -> None:
    tally(calibration, truth=row.truth, outcome=row.outcome, killed_by=row.killed_by, rows=change)
