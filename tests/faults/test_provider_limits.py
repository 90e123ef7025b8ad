"""Limits per provider, kept by all workers together; what does not answer; and two runs side by side."""

import time
from pathlib import Path

import pytest

from judging.domain.pacing import provider_of
from judging.models import ProviderLimit, Run, Trial, Verdict
from judging.services.runs import resume_run
from judging.services.trials import start_trial
from tests.factories import live, make_user
from tests.faults.conftest import MakeHouse
from tests.faults.house import House
from tests.faults.servers import Redis, running, wait_for
from tests.judging.running import juror, panel, rows, scoring

pytestmark = pytest.mark.faults

PROCESSES, IN_FLIGHT, JURORS = 2, 4, 3


def limit(run: Run, **most: int) -> None:
    """Limit the provider of all the jurors of a run."""
    [provider] = {provider_of(each) for each in run.judge_version.jurors()}
    ProviderLimit.objects.create(provider=provider, **most)


def most_within(arrivals: list[float], seconds: float) -> int:
    """The most arrivals in any window of so many seconds."""
    times = sorted(arrivals)
    return max(sum(start <= time < start + seconds for time in times) for start in times)


def test_a_limit_per_minute_holds_for_all_workers_together(make_house: MakeHouse) -> None:
    """5 a second: in a minute 5 per cent more would be 15, so many may come early in a shorter window."""
    house = make_house("--delay", "0.05")
    limit(house.start_run(34), requests_per_minute=300)
    for _ in range(2):
        house.start_worker()

    house.wait_for_end()

    arrivals = house.judge.arrivals()
    assert most_within(arrivals, 10) <= 50 + 15
    house.check_each_once(34)
    assert house.judge.repeated() == 0


def test_limits_hold_while_redis_is_emptied(make_house: MakeHouse, tmp_path: Path) -> None:
    with running(Redis(tmp_path)) as redis:
        house = make_house("--delay", "0.2", redis_url=redis.url, VERA_CLAIM_LEASE="30")
        limit(house.start_run(30), calls_in_flight=3, requests_per_minute=600)
        for _ in range(2):
            house.start_worker()
        house.wait_for_calls(30)
        redis.stop()
        redis.start()

        house.wait_for_end()

    assert house.judge.most_at_once() <= 3
    assert most_within(house.judge.arrivals(), 5) <= 50 + 30
    house.check_each_once(30)
    assert house.judge.repeated() == 0


def test_a_provider_that_fails_for_a_while_and_recovers_costs_no_row(make_house: MakeHouse) -> None:
    house = make_house()
    house.start_run(60)
    house.start_worker()
    house.wait_for_calls(40)
    house.judge.behave("503", 8)
    began = time.time()

    house.wait_for_end()

    house.check_each_once(60)
    during = [at for at in house.judge.arrivals() if began <= at < began + 8]
    most = PROCESSES * (2 * IN_FLIGHT + 8)  # in the air, until it is found out, and probes
    assert len(during) <= most
    assert house.judge.repeated() <= len(during)


def test_a_key_that_is_wrong_pauses_the_run_after_a_handful_and_it_can_go_on(make_house: MakeHouse) -> None:
    """An unknown model and an account without credit: `judging/test_engine_runs`, in one process."""
    house = make_house()
    house.start_run(40)
    house.judge.behave("401", 3600)
    house.start_worker()
    house.wait_for_state("paused")
    time.sleep(1)
    # Of each juror two may be refused before the third says that all will be.
    assert house.judge.calls() <= PROCESSES * (2 * JURORS + IN_FLIGHT)
    calls = house.judge.calls()

    house.judge.behave("401", 0)
    resume_run(run=house.run)
    house.wait_for_end()

    house.check_each_once(40)
    assert house.judge.calls() == calls + 40 * JURORS


@pytest.mark.parametrize("why", ["limit", "503", "429"])
def test_told_to_stop_while_questions_wait_a_worker_ends_within_ten_seconds(
    make_house: MakeHouse, why: str
) -> None:
    house = make_house("--retry-after", "3600", VERA_CLAIM_LEASE="600")
    run = house.start_run(40)
    if why == "limit":
        limit(run, requests_per_minute=6)
    worker = house.start_worker()
    if why != "limit":
        house.judge.behave(why, 3600)
    house.wait_for_calls(1)
    time.sleep(3)

    seconds = worker.terminate()

    assert seconds < 10
    held = house.run.verdicts.filter(outcome="pending").exclude(claimed_by="", lease_until=None, claims=0)
    assert not held.exists()
    assert not house.run.verdicts.filter(outcome="skipped").exists()


def test_two_runs_and_trials_share_the_workers_and_the_short_ones_do_not_wait_for_the_long(
    make_house: MakeHouse,
) -> None:
    house = make_house()
    long = house.start_run(150)
    house.start_worker()
    house.wait_for_calls(40)
    short = scoring(panel("pass", "pass-too", "fail"), rows(10))
    trials = [try_out(house, number) for number in range(3)]

    wait_for(lambda: Run.objects.get(pk=short.pk).state == "finished", 60, "the short run")
    wait_for(lambda: all(not Trial.objects.get(pk=pk).is_open for pk in trials), 60, "the trials")
    assert house.state() == "running"
    house.wait_for_end()

    house.check_each_once(150)
    house.run = short
    house.check_each_once(10)
    assert set(Trial.objects.values_list("state", flat=True)) == {"answered"}
    assert house.judge.repeated() == 0
    assert Verdict.objects.filter(run=long, outcome="skipped").count() == 0


def try_out(house: House, number: int) -> int:
    """Ask a judge about one text, as a lead does who tries it."""
    version = house.run.criteria_version
    trial = start_trial(
        judge_version=juror(),
        criteria_version=live(version.criteria_set),
        texts={"request": "Say hello.", "output": f"Hello, for the {number}th time."},
        actor=make_user(lead_of=version.criteria_set),
    )
    return trial.pk
