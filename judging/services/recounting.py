"""Counting again after people corrected themselves: only rows whose truth changed are read or written.

What a recount adds to the tables is one calibration for each judge of the run and the rows that changed,
however many rows the run has.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from itertools import batched
from typing import Any

from judging.models import Calibration, CalibrationRow, Run
from judging.services.calibration import (
    CELLS,
    changed_hash,
    golden_truths_of,
    layer1,
    rows_of,
    unresolved_rows,
    verdicts_of,
)

_CHUNK = 500


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


def count_again(run: Run, moved: Moved, moment: datetime) -> list[Calibration]:
    """New calibrations of the run's judge and its jurors, with the rows in `moved` as they are now."""
    killed_by = _killed_by(run, moved)
    current = list(run.calibrations.filter(is_current=True))
    run.calibrations.filter(is_current=True).update(is_current=False)
    same = {
        "golden_hash": changed_hash(current[0].golden_hash, gone=moved.gone, come=moved.come),
        "unresolved": unresolved_rows(run.criteria_version),
        "as_of": moment,
    }
    again = [_successor(old, same) for old in current]
    for old, new in zip(current, again, strict=True):
        _end(old, new, moved)
        _begin(new, moved, killed_by)
        new.save()
    return again


def _killed_by(run: Run, moved: Moved) -> dict[int, str]:
    """What Layer 1 says of the rows that have come: as it said when they were counted before, else now."""
    known: dict[int, str] = {}
    for chunk in batched(moved.come, _CHUNK):
        counted = CalibrationRow.objects.filter(calibration__run=run, candidate__in=chunk)
        known |= dict(counted.values_list("candidate_id", "killed_by"))
    return {**known, **layer1(run.criteria_version, moved.come.keys() - known.keys())}


def _successor(old: Calibration, new_values: dict[str, Any]) -> Calibration:
    """The same calibration again, under another truth; its counts are still the old ones."""
    kept = {each.attname: getattr(old, each.attname) for each in Calibration._meta.concrete_fields}
    new = Calibration(**kept | new_values | {"id": None, "is_current": True})
    new.save()
    return new


def _end(old: Calibration, new: Calibration, moved: Moved) -> None:
    for chunk in batched(moved.gone, _CHUNK):
        rows = list(old.rows.filter(candidate__in=chunk))
        CalibrationRow.objects.filter(pk__in=[row.pk for row in rows]).update(ended_by=new)
        for row in rows:
            _tally(new, row, -1)


def _begin(new: Calibration, moved: Moved, killed_by: dict[int, str]) -> None:
    for chunk in batched(moved.come, _CHUNK):
        verdicts = verdicts_of(new).filter(candidate__in=chunk)
        rows = list(rows_of(new, verdicts, moved.come, killed_by))
        CalibrationRow.objects.bulk_create(rows)
        for row in rows:
            _tally(new, row, 1)


def _tally(calibration: Calibration, row: CalibrationRow, change: int) -> None:
    if cell := CELLS.get((row.truth, row.outcome)):
        names = [cell] if row.killed_by else [cell, f"unkilled_{cell}"]
    else:
        names = [f"skipped_{row.truth}" if row.outcome == "skipped" else "escalated"]
    for name in names:
        setattr(calibration, name, getattr(calibration, name) + change)
