"""An identical question of the last day is not asked again."""

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone

from judging.models import Certificate, Run, SkippedAttempt
from judging.services import claims
from judging.services.engine import work_on
from judging.services.plans import plan_of
from judging.services.progress import progress
from judging.services.questions import open_questions
from judging.services.runs import start_run
from tests.factories import live
from tests.judging.golden import certified, make_run
from tests.judging.running import frugal, juror, only, panel, rows, scoring, scripted

pytestmark = pytest.mark.django_db


def test_an_answer_of_the_last_day_is_taken_over_with_all_that_it_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    criteria_set, judge = rows(1), juror("fail", price={"input": 1000, "output": 0})
    with scripted(monkeypatch) as server:
        original = only(frugal(judge, criteria_set))
        again = frugal(judge, criteria_set)
        third = only(frugal(judge, criteria_set))

    taken = only(again)
    assert len(server.calls) == 1
    said = ("outcome", "score", "feedback", "answered_model", "provider_fingerprint", "flags", "independent")
    assert [getattr(taken, name) for name in said] == [getattr(original, name) for name in said]
    scores = ("criterion", "score", "reason")
    assert list(taken.scores.values_list(*scores)) == list(original.scores.values_list(*scores))
    assert (taken.calls, taken.cost, taken.prompt_tokens) == (0, Decimal(0), None)
    assert {taken.reused_from, third.reused_from} == {original}
    assert (again.calls_made, again.cost_made, again.priced_replies) == (0, Decimal(0), 0)
    assert progress(again).unpriced == 0


def test_what_was_skipped_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    criteria_set, judge = rows(2), juror("prose")
    with scripted(monkeypatch) as server:
        frugal(judge, criteria_set)
        before = len(server.calls)
        frugal(judge, criteria_set)

    assert len(server.calls) == 2 * before > 0


def _too_old(run: Run) -> None:
    run.verdicts.update(filled_at=timezone.now() - timedelta(hours=25))


def _drifted(run: Run) -> None:
    measured = make_run(run.judge_version, run.criteria_version.criteria_set, a=1, d=1)
    Certificate.objects.filter(pk=certified(measured).pk).update(
        reasons=[{"code": "drift_alarm", "message": "It drifted."}]
    )


def _other_criteria(run: Run) -> None:
    Run.objects.filter(pk=run.pk).update(criteria_version=live(rows(0)))


@pytest.mark.parametrize("spoil", [_too_old, _drifted, _other_criteria])
def test_an_answer_that_may_not_hold_any_more_is_not_taken_over(
    monkeypatch: pytest.MonkeyPatch, spoil: Callable[[Run], None]
) -> None:
    criteria_set, judge = rows(1), juror()
    with scripted(monkeypatch) as server:
        spoil(frugal(judge, criteria_set))
        run = start_run(
            judge_version=judge, criteria_version=live(criteria_set), kind="scoring", scope="unlabelled"
        )
        work_on(run.pk)

    assert len(server.calls) == 2
    assert only(run).reused_from is None


def test_where_the_panel_is_in_doubt_nothing_of_its_jurors_is_taken_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    criteria_set, judge = rows(1), panel("pass", "pass", "pass")
    with scripted(monkeypatch) as server:
        first = frugal(judge, criteria_set)
        _drifted(first)
        run = start_run(
            judge_version=judge, criteria_version=live(criteria_set), kind="scoring", scope="unlabelled"
        )
        work_on(run.pk)

    assert len(server.calls) == 4


@pytest.mark.parametrize("kind", ["calibration", "replay", "consistency", "scoring"])
def test_who_asks_everybody_asks_afresh(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    criteria_set, judge = rows(1), juror()
    repeats = 2 if kind == "consistency" else 1
    with scripted(monkeypatch) as server:
        frugal(judge, criteria_set)
        run = start_run(
            judge_version=judge,
            criteria_version=live(criteria_set),
            kind=kind,
            scope="unlabelled",
            repeats=repeats,
            asks_all=True,
        )
        work_on(run.pk)

    assert len(server.calls) == 1 + repeats


def test_a_question_that_is_asked_again_after_a_skip_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    criteria_set, judge = rows(1), juror()
    with scripted(monkeypatch) as server:
        frugal(judge, criteria_set)
        run = scoring(judge, criteria_set, asks_all=False)
        SkippedAttempt.objects.create(
            verdict=only(run), reason="timeout", skipped_at=timezone.now(), retried_at=timezone.now()
        )
        work_on(run.pk)

    assert len(server.calls) == 2


def test_looking_for_answers_costs_the_same_queries_for_any_number_of_rows(
    monkeypatch: pytest.MonkeyPatch, django_assert_max_num_queries: Any
) -> None:
    criteria_set, judge = rows(12), panel("pass", "pass", "pass")
    with scripted(monkeypatch):
        frugal(judge, criteria_set)
        run = scoring(judge, criteria_set, asks_all=False)
        plan = plan_of(run)
        claimed = claims.claim(plan, "one", 100)
        with django_assert_max_num_queries(9):
            questions = open_questions(plan, claimed)

    assert len(questions) == 36
    assert sum(question.earlier is not None for question in questions) == 24
