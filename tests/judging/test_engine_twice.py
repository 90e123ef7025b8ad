"""Two workers at once, a message twice, a lease that was lost: each verdict once."""

import threading
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from judging import tasks
from judging.domain.verdicts import Outcome, Score
from judging.models import CriterionScore, Run, Verdict
from judging.services import claims
from judging.services.answers import Answer
from judging.services.filling import save_answers
from judging.services.plans import plan_of
from judging.services.questions import open_questions
from tests.factories import make_panel
from tests.judging.running import judged, juror, outcomes, panel, pumped, rows, scoring, scripted


@pytest.mark.django_db
def test_a_task_delivered_twice_judges_once(monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted(monkeypatch) as judge:
        run = scoring(panel("pass", "fail", "pass"), rows(4))
        tasks.judge_run(run.pk)
        tasks.judge_run(run.pk)

    assert outcomes(run) == {"panel pass": 4, "juror pass": 8, "juror fail": 4}
    assert len(judge.calls) == 12


@pytest.mark.django_db(transaction=True)
def test_two_workers_share_a_run_without_asking_anything_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("django.conf.settings.VERA_CALLS_IN_FLIGHT", 8)

    with scripted(monkeypatch, delay=0.02) as judge:
        run = scoring(panel("pass", "pass", "pass"), rows(40))
        workers = [threading.Thread(target=_pump, args=(run, name)) for name in ("one", "two")]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()

    run.refresh_from_db()
    assert run.state == "finished"
    assert outcomes(run) == {"panel pass": 40, "juror pass": 120}
    assert CriterionScore.objects.count() == 160
    assert len(judge.calls) == 120


def _pump(run: Run, name: str) -> None:
    try:
        pumped(plan_of(run), name)
    finally:
        connection.close()


@pytest.mark.django_db
def test_an_answer_that_comes_after_the_lease_was_lost_changes_nothing() -> None:
    run = scoring(juror(base_url_env="", api_key_env=""), rows(1))
    plan = plan_of(run)
    question = open_questions(plan, claims.claim(plan, "first", 5))[0]

    for outcome, score in ((Outcome.PASS, 1), (Outcome.FAIL, 0)):
        save_answers(plan, [Answer(question, outcome, scores=(Score("meets_criteria", score, ""),))])

    assert outcomes(run) == {"juror pass": 1}
    assert [row.score for row in CriterionScore.objects.all()] == [1]


@pytest.mark.parametrize(
    ("answered", "expected"),
    [
        (1, {"panel pending": 1, "juror pass": 1, "juror pending": 1}),
        (2, {"panel pass": 1, "juror pass": 2}),
    ],
)
@pytest.mark.django_db
def test_a_jurors_second_answer_changes_nothing_before_or_after_its_panel_decides(
    answered: int, expected: dict[str, int]
) -> None:
    jurors = [juror(base_url_env="", api_key_env="") for _ in range(2)]
    run = scoring(make_panel(jurors), rows(1))
    plan = plan_of(run)
    questions = open_questions(plan, claims.claim(plan, "first", 5))[:answered]

    for outcome, score in ((Outcome.PASS, 1), (Outcome.FAIL, 0)):
        said = (Score("meets_criteria", score, ""),)
        save_answers(plan, [Answer(question, outcome, scores=said) for question in questions])

    assert outcomes(run) == expected
    assert {row.score for row in CriterionScore.objects.all()} == {1}


@pytest.mark.django_db
def test_a_row_left_half_judged_is_finished_by_the_next_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    run = scoring(panel("fail", "fail", "pass"), rows(1))
    with scripted(monkeypatch) as judge:
        plan = plan_of(run)
        question = open_questions(plan, claims.claim(plan, "dead", 5))[0]
        save_answers(plan, [Answer(question, Outcome.FAIL, scores=(Score("meets_criteria", 0, "No."),))])
        Verdict.objects.own().update(lease_until=timezone.now() - timedelta(seconds=1))
        pumped(plan, "next")

    assert outcomes(run) == {"panel fail": 1, "juror fail": 2, "juror pass": 1}
    assert "No. As scripted." in run.verdicts.get(kind="panel").feedback
    assert len(judge.calls) == 2


@pytest.mark.django_db
def test_a_finished_run_is_not_judged_again(monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted(monkeypatch) as judge:
        run = judged(juror(), 2)
        tasks.judge_run(run.pk)

    assert len(judge.calls) == 2
