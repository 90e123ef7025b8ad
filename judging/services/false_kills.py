"""What Layer 1 kills of the rows that people settled: as a calibration counted it, or measured now.

It depends on the criteria version and the golden rows alone, not on the judge: any calibration says the same
of the same rows, and no model is needed to measure it.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from time import monotonic

from django.db.models import Count, F, QuerySet

from judging.domain.false_kills import Kills, counted
from judging.domain.precheck import criteria_text_of
from judging.models import Calibration, CalibrationRow
from judging.services.layer1 import examine
from labeling.models import Candidate, CriteriaVersion
from labeling.services.settled import settled_by_split

_PORTION = 5_000  # rows looked at in one answer of a page, some two seconds
_SECONDS = 5.0  # no longer than this, however long the rows are


@dataclass(frozen=True, slots=True)
class Killed:
    """A row that Layer 1 kills: the first check that fires, its reason, and what people say."""

    candidate_id: int
    check: str
    reason: str
    truth: str


@dataclass(frozen=True, slots=True)
class Measured:
    """One portion of the settled rows. `rows` were examined of `total`, `earlier` come before them.

    `last`: the id of the last one examined, after which the next portion begins; None where none is left.
    """

    kills: Kills
    killed: Sequence[Killed]
    rows: int
    earlier: int
    total: int
    last: int | None

    @property
    def false_kills(self) -> list[Killed]:
        """Those that people pass, by check."""
        found = [each for each in self.killed if each.truth == "pass"]
        return sorted(found, key=lambda each: (each.check, each.candidate_id))


def kills_of(calibration: Calibration) -> Kills:
    """What Layer 1 kills of a calibration's rows; read from the rows where it was not counted then."""
    if calibration.layer1 is not None:
        kills: Kills = calibration.layer1
        return kills
    return _counted_by(calibration.rows)


def newest_kills(versions: Collection[int]) -> dict[int, Kills]:
    """By criteria version what Layer 1 kills of its golden rows, in two queries for however many versions.

    From the calibration behind a certificate in force, which corrections keep right; of several the one with
    the most rows, then the newest. A version that nothing was measured on is left out.
    """
    in_force = Calibration.objects.filter(
        criteria_version__in=versions, certificates__superseded_at=None, certificates__isnull=False
    )
    rows = F("a") + F("b") + F("c") + F("d") + F("skipped_pass") + F("skipped_fail") + F("escalated")
    best: dict[int, Calibration] = {}
    for each in in_force.annotate(rows_counted=rows).order_by("rows_counted", "pk"):
        best[each.criteria_version_id] = each
    late = _counted_late([each for each in best.values() if each.layer1 is None])
    return {version: each.layer1 or late.get(each.pk, {}) for version, each in best.items()}


def _counted_late(calibrations: Sequence[Calibration]) -> dict[int, Kills]:
    """The same from their rows, for those that were made before it was counted; they are current ones."""
    if not calibrations:
        return {}
    by_run = {(each.run_id, each.judge_version_id): each.pk for each in calibrations}
    standing = CalibrationRow.objects.filter(
        ended_by=None,
        calibration__run__in=[run for run, _ in by_run],
        calibration__judge_version__in=[judge for _, judge in by_run],
    )
    groups = standing.order_by().values_list(
        "calibration__run", "calibration__judge_version", "killed_by", "truth"
    )
    found: dict[int, dict[str, list[int]]] = {pk: {} for pk in by_run.values()}
    for run, judge, check, truth, rows in groups.annotate(rows=Count("pk")):
        if pk := by_run.get((run, judge)):
            found[pk].setdefault(check, [0, 0])[truth == "fail"] += rows
    return dict(found)


def _counted_by(rows: QuerySet[CalibrationRow]) -> Kills:
    found: dict[str, list[int]] = {}
    groups = rows.order_by().values_list("killed_by", "truth").annotate(rows=Count("pk"))
    for check, truth, number in groups:
        found.setdefault(check, [0, 0])[truth == "fail"] += number
    return found


def measure(
    *, version: CriteriaVersion, after: int = 0, most: int = _PORTION, seconds: float = _SECONDS
) -> Measured:
    """Examine the settled rows of both splits with ids above `after`: `most` of them, and no longer than so.

    Writes nothing and asks no model. Some 0.25 ms for a row of ordinary length.
    """
    settled = Candidate.objects.golden(version).order_by("pk")
    total = sum(settled_by_split(version).values())
    asked = settled.filter(pk__gt=after).values_list("pk", "truth")
    truths = {pk: truth or "" for pk, truth in asked[:most]}
    seen, killed = _examined(version, truths, monotonic() + seconds)
    last = max(seen, default=after)
    earlier = settled.filter(pk__lte=after).count() if after else 0
    return Measured(
        kills=counted((check, truths[pk]) for pk, check in seen.items()),
        killed=killed,
        rows=len(seen),
        earlier=earlier,
        total=total,
        last=last if earlier + len(seen) < total and seen else None,
    )


def _examined(
    version: CriteriaVersion, truths: Mapping[int, str], until: float
) -> tuple[dict[int, str], list[Killed]]:
    """Which check kills each row, "" for none, as far as time allows; and those that are killed."""
    seen: dict[int, str] = {}
    killed: list[Killed] = []
    stated = criteria_text_of(
        {"name": each.name, "description": each.description} for each in version.criteria.all()
    )
    for pk, found in examine(stated, truths):
        seen[pk] = found.check or ""
        if found.check:
            killed.append(Killed(pk, found.check, found.reason or "", truths[pk]))
        if monotonic() > until:
            break
    return seen, killed
