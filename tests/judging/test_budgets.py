"""A budget in calls is kept to the call, whatever fails, and is used up."""

import random

import pytest

from judging.domain.reasons import SkipReason
from judging.models import JudgeVersion, Run
from judging.services.engine import work_on
from judging.services.retrying import retryable
from judging.services.runs import cancel_run, resume_run
from tests.factories import make_panel
from tests.judging.running import judged, juror, outcomes, panel, scripted

pytestmark = pytest.mark.django_db

BEHAVIOURS = ("pass", "pass", "pass", "garbage", "500", "close", "no-json", "400")


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Resends without a wait."""
    monkeypatch.setattr("judging.services.asking.pause_before", lambda n, *_: 0.0 if n <= 3 else None)
    monkeypatch.setattr("judging.domain.outage._FIRST_PAUSE", 0.01)
    monkeypatch.setattr("judging.domain.outage._LONGEST_PAUSE", 0.02)


def correcting(*behaviours: str) -> JudgeVersion:
    """A panel, or a single juror, that sends unreadable replies back."""
    jurors = [juror(behaviour, template="juror-2") for behaviour in behaviours]
    return jurors[0] if len(jurors) == 1 else make_panel(jurors)


@pytest.mark.parametrize("seed", range(8))
def test_whatever_fails_no_call_goes_beyond_and_none_is_left(
    monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    chance = random.Random(seed)
    jurors, budget = chance.choice([1, 1, 3]), chance.randint(3, 60)
    failing = chance.choices(BEHAVIOURS, k=400)
    with scripted(monkeypatch, lambda body, n: failing[n % 400]) as judge:
        run = judged(correcting(*["x"] * jurors), 70, max_calls=budget)

        assert (run.state, run.pause_reason) == ("paused", "budget_spent")
        assert budget - jurors < len(judge.calls) <= budget
        assert run.calls_made == len(judge.calls)


def test_replies_sent_back_fit_in(monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted(monkeypatch) as judge:
        run = judged(correcting("garbage"), 60, max_calls=20)

    assert (len(judge.calls), run.calls_made, run.pause_reason) == (20, 20, "budget_spent")


def test_resends_fit_in(monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted(monkeypatch, lambda body, n: "500" if n % 3 else "pass") as judge:
        run = judged(juror(), 60, max_calls=30)

    assert (len(judge.calls), run.calls_made, run.pause_reason) == (30, 30, "budget_spent")


def test_a_question_that_the_budget_cuts_short_is_asked_again_with_a_higher_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with scripted(monkeypatch, lambda body, n: "500" if n <= 2 else "pass") as judge:
        run = judged(juror(), 1, max_calls=2)
        assert (outcomes(run), len(judge.calls)) == ({"juror pending": 1}, 2)
        resume_run(run=run, max_calls=3)
        work_on(run.pk)

    run.refresh_from_db()
    assert (run.state, outcomes(run), run.calls_made) == ("finished", {"juror pass": 1}, 3)


def test_an_outage_longer_than_a_question_may_last_costs_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("django.conf.settings.VERA_PROVIDER_PATIENCE", 60)
    with scripted(monkeypatch, lambda body, n: "503" if n <= 40 else "pass") as judge:
        run = judged(juror(), 30, max_calls=1000)

    assert (run.state, outcomes(run)) == ("finished", {"juror pass": 30})
    assert run.calls_made == len(judge.calls) == 70


def test_calls_that_a_wrong_key_cost_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted(monkeypatch) as judge:
        run = judged(juror("401"), 20, max_calls=10)
        assert (run.pause_reason, run.calls_made) == ("authentication", len(judge.calls))
        for _ in range(4):
            resume_run(run=Run.objects.get())
            work_on(run.pk)

        assert len(judge.calls) <= 10


def test_who_cancels_a_spent_run_leaves_the_rest_skipped_for_its_budget(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with scripted(monkeypatch):
        run = judged(panel("pass", "fail", "pass"), 10, max_calls=12)
    cancelled = cancel_run(run=run)

    skipped = run.verdicts.filter(outcome="skipped")
    assert set(skipped.values_list("reason", flat=True)) == {SkipReason.BUDGET_SPENT}
    assert (skipped.filter(panel_verdict=None).count(), retryable(cancelled)) == (6, {})
