"""Schedules with real workers: what is due starts once, whoever sees it first."""

from datetime import timedelta

import pytest
from django.utils import timezone

from judging.models import Calibration, Run, Schedule
from judging.services.schedules import add_schedule
from tests.factories import make_criteria_set
from tests.faults.conftest import MakeHouse
from tests.faults.servers import wait_for
from tests.judging.running import panel
from tests.judging.scheduling import plan_for, settle

pytestmark = pytest.mark.faults


def test_what_is_due_in_two_seconds_runs_once_with_two_workers(make_house: MakeHouse) -> None:
    house = make_house()
    criteria_set = make_criteria_set()
    settle(criteria_set, 10)
    judge = panel("pass", "pass-too", "fail")
    schedule = add_schedule(plan=plan_for(judge, criteria_set), now=timezone.now())
    due = timezone.now() + timedelta(seconds=2)
    Schedule.objects.filter(pk=schedule.pk).update(next_at=due)

    house.start_worker()
    house.start_worker()

    wait_for(Run.objects.exists, 60, "the schedule to start a run")
    house.run = Run.objects.get()
    house.wait_for_end()
    wait_for(lambda: timezone.now() > due + timedelta(seconds=15), 60, "every worker to look twice again")
    assert Run.objects.count() == 1
    house.check_each_once(10)
    assert (house.run.kind, house.run.schedule_id) == ("replay", schedule.pk)
    counted = Calibration.objects.filter(run=house.run, judge_version=judge).get()
    assert (counted.a, counted.c) == (5, 5)  # the panel passes all, by two of three
    schedule.refresh_from_db()
    assert (schedule.problem, schedule.next_at > timezone.now()) == ("", True)
