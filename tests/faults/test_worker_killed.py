"""Workers that are killed: the run ends by itself, with each verdict once."""

import os
import signal

import pytest

from tests.benchmarks.processes import children
from tests.factories import make_candidate
from tests.faults.conftest import MakeHouse
from tests.judging.running import rows

pytestmark = pytest.mark.faults

PROCESSES, IN_FLIGHT, LEASE = 2, 4, 3
UNSAVED = 4 * IN_FLIGHT  # what 0.3 seconds between saves, with calls of 0.1 seconds, can bring


def test_a_run_ends_by_itself_after_its_worker_was_killed_twice(make_house: MakeHouse) -> None:
    house = make_house()
    house.start_run(60)
    for calls in (40, 90):
        worker = house.start_worker()
        house.wait_for_calls(calls)
        worker.kill()
    house.start_worker()

    house.wait_for_end()

    house.check_each_once(60)
    assert house.judge.repeated() <= 2 * PROCESSES * (IN_FLIGHT + UNSAVED)


@pytest.mark.parametrize("point", ["after_claim", "before_save", "after_save"])
def test_a_worker_may_die_at_any_point(make_house: MakeHouse, point: str) -> None:
    house = make_house()
    house.start_run(24)
    house.start_worker(point).process.wait(120)
    house.start_worker()

    house.wait_for_end()

    house.check_each_once(24)
    assert house.judge.repeated() <= PROCESSES * (IN_FLIGHT + UNSAVED)


@pytest.mark.parametrize("point", ["after_claim", "before_save", "after_save"])
def test_a_task_may_die_at_any_point_and_its_rows_wait_no_longer_than_their_lease(
    make_house: MakeHouse, point: str
) -> None:
    house = make_house()
    house.start_run(24)
    house.start_worker(point, "task")
    house.wait_until_warm(PROCESSES)
    house.send()

    house.wait_for_end()

    house.check_each_once(24)
    assert house.judge.repeated() <= IN_FLIGHT + UNSAVED
    assert house.stalled() <= LEASE + 10


@pytest.mark.parametrize("which", ["parent", "child"])
def test_any_one_process_may_be_killed(make_house: MakeHouse, which: str) -> None:
    """The parent; or each of its children in turn, which it replaces."""
    house = make_house()
    house.start_run(40)
    worker = house.start_worker()
    house.wait_for_calls(30)
    if which == "parent":
        os.kill(worker.process.pid, signal.SIGKILL)
        house.start_worker()
    for child in children(worker.process.pid) if which == "child" else []:
        os.kill(child, signal.SIGKILL)
        house.wait_for_calls(house.judge.calls() + 10)

    house.wait_for_end()

    house.check_each_once(40)
    assert house.judge.repeated() <= PROCESSES * (IN_FLIGHT + UNSAVED)


@pytest.mark.parametrize("clock", ["ahead", "behind"])
def test_a_worker_whose_clock_is_an_hour_off_spoils_no_verdict(make_house: MakeHouse, clock: str) -> None:
    house = make_house()
    house.start_run(40)
    house.start_worker(clock)
    house.start_worker()

    house.wait_for_end()

    house.check_each_once(40)
    assert house.judge.repeated() == 0  # nobody takes what another holds


def test_a_row_that_kills_its_worker_is_set_aside_and_the_run_finishes(make_house: MakeHouse) -> None:
    house = make_house()
    criteria_set = rows(11)
    make_candidate(criteria_set, "This one is poison.")
    house.start_run(12, criteria_set)
    house.start_worker("poison")

    house.wait_for_end()

    house.check_each_once(12, skipped=1)
    lost = house.run.verdicts.filter(reason="worker_lost")
    assert {verdict.candidate.output for verdict in lost} == {"This one is poison."}


@pytest.mark.parametrize("group", [False, True])
def test_told_to_stop_a_worker_gives_everything_back_within_ten_seconds(
    make_house: MakeHouse, group: bool
) -> None:
    house = make_house("--delay", "1", VERA_CLAIM_LEASE="600")
    house.start_run(40)
    worker = house.start_worker()
    house.wait_for_calls(20)

    seconds = worker.terminate(group=group)

    assert seconds < 10
    held = house.run.verdicts.filter(outcome="pending").exclude(claimed_by="", lease_until=None, claims=0)
    assert not held.exists()
    assert house.judge.calls() == house.run.verdicts.filter(kind="juror").exclude(outcome="pending").count()
