"""What asking again has changed since a run was counted."""

from itertools import batched

from django.db.models import F

from judging.models import Calibration, CalibrationRow, SkippedAttempt
from judging.services.recounting import Moved, moved_since

_CHUNK = 500


def asked_again(calibration: Calibration) -> tuple[Moved, bool]:
    """The rows that came out otherwise since `calibration`, because a juror was asked again; and whether
    people have settled any of them otherwise, too.
    """
    run = calibration.run
    attempts = SkippedAttempt.objects.filter(verdict__run=run)
    retried = list(attempts.order_by().values_list("verdict__candidate", flat=True).distinct())
    moved = moved_since(calibration, retried)
    corrected = bool(moved)
    unmoved = [pk for pk in retried if pk not in moved.gone and pk not in moved.come]
    for chunk in batched(unmoved, _CHUNK):
        standing = CalibrationRow.objects.filter(calibration__run=run, ended_by=None, candidate__in=chunk)
        otherwise = standing.exclude(outcome=F("verdict__outcome"))
        changed = dict(otherwise.values_list("candidate", "truth"))
        moved.gone |= changed
        moved.come |= changed
    return moved, corrected
