"""What a juror's own settings would bring upon every row pauses the run before it has skipped them."""

import pytest

from judging.models import Run
from judging.services import doubts
from judging.services.engine import work_on
from judging.services.plans import plan_of
from judging.services.pump import Pump
from judging.services.runs import resume_run
from tests.judging.running import judged, juror, outcomes, panel, rows, scoring, scripted

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(("behaviour", "code"), [("400", "bad_request"), ("wrong-model", "wrong_model")])
def test_a_juror_that_is_refused_every_time_pauses_the_run_and_no_row_is_lost(
    monkeypatch: pytest.MonkeyPatch, behaviour: str, code: str
) -> None:
    with scripted(monkeypatch) as judge:
        run = judged(juror(behaviour), 60)

        assert (run.state, run.pause_reason, outcomes(run)) == ("paused", code, {"juror pending": 60})
        assert run.pause_detail
        assert 20 <= len(judge.calls) <= 28
        assert run.calls_made == len(judge.calls)
        assert not run.verdicts.exclude(claimed_by="").exists()
        assert not run.verdicts.filter(claims__gt=0).exists()


def test_who_resumes_it_wants_the_rows_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted(monkeypatch) as judge:
        run = judged(juror("wrong-model"), 60)
        resume_run(run=run)
        work_on(run.pk)

    run.refresh_from_db()
    assert (run.state, outcomes(run)) == ("finished", {"juror skipped": 60})
    assert run.calls_made == len(judge.calls)


@pytest.mark.parametrize("behaviour", ["garbage", "context"])
def test_what_is_about_single_rows_pauses_nothing(monkeypatch: pytest.MonkeyPatch, behaviour: str) -> None:
    with scripted(monkeypatch):
        run = judged(juror(behaviour), 30)

    assert (run.state, outcomes(run)) == ("finished", {"juror skipped": 30})


@pytest.mark.parametrize("at", [1, 10, 20])
def test_one_verdict_and_the_others_are_skips(monkeypatch: pytest.MonkeyPatch, at: int) -> None:
    with scripted(monkeypatch, lambda body, n: "pass" if n == at else "400"):
        run = judged(juror(), 40)

    assert (run.state, outcomes(run)) == ("finished", {"juror skipped": 39, "juror pass": 1})


def test_fewer_rows_than_that_are_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted(monkeypatch) as judge:
        run = judged(juror("400"), 19)

    assert (run.state, len(judge.calls), outcomes(run)) == ("finished", 19, {"juror skipped": 19})


def test_a_budget_leaves_no_row_held_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted(monkeypatch) as judge:
        run = judged(juror("400"), 60, max_calls=15)

    assert (run.pause_reason, len(judge.calls)) == ("budget_spent", 15)


@pytest.mark.parametrize("asks_all", [True, False])
def test_one_juror_of_a_panel_pauses_it_and_the_others_keep_what_they_said(
    monkeypatch: pytest.MonkeyPatch, asks_all: bool
) -> None:
    with scripted(monkeypatch) as judge:
        run = judged(panel("400", "pass", "fail"), 60, asks_all=asks_all)
        assert (run.state, run.pause_reason) == ("paused", "bad_request")
        assert not run.verdicts.filter(outcome="skipped").exists()
        resume_run(run=run)
        work_on(run.pk)

    run.refresh_from_db()
    assert (run.state, run.calls_made) == ("finished", len(judge.calls))
    assert outcomes(run) == {"panel skipped": 60, "juror skipped": 60, "juror pass": 60, "juror fail": 60}


def test_another_worker_s_verdict_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    run = scoring(juror("400"), rows(30))
    with scripted(monkeypatch):
        other = run.verdicts.latest("pk")
        run.verdicts.filter(pk=other.pk).update(outcome="pass", calls=1, filled_at=run.created_at)
        work_on(run.pk)

    run.refresh_from_db()
    assert (run.state, outcomes(run)) == ("finished", {"juror skipped": 29, "juror pass": 1})


def test_workers_that_have_few_rows_each_count_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doubts, "_ENOUGH", 6)
    run = scoring(juror("400"), rows(8))
    with scripted(monkeypatch):
        plan = plan_of(run)
        first, second = Pump(plan, "one"), Pump(plan, "two")
        for pump in (first, second):
            pump.flight.most = 2  # it claims four rows
            pump.top_up()
        for pump in (first, second):
            while pump.step(0.05):
                pass
            pump.close()

    assert (Run.objects.get().state, outcomes(run)) == ("paused", {"juror skipped": 4, "juror pending": 4})
