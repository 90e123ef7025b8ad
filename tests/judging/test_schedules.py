"""Schedules: kept with a record of who did it, fired once each, never in silence."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime, time, timedelta
from decimal import Decimal
from threading import Barrier
from typing import Any

import pytest
from django.db import DatabaseError, connection, connections
from django.db.models import F

from judging.domain.reasons import PauseReason
from judging.domain.schedules import UnknownZone, drawn, seed_of
from judging.models import Judge, JudgeVersion, Run, Schedule
from judging.services.runs import CannotRun, cancel_run, pause_run
from judging.services.schedules import (
    Firing,
    add_schedule,
    change_schedule,
    delete_schedule,
    expected,
    fire_due,
    fire_now,
    same_as,
    switch_schedule,
)
from labeling.models import AuditEvent, CriteriaSet
from tests.factories import make_criteria_set, make_judge, make_label, make_panel, make_user
from tests.judging.scheduling import EVENING, NIGHT, arrive, make_schedule, plan_for, settle

pytestmark = pytest.mark.django_db

DAY, MINUTE = timedelta(days=1), timedelta(minutes=1)


@pytest.fixture
def criteria_set() -> CriteriaSet:
    """Six golden rows."""
    made = make_criteria_set("replies")
    settle(made, 6)
    return made


@pytest.fixture
def judge() -> JudgeVersion:
    return make_judge("strict")


def fired(now: datetime) -> list[Run]:
    return list(Run.objects.filter(pk__in=fire_due(now=now)))


def fresh(schedule: Schedule) -> Schedule:
    return Schedule.objects.get(pk=schedule.pk)


def end(run: Run) -> None:
    cancel_run(run=run)


def test_a_new_schedule_is_due_at_its_next_time_and_on_the_record(
    judge: JudgeVersion, criteria_set: CriteriaSet
) -> None:
    lead = make_user("lena", lead_of=criteria_set)

    made = add_schedule(plan=plan_for(judge, criteria_set), now=EVENING, actor=lead)

    assert (made.next_at, made.is_on, made.created_by) == (NIGHT, True, lead)
    event = AuditEvent.objects.get(action="schedule_added")
    assert (event.actor, event.criteria_set, event.details["schedule"]) == (lead, criteria_set, made.pk)


def test_an_unknown_zone_is_refused(judge: JudgeVersion, criteria_set: CriteriaSet) -> None:
    with pytest.raises(UnknownZone, match="There is no time zone “Mars/Olympus”"):
        add_schedule(plan=plan_for(judge, criteria_set, zone="Mars/Olympus"), now=EVENING)

    assert not Schedule.objects.exists()


def test_other_times_move_the_next_firing_and_other_budgets_do_not(
    judge: JudgeVersion, criteria_set: CriteriaSet
) -> None:
    made = make_schedule(judge, criteria_set)
    later = NIGHT + MINUTE  # it is due and was not fired yet

    kept = change_schedule(schedule=made, plan=plan_for(judge, criteria_set, max_calls=9), now=later)
    assert (kept.next_at, kept.max_calls) == (NIGHT, 9)

    moved = change_schedule(schedule=made, plan=plan_for(judge, criteria_set, at=time(4)), now=later)
    assert (moved.next_at, moved.max_calls) == (NIGHT + timedelta(hours=1), None)
    assert AuditEvent.objects.filter(action="schedule_changed").count() == 2


def test_what_was_due_while_it_was_off_is_not_made_up_for(
    judge: JudgeVersion, criteria_set: CriteriaSet
) -> None:
    made = make_schedule(judge, criteria_set)
    switch_schedule(schedule=made, on=False, now=EVENING)

    assert fired(NIGHT + MINUTE) == []
    on = switch_schedule(schedule=made, on=True, now=NIGHT + MINUTE)

    assert on.next_at == NIGHT + DAY
    assert fired(NIGHT + 2 * MINUTE) == []
    actions = AuditEvent.objects.filter(action__startswith="schedule_switched").order_by("pk")
    assert [event.action for event in actions] == ["schedule_switched_off", "schedule_switched_on"]


def test_deleted_it_leaves_its_runs(judge: JudgeVersion, criteria_set: CriteriaSet) -> None:
    made = make_schedule(judge, criteria_set)
    [run] = fired(NIGHT)

    delete_schedule(schedule=made)

    run.refresh_from_db()
    assert run.schedule is None
    assert AuditEvent.objects.filter(action="schedule_deleted").exists()


def test_a_replay_asks_every_juror_about_every_golden_row(
    judge: JudgeVersion, criteria_set: CriteriaSet
) -> None:
    panel = make_panel([judge, make_judge()], "panel")
    arrive(criteria_set, EVENING)
    made = make_schedule(panel, criteria_set, max_calls=40, max_cost=Decimal("1.5"))

    [run] = fired(NIGHT)

    assert (run.kind, run.schedule, run.judge_version) == ("replay", made, panel)
    assert (run.max_calls, run.max_cost, run.asks_all) == (40, Decimal("1.5"), True)
    assert run.verdicts.filter(panel_verdict=None).count() == 6
    assert run.verdicts.count() == 18
    after = fresh(made)
    assert (after.next_at, after.fired_at, after.problem) == (NIGHT + DAY, NIGHT, "")


def test_a_schedule_that_nobody_fired_for_a_month_fires_once(
    judge: JudgeVersion, criteria_set: CriteriaSet
) -> None:
    make_schedule(judge, criteria_set)
    late = NIGHT + 30 * DAY + MINUTE

    assert len(fired(late)) == 1
    assert fired(late + MINUTE) == []
    assert Schedule.objects.get().next_at == NIGHT + 31 * DAY


def test_a_clock_that_goes_back_fires_nothing_twice(judge: JudgeVersion, criteria_set: CriteriaSet) -> None:
    make_schedule(judge, criteria_set)
    [run] = fired(NIGHT + MINUTE)
    end(run)

    assert fired(NIGHT - DAY) == fired(NIGHT) == []


def test_a_sample_is_drawn_from_what_nobody_labelled_and_came_since(
    judge: JudgeVersion, criteria_set: CriteriaSet
) -> None:
    made = make_schedule(judge, criteria_set, kind="sample", sample_rows=3)
    came = [arrive(criteria_set, EVENING) for _ in range(8)]
    arrive(criteria_set, NIGHT - 2 * DAY)  # too long ago
    make_label(arrive(criteria_set, EVENING), make_user(labels=criteria_set))  # labelled

    [run] = fired(NIGHT)

    assert (run.kind, run.asks_all) == ("scoring", False)
    asked = list(run.verdicts.values_list("candidate", flat=True))
    draw = AuditEvent.objects.get(action="schedule_fired").details
    assert (draw["run"], draw["rows"], draw["seed"]) == (run.pk, 3, seed_of(made.pk, NIGHT))
    again = drawn([(row.pk, row.content_hash) for row in came], draw["seed"], 3)
    assert sorted(asked) == sorted(again)


def test_the_next_sample_begins_where_the_last_one_ended(
    judge: JudgeVersion, criteria_set: CriteriaSet
) -> None:
    made = make_schedule(judge, criteria_set, kind="sample", at=time(3))
    arrive(criteria_set, EVENING)
    [first] = fired(NIGHT + 10 * MINUTE)
    end(first)
    then, later = arrive(criteria_set, NIGHT + 10 * MINUTE), arrive(criteria_set, NIGHT + 11 * MINUTE)

    [second] = fired(NIGHT + DAY)

    assert [verdict.candidate for verdict in second.verdicts.all()] == [later]
    assert then not in [verdict.candidate for verdict in second.verdicts.all()]
    assert fresh(made).fired_at == NIGHT + DAY


def test_nights_on_which_nothing_started_are_looked_at_too(
    judge: JudgeVersion, criteria_set: CriteriaSet
) -> None:
    make_schedule(judge, criteria_set, kind="sample")
    arrive(criteria_set, EVENING)
    [first] = fired(NIGHT)
    missed = arrive(criteria_set, NIGHT + MINUTE)
    assert fired(NIGHT + DAY) == []  # the first run is still at work
    end(first)

    [second] = fired(NIGHT + 2 * DAY)

    assert [verdict.candidate for verdict in second.verdicts.all()] == [missed]


def without_rows(schedule: Schedule) -> None:
    Schedule.objects.filter(pk=schedule.pk).update(criteria_set=make_criteria_set("nothing"))


def without_arrivals(schedule: Schedule) -> None:
    Schedule.objects.filter(pk=schedule.pk).update(kind="sample")


def without_live_judge(schedule: Schedule) -> None:
    Judge.objects.update(live_version=None)


def without_live_criteria(schedule: Schedule) -> None:
    CriteriaSet.objects.update(live_version=None)


def with_an_empty_panel(schedule: Schedule) -> None:
    Schedule.objects.filter(pk=schedule.pk).update(judge=make_panel([], "nobody").judge)


def with_a_run_at_work(schedule: Schedule) -> None:
    fire_now(schedule=schedule, now=EVENING)


def with_a_paused_run(schedule: Schedule) -> None:
    pause_run(run_id=fire_now(schedule=schedule, now=EVENING).pk, reason=PauseReason.NOT_CONFIGURED)


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (without_rows, "There are no golden rows of the certify split yet."),
        (without_arrivals, "No row that nobody has labelled has come in since 9 May 2026, 03:00 UTC"),
        (without_live_judge, "The judge strict has no live version. Promote one."),
        (without_live_criteria, "has no live version. Promote one."),
        (with_an_empty_panel, "has no jurors. Add some"),
        (with_a_run_at_work, "which this schedule started, is still running. The next time will do."),
        (with_a_paused_run, "which this schedule started, is still paused. Resume or cancel it."),
    ],
)
def test_what_cannot_start_says_why_and_waits_for_its_next_time(
    judge: JudgeVersion, criteria_set: CriteriaSet, spoil: Any, sentence: str
) -> None:
    made = make_schedule(judge, criteria_set)
    spoil(made)
    runs = Run.objects.count()

    assert fired(NIGHT) == []

    after = fresh(made)
    assert sentence in after.problem
    assert after.next_at == NIGHT + DAY
    assert Run.objects.count() == runs


def test_the_next_run_that_starts_takes_the_problem_away(
    judge: JudgeVersion, criteria_set: CriteriaSet
) -> None:
    made = make_schedule(judge, criteria_set)
    Judge.objects.update(live_version=None)
    fired(NIGHT)
    Judge.objects.update(live_version=judge)

    assert len(fired(NIGHT + DAY)) == 1
    assert fresh(made).problem == ""


@contextmanager
def refusing(table: str) -> Iterator[None]:
    """A database that refuses to write into a table."""

    def refuse(execute: Any, sql: str, *more: Any) -> Any:
        if sql.startswith(f'INSERT INTO "{table}"'):
            raise DatabaseError("disk full")
        return execute(sql, *more)

    with connection.execute_wrapper(refuse):
        yield


def test_a_database_error_leaves_it_due_and_others_fire(
    judge: JudgeVersion, criteria_set: CriteriaSet
) -> None:
    made = make_schedule(judge, criteria_set)
    with refusing("judging_run"):
        assert fired(NIGHT) == []

    assert (fresh(made).next_at, fresh(made).problem) == (NIGHT, "")
    assert len(fired(NIGHT + MINUTE)) == 1


def test_a_zone_that_is_no_more_switches_the_schedule_off(
    judge: JudgeVersion, criteria_set: CriteriaSet
) -> None:
    made = make_schedule(judge, criteria_set)
    Schedule.objects.update(zone="Europe/Atlantis")

    fired(NIGHT)

    assert not fresh(made).is_on
    assert fresh(made).problem.startswith("It was switched off. There is no time zone “Europe/Atlantis”.")


def test_run_now_leaves_the_times_and_refuses_a_second_run(
    judge: JudgeVersion, criteria_set: CriteriaSet
) -> None:
    made = make_schedule(judge, criteria_set)
    lead = make_user(lead_of=criteria_set)

    run = fire_now(schedule=made, now=EVENING, actor=lead)

    assert (run.schedule, run.created_by) == (made, lead)
    assert (fresh(made).next_at, fresh(made).fired_at) == (NIGHT, EVENING)
    with pytest.raises(CannotRun, match=f"Run {run.pk}, which this schedule started, is still running"):
        fire_now(schedule=made, now=EVENING, actor=lead)


def test_what_it_takes_is_known_before(judge: JudgeVersion, criteria_set: CriteriaSet) -> None:
    panel = make_panel([judge, make_judge()], "panel")
    replay, sample = (
        plan_for(panel, criteria_set),
        plan_for(panel, criteria_set, kind="sample", sample_rows=50),
    )

    found, at_most = expected(replay), expected(sample)

    assert found == Firing(rows=6, calls=12, at_most=False)
    assert at_most == Firing(rows=50, calls=100, at_most=True)
    Judge.objects.update(live_version=None)
    assert expected(plan_for(panel, criteria_set)) is None


def test_the_same_twice_is_found(judge: JudgeVersion, criteria_set: CriteriaSet) -> None:
    first, second = make_schedule(judge, criteria_set), make_schedule(judge, criteria_set, at=time(9))
    other = make_schedule(judge, criteria_set, every="week")

    assert list(same_as(second)) == [first]
    assert not same_as(other).exists()
    switch_schedule(schedule=first, on=False, now=EVENING)
    assert not same_as(second).exists()


@pytest.mark.django_db(transaction=True)
def test_twenty_that_fire_at_once_start_one_run(judge: JudgeVersion, criteria_set: CriteriaSet) -> None:
    make_schedule(judge, criteria_set)
    start = Barrier(20)

    def fire(_: int) -> list[int]:
        start.wait(timeout=30)
        try:
            return fire_due(now=NIGHT)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(20) as pool:
        started = [run for runs in pool.map(fire, range(20)) for run in runs]

    assert started == [Run.objects.get().pk]
    assert Schedule.objects.filter(next_at=NIGHT + DAY, runs=F("runs")).exists()
