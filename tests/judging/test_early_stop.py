"""Asking no further than needed: the very same verdicts for fewer calls, with the real saving code."""

from collections.abc import Callable
from datetime import timedelta
from random import Random
from typing import Any

import pytest
from django.utils import timezone

from judging.domain.early_stop import asked_in_turn
from judging.domain.verdicts import Outcome, Score
from judging.models import JudgeVersion, Run, Verdict
from judging.services import claims
from judging.services.answers import Answer
from judging.services.disagreements import patterns_of
from judging.services.engine import work_on
from judging.services.filling import save_answers
from judging.services.plans import plan_of
from judging.services.progress import progress
from judging.services.questions import open_questions
from judging.services.runs import CannotRun, cancel_run, start_run
from labeling.models import Candidate, CriteriaSet
from tests.factories import live, make_candidate, make_panel
from tests.judging.running import (
    frugal,
    judged,
    juror,
    only,
    outcomes,
    panel,
    pumped,
    rows,
    scoring,
    scripted,
)
from tests.scripted_judge import Body, candidate_of

pytestmark = pytest.mark.django_db


SAID = ("pass", "fail", "garbage")
EMPTY_RESULT = '{"success": false, "result": null}'


def drawn(jurors: list[JudgeVersion], criteria_set: CriteriaSet, seed: int) -> dict[tuple[str, str], str]:
    """What each juror says of each candidate, by model and text."""
    dice = Random(seed)
    texts = Candidate.objects.filter(criteria_set=criteria_set).values_list("output", flat=True)
    return {(each.model, text): dice.choice(SAID) for text in texts for each in jurors}


def answering(answers: dict[tuple[str, str], str]) -> Callable[[Body, int], str]:
    return lambda body, n: answers[f"openai/{body['model']}", candidate_of(body)]


def said_by(run: Run) -> dict[int, tuple[str, str]]:
    """The run's own verdicts, as far as frugality promises them: outcome and reason of each candidate."""
    own = run.verdicts.filter(panel_verdict=None).values_list("candidate", "outcome", "reason")
    return {candidate: (outcome, reason) for candidate, outcome, reason in own}


def of_panel(jurors: int) -> tuple[JudgeVersion, list[JudgeVersion]]:
    members = [juror(f"juror-{number}") for number in range(jurors)]
    return make_panel(members), members


@pytest.mark.parametrize("jurors", range(1, 8))
def test_verdict_and_reason_are_those_of_asking_everybody(
    monkeypatch: pytest.MonkeyPatch, jurors: int
) -> None:
    (judge, members), criteria_set = of_panel(jurors), rows(16)
    answers = drawn(members, criteria_set, seed=jurors)

    with scripted(monkeypatch, answering(answers)) as server:
        stopped = frugal(judge, criteria_set)
        calls = len(server.calls)
        full = scoring(judge, criteria_set, asks_all=True)
        work_on(full.pk)

    assert said_by(stopped) == said_by(full)
    needed = [
        asked_in_turn([answers[member.model, text].replace("garbage", "skipped") for member in members])
        for text in Candidate.objects.filter(criteria_set=criteria_set).values_list("output", flat=True)
    ]
    corrections = sum(stopped.verdicts.filter(kind="juror").values_list("corrections", flat=True))
    assert calls == sum(needed) + corrections
    spared = stopped.verdicts.filter(kind="juror", outcome="not_asked")
    assert spared.count() == jurors * 16 - sum(needed)
    assert set(spared.values_list("reason", flat=True)) <= {"decided"}


@pytest.mark.parametrize("jurors", [3, 4])
def test_taken_over_and_stopped_early_at_once(monkeypatch: pytest.MonkeyPatch, jurors: int) -> None:
    (judge, members), criteria_set = of_panel(jurors), rows(12)
    answers = drawn(members, criteria_set, seed=10 + jurors)

    with scripted(monkeypatch, answering(answers)) as server:
        alone = frugal(members[-1], criteria_set)  # one juror has answered about every row before
        before = len(server.calls)
        both = frugal(judge, criteria_set)
        calls = len(server.calls) - before
        full = scoring(judge, criteria_set, asks_all=True)
        work_on(full.pk)

    assert said_by(both) == said_by(full)
    reused = both.verdicts.exclude(reused_from=None)
    assert reused.count() == alone.verdicts.filter(outcome__in=["pass", "fail"]).count() > 0
    assert both.verdicts.filter(reason="decided").exists()
    corrections = sum(both.verdicts.values_list("corrections", flat=True))
    assert calls - corrections < both.verdicts.filter(kind="juror").count() - reused.count()
    assert sum(both.verdicts.values_list("calls", flat=True)) == calls == both.calls_made


