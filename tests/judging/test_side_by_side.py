"""Several runs in one process: each gets going at once, none holds up another, and they move alike."""

import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.db import connection

from judging.models import JudgeVersion, Run
from judging.services import engine, filling, pump
from judging.services.engine import work_on_any
from judging.services.pump import Pump
from tests.factories import make_panel
from tests.judging.running import KEY, juror, outcomes, rows, scoring, scripted
from tests.scripted_judge import ScriptedJudge

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def few_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("django.conf.settings.VERA_CALLS_IN_FLIGHT", 8)


@contextmanager
def at_work() -> Iterator[threading.Thread]:
    """A process at work on whatever runs there are, in a thread, until nothing is left."""

    def work() -> None:
        try:
            work_on_any()
        finally:
            connection.close()

    thread = threading.Thread(target=work)
    thread.start()
    yield thread
    thread.join(60)
    assert not thread.is_alive()


def asked(server: ScriptedJudge) -> Counter[str]:
    return Counter(call.body["model"] for call in server.calls)


def wait_for_calls(server: ScriptedJudge, number: int) -> None:
    until = time.monotonic() + 30
    while len(server.calls) < number and time.monotonic() < until:
        time.sleep(0.01)


def test_a_small_run_gets_going_while_a_large_one_is_at_work(monkeypatch: pytest.MonkeyPatch) -> None:
    large = scoring(juror("large"), rows(300))
    small_rows, small_judge = rows(4), juror("small")
    with scripted(monkeypatch, delay=0.1) as server, at_work():
        wait_for_calls(server, 40)
        small = scoring(small_judge, small_rows)
        before = asked(server)["large"]
        until = time.monotonic() + 60
        while asked(server)["small"] < 4 and time.monotonic() < until:
            time.sleep(0.02)
        meanwhile = asked(server)["large"] - before

    assert meanwhile < 130  # two seconds' worth at most: a look for new runs, and half of the calls
    assert {Run.objects.get(pk=run.pk).state for run in (large, small)} == {"finished"}


def test_two_runs_have_as_many_calls_in_flight_whatever_their_size_and_panel(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    three = make_panel([juror("of-three") for _ in range(3)])
    runs = [scoring(juror("alone"), rows(60)), scoring(three, rows(200))]
    shares: list[Counter[str]] = []
    with scripted(monkeypatch, delay=0.05) as server, at_work():
        while asked(server)["alone"] < 60:
            shares.append(asked(server))
            time.sleep(0.05)

    halfway = max((each for each in shares if each["alone"] <= 40), key=lambda each: each["alone"])
    assert 0.6 <= halfway["alone"] / halfway["of-three"] <= 1.6
    assert server.most_at_once <= 8
    assert [outcomes(run) for run in runs] == [{"juror pass": 60}, {"panel pass": 200, "juror pass": 600}]


def test_a_run_whose_provider_keeps_it_waiting_waits_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    with ScriptedJudge(delay=5) as slow, scripted(monkeypatch) as quick:
        monkeypatch.setenv("VERA_JUROR_SLOW_URL", slow.url)
        waiting = scoring(juror("waiting", base_url_env="VERA_JUROR_SLOW_URL", api_key_env=KEY), rows(4))
        run = scoring(juror("quick"), rows(40))
        began = time.monotonic()
        with at_work():
            while outcomes(run).get("juror pass", 0) < 40 and time.monotonic() < began + 30:
                time.sleep(0.05)
            still = outcomes(waiting)

    assert (len(quick.calls), still) == (40, {"juror pending": 4})
    assert outcomes(waiting) == {"juror pass": 4}


def test_a_run_that_fails_in_this_process_holds_up_no_other(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    broken, whole = scoring(juror("broken"), rows(2)), scoring(juror("whole"), rows(6))
    _break(monkeypatch, broken.judge_version)

    with scripted(monkeypatch):
        work_on_any()

    assert outcomes(whole) == {"juror pass": 6}
    assert outcomes(broken) == {"juror pending": 2}
    assert set(broken.verdicts.values_list("claims", "claimed_by")) == {(1, "")}
    assert f"Run {broken.pk} failed in this process" in caplog.text


def _break(monkeypatch: pytest.MonkeyPatch, judge: JudgeVersion) -> None:
    """Let the saving of this judge's answers fail."""
    save = filling.save_answers

    def fail(plan: object, answers: object) -> int:
        if judge.pk in getattr(plan, "jurors", {}):
            raise ValueError("It is broken.")
        return save(plan, answers)  # type: ignore[arg-type]

    monkeypatch.setattr(pump, "save_answers", fail)


def test_told_to_stop_all_runs_give_back_what_they_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = [scoring(juror(name), rows(30)) for name in ("one", "two", "three")]
    stopping = False
    for module in (engine, pump):
        monkeypatch.setattr(module, "is_stopping", lambda: stopping)
    with scripted(monkeypatch, delay=0.3) as server, at_work() as worker:
        wait_for_calls(server, 12)
        stopping = True
        began = time.monotonic()
        worker.join(20)
        took = time.monotonic() - began

    assert took < 8
    for run in runs:
        assert not run.verdicts.filter(outcome="pending").exclude(claimed_by="", claims=0).exists()
    done = sum(run.verdicts.exclude(outcome="pending").count() for run in runs)
    assert done == len(server.calls) < 90


def test_more_runs_than_calls_in_flight_all_come_to_their_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("django.conf.settings.VERA_CALLS_IN_FLIGHT", 2)
    runs = [scoring(juror(), rows(3)) for _ in range(5)]

    with scripted(monkeypatch, delay=0.01) as server:
        work_on_any()

    assert {outcomes(run)["juror pass"] for run in runs} == {3}
    assert server.most_at_once <= 2


def test_a_pump_that_ends_keeps_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[Pump] = []
    close = Pump.close

    def note(self: Pump) -> None:
        closed.append(self)
        close(self)

    monkeypatch.setattr(Pump, "close", note)
    scoring(juror(), rows(2))

    with scripted(monkeypatch):
        work_on_any()

    [ended] = closed
    assert (len(ended.flight), ended.unsaved, dict(ended.open)) == (0, [], {})
