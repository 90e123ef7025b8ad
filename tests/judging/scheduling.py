"""Schedules for tests: of a judge over a criteria set, due when the test says."""

from datetime import UTC, datetime, time
from typing import Any

from judging.models import Judge, JudgeVersion, Schedule
from judging.services.schedules import SchedulePlan, add_schedule
from labeling.models import Candidate, CriteriaSet, Submission
from tests.factories import make_candidate, make_ruling

NIGHT = datetime(2026, 5, 10, 3, tzinfo=UTC)  # a Sunday
EVENING = datetime(2026, 5, 9, 20, tzinfo=UTC)  # the day before


def plan_for(judge: JudgeVersion, criteria_set: CriteriaSet, **differing: Any) -> SchedulePlan:
    """Every day at 03:00 UTC."""
    about: dict[str, Any] = {"criteria_set": criteria_set, "judge": Judge.objects.get(pk=judge.judge_id)}
    usual: dict[str, Any] = {"kind": "replay", "every": "day", "at": time(3), "zone": "UTC"}
    return SchedulePlan(**about | usual | differing)


def make_schedule(judge: JudgeVersion, criteria_set: CriteriaSet, **differing: Any) -> Schedule:
    """A schedule that was made in the evening, so that it is due at `NIGHT`."""
    return add_schedule(plan=plan_for(judge, criteria_set, **differing), now=EVENING)


def settle(criteria_set: CriteriaSet, rows: int) -> list[Candidate]:
    """So many golden rows that certify."""
    found = [make_candidate(criteria_set) for _ in range(rows)]
    for number, row in enumerate(found):
        make_ruling(row, "fail" if number % 2 else "pass")
    return found


def arrive(criteria_set: CriteriaSet, when: datetime) -> Candidate:
    """A row that nobody has labelled and that came in then."""
    row = make_candidate(criteria_set)
    arrival = Submission.objects.create(candidate=row, source="api")
    Submission.objects.filter(pk=arrival.pk).update(created_at=when)
    return row
