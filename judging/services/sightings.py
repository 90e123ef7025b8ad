"""When a judge was last watched, and how: the same number of queries for any number of certificates."""

from collections.abc import Collection, Mapping
from datetime import datetime

from django.db.models import F, Max, Q, QuerySet
from django.db.models.functions import Coalesce

from judging.domain.drift_words import Seen
from judging.models import Calibration, Certificate, Run, Schedule
from judging.services.drift import STARTS
from labeling.models import Draw, DrawnRow

type Key = tuple[int, int]  # the judge version's id and the criteria version's


def sightings(certificates: Collection[Certificate]) -> dict[Key, Seen]:
    """What was seen of each judge since it was certified, by its versions; certificates come with theirs."""
    if not certificates:
        return {}
    judges = {each.judge_version_id for each in certificates}
    versions = {each.criteria_version_id for each in certificates}
    these = Q(judge_version__in=judges, criteria_version__in=versions)
    began = _newest(Certificate.objects.filter(these, cause__in=STARTS), "created_at")
    replays = _newest(
        Calibration.objects.filter(these, run__kind=Run.Kind.REPLAY, run__judge_version=F("judge_version")),
        "as_of",
    )
    judged = _newest(
        Run.objects.filter(these, kind=Run.Kind.SCORING).exclude(state=Run.State.CANCELLED),
        Coalesce("finished_at", "created_at"),
    )
    labels, planned = _labelled(versions), _planned(versions)
    return {
        key: Seen(
            since=began.get(key, each.created_at),
            audit_share=float(each.criteria_version.criteria_set.audit_share),
            audit_label=labels.get((str(each.judge_version), each.criteria_version_id)),
            replay=replays.get(key),
            replay_planned=(each.judge_version.judge_id, each.criteria_version.criteria_set_id) in planned,
            judged=judged.get(key),
        )
        for each in certificates
        if (key := (each.judge_version_id, each.criteria_version_id))
    }


def _newest(rows: QuerySet, moment: str | Coalesce) -> Mapping[Key, datetime]:  # type: ignore[type-arg]
    """The newest moment of the rows of each pair of versions."""
    grouped = rows.order_by().values_list("judge_version", "criteria_version").annotate(newest=Max(moment))
    return {(judge, version): newest for judge, version, newest in grouped}


def _labelled(versions: Collection[int]) -> dict[tuple[str, int], datetime]:
    """When people last labelled or ruled on a row that was drawn to check a judge, by judge and version."""
    drawn = DrawnRow.objects.filter(draw__strategy=Draw.Strategy.AUDIT, draw__version__in=versions).order_by()
    found: dict[tuple[str, int], datetime] = {}
    for of, blind in (("labels", Q(candidate__labels__blind=True)), ("rulings", Q())):
        said = drawn.filter(blind, **{f"candidate__{of}__version": F("draw__version")})
        keyed = said.values_list("draw__judge", "draw__version")
        for judge, version, newest in keyed.annotate(newest=Max(f"candidate__{of}__created_at")):
            found[judge, version] = max(newest, found.get((judge, version), newest))
    return found


def _planned(versions: Collection[int]) -> set[Key]:
    """Judges and criteria sets of which a golden replay is scheduled."""
    on = Schedule.objects.filter(kind=Schedule.Kind.REPLAY, is_on=True, criteria_set__versions__in=versions)
    return set(on.order_by().values_list("judge", "criteria_set"))
