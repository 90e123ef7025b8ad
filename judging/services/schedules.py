"""Schedules: kept, changed, and fired by the workers' own timers."""

import logging
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from decimal import Decimal
from typing import Any

from django.db import DatabaseError, transaction
from django.db.models import Exists, OuterRef, QuerySet

from judging.domain.schedules import Every, UnknownZone, drawn, next_firing, seed_of
from judging.models import Judge, JudgeVersion, Run, Schedule
from judging.services.runs import CANNOT_BE_ASKED_AGAIN, CannotRun, start_run
from labeling.access import AnyUser
from labeling.models import Candidate, CriteriaSet, CriteriaVersion, Submission
from labeling.services.audit import record
from labeling.services.settled import settled_by_split

log = logging.getLogger(__name__)

_FIRST_SAMPLE = timedelta(days=1)  # how far back a schedule looks that never judged anything
_TIMING = ("every", "weekday", "at", "zone")
_UNFINISHED = (Run.State.RUNNING, Run.State.PAUSED)


@dataclass(frozen=True, slots=True, kw_only=True)
class SchedulePlan:
    """What a schedule does and when; the columns of `Schedule` that a lead chooses."""

    criteria_set: CriteriaSet
    judge: Judge
    kind: str
    every: str
    at: time
    zone: str
    weekday: int = 0
    sample_rows: int = 200
    max_calls: int | None = None
    max_cost: Decimal | None = None


@dataclass(frozen=True, slots=True)
class Firing:
    """What one firing takes if nothing is resent. `at_most`: fewer where fewer rows arrived."""

    rows: int
    calls: int
    at_most: bool


@transaction.atomic
def add_schedule(*, plan: SchedulePlan, now: datetime, actor: AnyUser | None = None) -> Schedule:
    """A new schedule, switched on. Raises `UnknownZone`."""
    user = actor if actor is not None and actor.is_authenticated else None
    schedule = Schedule(**_columns(plan), created_by=user)
    schedule.next_at = _next(schedule, now)
    schedule.save()
    _record(schedule, actor, "schedule_added")
    return schedule


@transaction.atomic
def change_schedule(
    *, schedule: Schedule, plan: SchedulePlan, now: datetime, actor: AnyUser | None = None
) -> Schedule:
    """Another plan for a schedule. What is due stays due unless the times changed. Raises `UnknownZone`."""
    locked = _locked(schedule)
    before = [getattr(locked, name) for name in _TIMING]
    if locked.criteria_set_id != plan.criteria_set.pk:
        locked.fired_at, locked.problem = None, ""  # they tell of the other set
    for name, value in _columns(plan).items():
        setattr(locked, name, value)
    if before != [getattr(locked, name) for name in _TIMING]:
        locked.next_at = _next(locked, now)
    locked.save()
    _record(locked, actor, "schedule_changed")
    return locked


@transaction.atomic
def switch_schedule(*, schedule: Schedule, on: bool, now: datetime, actor: AnyUser | None = None) -> Schedule:
    """On or off. What would have been due while it was off is not made up for."""
    locked = _locked(schedule)
    if locked.is_on != on:
        locked.is_on, locked.next_at = on, _next(locked, now)
        locked.save(update_fields=["is_on", "next_at"])
        _record(locked, actor, "schedule_switched_on" if on else "schedule_switched_off")
    return locked


@transaction.atomic
def delete_schedule(*, schedule: Schedule, actor: AnyUser | None = None) -> None:
    """Take a schedule away. The runs it started stay."""
    locked = _locked(schedule)
    _record(locked, actor, "schedule_deleted")
    locked.delete()


def same_as(schedule: Schedule) -> QuerySet[Schedule]:
    """Other schedules, switched on, that let the same judge do the same on the same criteria set."""
    others = Schedule.objects.exclude(pk=schedule.pk).filter(is_on=True)
    return others.filter(
        criteria_set=schedule.criteria_set_id,
        judge=schedule.judge_id,
        kind=schedule.kind,
        every=schedule.every,
    )


def expected(schedule: Schedule | SchedulePlan) -> Firing | None:
    """What the next firing takes; None where it could not start a run as things stand."""
    judge, criteria = schedule.judge.live_version, schedule.criteria_set.live_version
    if judge is None or criteria is None:
        return None
    sampled = schedule.kind == Schedule.Kind.SAMPLE
    rows = schedule.sample_rows if sampled else settled_by_split(criteria)[Candidate.Split.CERTIFY]
    return Firing(rows, rows * len(judge.jurors()), at_most=sampled)


def fire_due(*, now: datetime) -> list[int]:
    """Start the runs of all schedules that are due; their ids, for the caller to wake workers up for.

    Any number of workers may call this at once: each firing belongs to the one that moves `next_at` on, in
    the same transaction that starts the run. What was missed while nobody called fires once. A schedule that
    cannot start a run says why in `problem` and waits for its next time; one that the database failed stays
    due.
    """
    due = Schedule.objects.filter(is_on=True, next_at__lte=now).order_by("next_at", "pk")
    runs = [_fire(pk, moment, now) for pk, moment in due.values_list("pk", "next_at")]
    return [run.pk for run in runs if run is not None]


def fire_now(*, schedule: Schedule, now: datetime, actor: AnyUser | None = None) -> Run:
    """Start a run of this schedule beside its times, which stay. Raises `CannotRun`.

    The caller tells the workers, on commit.
    """
    with transaction.atomic():
        locked = _locked(schedule)
        run = _start(locked, now, now, actor)
        locked.fired_at, locked.problem = now, ""
        locked.save(update_fields=["fired_at", "problem"])
    return run


