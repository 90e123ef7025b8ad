"""A worker that is killed while it answers a trial: another asks again, and one answer stands."""

import pytest

from judging.models import Trial
from judging.services.trials import start_trial
from tests.factories import live, make_criteria_set, make_user
from tests.faults.conftest import MakeHouse
from tests.faults.servers import wait_for
from tests.judging.running import panel

pytestmark = pytest.mark.faults


def test_a_trial_of_a_killed_worker_is_answered_by_the_next(make_house: MakeHouse) -> None:
    house = make_house("--delay", "4", VERA_CLAIM_LEASE="12")
    criteria_set = make_criteria_set()
    start_trial(
        judge_version=panel("pass", "pass-too"),
        criteria_version=live(criteria_set),
        texts={"request": "Say hello.", "output": "Hello!"},
        actor=make_user(lead_of=criteria_set),
    )

    first = house.start_worker()
    house.wait_for_calls(2)
    first.kill()
    house.start_worker()
    wait_for(lambda: not Trial.objects.get().is_open, 120, "the trial to end")

    trial = Trial.objects.get()
    assert (trial.state, trial.claims, house.judge.calls()) == ("answered", 2, 4), trial.problem
    assert [told["outcome"] for told in trial.answers["jurors"]] == ["pass", "pass"]
