"""What a run has spent is counted on the run, and a budget looks nowhere else."""

from typing import Any

import pytest

from judging.domain.verdicts import Outcome, Score
from judging.models import Run, SkippedAttempt, Verdict
from judging.services import claims
from judging.services.answers import Answer
from judging.services.budget import affordable
from judging.services.engine import work_on
from judging.services.filling import save_answers
from judging.services.plans import plan_of
from judging.services.questions import open_questions
from judging.services.runs import cancel_run
from tests.factories import make_panel
from tests.judging.running import juror, panel, rows, scoring, scripted

pytestmark = pytest.mark.django_db


def spent(run: Run) -> tuple[Any, ...]:
    """What the run's verdicts and their earlier attempts sum up to."""
    asked = list(run.verdicts.filter(reused_from=None).values_list("calls", "cost"))
    before = SkippedAttempt.objects.filter(verdict__run=run).values_list("calls", "cost")
    priced = [cost for _, cost in (*asked, *before) if cost is not None]
    return sum(calls for calls, _ in (*asked, *before)), sum(priced), len(priced)


def counted(run: Run) -> tuple[Any, ...]:
    run.refresh_from_db()
    return run.calls_made, run.cost_made, run.priced_replies


def test_what_a_run_counts_is_what_its_verdicts_spent_whatever_happens(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A worker dies with answers, answers come twice and late, the run pauses, is resumed and cancelled."""
    priced = [juror(name, price={"input": 300, "output": 7}) for name in ("pass", "prose", "500")]
    monkeypatch.setattr("judging.services.asking.pause_before", lambda *_: None)
    with scripted(monkeypatch):
        run = scoring(make_panel([*priced, juror("fail")]), rows(8), max_calls=16)
        plan = plan_of(run)
        question = open_questions(plan, claims.claim(plan, "dead", 1))[0]
        told = Answer(question, Outcome.PASS, scores=(Score("meets_criteria", 1, ""),), calls=1)
        for _ in range(2):
            save_answers(plan, [told, told])
        assert counted(run) == spent(run) == (1, 0, 0)
        Verdict.objects.own().update(lease_until=None)
        work_on(run.pk)
        assert counted(run) == spent(run)
        save_answers(plan, [told])
        cancel_run(run=run)
        save_answers(plan, [told])

    assert counted(run) == spent(run)
    assert run.calls_made > 8
    assert run.unpriced_replies == run.verdicts.filter(cost=None).exclude(answered_model="").count() > 0


def test_a_budget_is_asked_in_the_same_queries_however_much_is_spent(
    monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: Any
) -> None:
    run = scoring(panel("pass", "fail", "pass"), rows(30), max_calls=300)
    with scripted(monkeypatch):
        plan = plan_of(run)
        held = claims.claim(plan, "other", 5)

        with django_assert_num_queries(3):
            assert affordable(plan, 100) == 15  # three questions each, of 5 calls at most

    assert len(held) == 5