def test_two_of_three_are_asked_at_first_in_the_panels_order(monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted(monkeypatch) as server:
        run = frugal(panel("pass", "pass-too", "fail"), rows(4))

    assert {call.body["model"] for call in server.calls} == {"pass", "pass-too"}
    assert outcomes(run) == {"panel pass": 4, "juror pass": 8, "juror not_asked": 4}
    assert {round(verdict.confidence or 0, 3) for verdict in run.verdicts.filter(kind="panel")} == {0.667}
    unasked = run.verdicts.filter(outcome="not_asked").first()
    assert unasked is not None
    assert (unasked.reason, unasked.calls, unasked.detail[:16]) == ("decided", 0, "The jurors asked")


def test_jurors_that_were_not_asked_are_no_skips_and_do_not_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted(monkeypatch):
        run = frugal(panel("pass", "pass", "fail"), rows(3))

    figures = progress(run)
    assert (figures.done, figures.skipped, figures.juror_skips, figures.killed) == (3, {}, {}, 0)
    assert patterns_of(run, run.judge_version.jurors()) == {("pass", "pass", "not_asked"): 3}


def test_where_splits_go_to_people_everybody_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted(monkeypatch):
        run = frugal(panel("pass", "pass", "fail", on_split="human"), rows(2))

    assert outcomes(run) == {"panel escalated": 2, "juror pass": 4, "juror fail": 2}


def test_what_layer_1_kills_stays_killed_and_not_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    criteria_set = rows(1)
    make_candidate(criteria_set, EMPTY_RESULT)

    with scripted(monkeypatch):
        run = frugal(panel("pass", "pass", "fail"), criteria_set)

    assert set(run.verdicts.filter(candidate__output=EMPTY_RESULT).values_list("outcome", "reason")) == {
        ("not_asked", "killed")
    }
    assert progress(run).killed == 1


@pytest.mark.parametrize(("second", "calls"), [("pass", 0), ("fail", 1)])
def test_a_row_that_a_lost_worker_left_half_judged_goes_on_from_there(
    monkeypatch: pytest.MonkeyPatch, second: str, calls: int
) -> None:
    run = scoring(panel("first", second, "fail"), rows(1), asks_all=False)
    with scripted(monkeypatch) as server:
        plan = plan_of(run)
        answered = dict(
            zip(open_questions(plan, claims.claim(plan, "dead", 5)), ("pass", second), strict=False)
        )
        scores = {"pass": 1, "fail": 0}
        save_answers(
            plan,
            [
                Answer(question, Outcome(said), scores=(Score("meets_criteria", scores[said], ""),))
                for question, said in answered.items()
            ],
        )
        Verdict.objects.own().update(lease_until=timezone.now() - timedelta(seconds=1))
        pumped(plan, "next")

    assert len(server.calls) == calls
    assert only(run).outcome == second
    assert not run.verdicts.filter(outcome="pending").exists()


def test_cancelled_in_the_middle_nothing_is_made_up(monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted(monkeypatch):
        run = judged(panel("pass", "pass", "fail"), 5, asks_all=False, max_calls=6)
    cancel_run(run=run)

    assert outcomes(run) == {
        "panel pass": 2,
        "juror pass": 4,
        "juror not_asked": 2,
        "panel skipped": 3,
        "juror skipped": 9,
    }


@pytest.mark.parametrize("kind", ["calibration", "replay", "consistency"])
def test_what_measures_asks_everybody(kind: str) -> None:
    about: dict[str, Any] = {
        "judge_version": panel("pass", "pass", "fail"),
        "criteria_version": live(rows(2)),
        "kind": kind,
        "scope": "unlabelled",
        "repeats": 2 if kind == "consistency" else 1,
    }

    with pytest.raises(CannotRun, match="asks every juror about every row"):
        start_run(**about, asks_all=False)
    run = start_run(**about)

    assert (run.asks_all, run.stops_early, run.reuses) == (True, False, False)


def test_by_itself_a_scoring_run_asks_as_little_as_it_can() -> None:
    about: dict[str, Any] = {"criteria_version": live(rows(1)), "kind": "scoring", "scope": "unlabelled"}

    runs = [start_run(judge_version=judge, **about) for judge in (juror(), panel("pass", on_split="human"))]

    assert [(run.asks_all, run.stops_early, run.reuses) for run in runs] == [(False, False, True)] * 2