def _fire(pk: int, due: datetime, now: datetime) -> Run | None:
    try:
        with transaction.atomic():
            free = Schedule.objects.select_for_update(skip_locked=True)  # who is held is being fired
            schedule = free.filter(pk=pk, is_on=True, next_at=due).first()
            return None if schedule is None else _fire_held(schedule, now)
    except DatabaseError as error:
        log.warning(
            "Schedule %s is due and could not be fired (%s); it stays due.", pk, str(error).strip()[:200]
        )
        return None


def _fire_held(schedule: Schedule, now: datetime) -> Run | None:
    due = schedule.next_at
    run, schedule.problem = _tried(schedule, due, now)
    if run is not None:
        schedule.fired_at = now
    try:
        schedule.next_at = _next(schedule, now)
    except UnknownZone as unknown:
        schedule.is_on, schedule.problem = False, f"It was switched off. {unknown}"
    schedule.save(update_fields=["next_at", "fired_at", "problem", "is_on"])
    return run


def _tried(schedule: Schedule, due: datetime, now: datetime) -> tuple[Run | None, str]:
    """The run, or why there is none."""
    try:
        with transaction.atomic():
            return _start(schedule, due, now, None), ""
    except CannotRun as refused:
        return None, str(refused)
    except DatabaseError:
        raise
    except Exception as error:
        log.exception("Schedule %s could not start its run.", schedule.pk)
        return (
            None,
            f"An error of Vera's own ({type(error).__name__}) kept the run from starting; see its log.",
        )


def _start(schedule: Schedule, firing: datetime, now: datetime, actor: AnyUser | None) -> Run:
    """The run of one firing. Raises `CannotRun`."""
    if earlier := schedule.runs.filter(state__in=_UNFINISHED).first():
        todo = "Resume or cancel it." if earlier.state == Run.State.PAUSED else "The next time will do."
        raise CannotRun(f"Run {earlier.pk}, which this schedule started, is still {earlier.state}. {todo}")
    judge, criteria = _live(schedule)
    rows: QuerySet[Candidate] | None = None
    draw: dict[str, object] = {}
    if schedule.kind == Schedule.Kind.SAMPLE:
        rows, draw = _draw(schedule, criteria, firing, now)
    run = start_run(
        judge_version=judge,
        criteria_version=criteria,
        kind=Run.Kind.REPLAY if rows is None else Run.Kind.SCORING,
        scope="certify" if rows is None else "unlabelled",
        candidates=rows,
        max_calls=schedule.max_calls,
        max_cost=schedule.max_cost,
        schedule=schedule,
        actor=actor,
    )
    _record(schedule, actor, "schedule_fired", run=run.pk, **draw)
    return run


def _draw(
    schedule: Schedule, criteria: CriteriaVersion, firing: datetime, now: datetime
) -> tuple[QuerySet[Candidate], dict[str, object]]:
    """The rows of a sample, and what somebody needs who draws them again."""
    seed, since = seed_of(schedule.pk, firing), schedule.fired_at or now - _FIRST_SAMPLE
    chosen = drawn(arrived(criteria, since, now).iterator(), seed, schedule.sample_rows)
    if not chosen:
        raise CannotRun(
            f"No row that nobody has labelled has come in since {since:%-d %B %Y, %H:%M} UTC, "
            "so there was nothing to judge."
        )
    told = {"seed": seed, "since": since.isoformat(), "until": now.isoformat(), "rows": len(chosen)}
    return Candidate.objects.filter(pk__in=chosen), told


def _live(schedule: Schedule) -> tuple[JudgeVersion, CriteriaVersion]:
    judge, criteria = schedule.judge.live_version, schedule.criteria_set.live_version
    if judge is None:
        raise CannotRun(f"The judge {schedule.judge} has no live version. Promote one.")
    if judge.has_recorded:
        raise CannotRun(CANNOT_BE_ASKED_AGAIN)
    if criteria is None:
        raise CannotRun(f"The criteria set {schedule.criteria_set} has no live version. Promote one.")
    return judge, criteria


def arrived(
    criteria: CriteriaVersion, since: datetime, until: datetime
) -> QuerySet[Candidate, tuple[int, str]]:
    """Rows that nobody has labelled and that came in later than `since`: ids and content hashes."""
    came = Submission.objects.filter(candidate=OuterRef("pk"), created_at__gt=since, created_at__lte=until)
    of_set = Candidate.objects.filter(Exists(came), criteria_set=criteria.criteria_set_id)
    return of_set.unlabelled(criteria).order_by().values_list("pk", "content_hash")


def _columns(plan: SchedulePlan) -> dict[str, Any]:
    return {name: getattr(plan, name) for name in plan.__dataclass_fields__}


def _next(schedule: Schedule, now: datetime) -> datetime:
    every: Every = schedule.every  # type: ignore[assignment]  # the column's constraint knows no other
    return next_firing(every, schedule.weekday, schedule.at, schedule.zone, now)


def _locked(schedule: Schedule) -> Schedule:
    return Schedule.objects.select_for_update().get(pk=schedule.pk)


def _record(schedule: Schedule, actor: AnyUser | None, action: str, **details: object) -> None:
    record(
        actor=actor,
        action=action,
        subject=str(schedule),
        criteria_set=schedule.criteria_set,
        schedule=schedule.pk,
        **details,
    )
