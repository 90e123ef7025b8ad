"""Showing people what a judge said of single rows: whoever has seen it cannot settle that row blind."""

from collections.abc import Sequence

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from judging.models import CalibrationRow
from labeling.models import CriteriaVersion, Exposure
from labeling.services.audit import record
from labeling.services.exposures import record_exposure


def opened_by(reader: User, version: CriteriaVersion) -> Exists:
    """Condition on calibration rows: `reader` has been shown a judge's verdict on that candidate."""
    return Exists(
        Exposure.objects.filter(
            user=reader, version=version, candidate=OuterRef("candidate"), what=Exposure.What.VERDICTS
        )
    )


@transaction.atomic
def open_rows(*, reader: User, version: CriteriaVersion, rows: QuerySet[CalibrationRow], most: int) -> int:
    """Open the next `most` of `rows` to `reader`, logged; returns how many there were left to open."""
    closed = rows.exclude(opened_by(reader, version)).order_by("pk")
    return _open(reader, version, list(closed.values_list("candidate_id", flat=True)[:most]))


@transaction.atomic
def open_candidates(
    *, reader: User, version: CriteriaVersion, candidate_ids: Sequence[int], most: int
) -> int:
    """The same of candidates that no judge need have been asked about: Layer 1 says something of each."""
    opened = opened_among(reader, version, candidate_ids)
    return _open(reader, version, [pk for pk in candidate_ids if pk not in opened][:most])


def opened_among(reader: User, version: CriteriaVersion, candidate_ids: Sequence[int]) -> set[int]:
    """Those of the candidates of which `reader` has been shown what a machine says."""
    shown = Exposure.objects.filter(user=reader, version=version, what=Exposure.What.VERDICTS)
    return set(shown.filter(candidate__in=candidate_ids).values_list("candidate_id", flat=True))


def _open(reader: User, version: CriteriaVersion, candidates: Sequence[int]) -> int:
    if candidates:
        log_shown(reader=reader, version=version, candidate_ids=candidates)
        record(
            actor=reader,
            action="certify_rows_opened",
            subject=str(version),
            criteria_set=version.criteria_set,
            candidates=list(candidates),
        )
    return len(candidates)


@transaction.atomic
def log_shown(*, reader: User, version: CriteriaVersion, candidate_ids: Sequence[int]) -> None:
    """Note that `reader` sees judges' verdicts and other people's labels on these rows."""
    for what in (Exposure.What.VERDICTS, Exposure.What.LABELS):
        record_exposure(user=reader, version=version, candidate_ids=candidate_ids, what=what)
