"""How steady judges are, counted in the database."""

from collections import Counter
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from judging.services.consistency import answers_on, flips, measured, moves_of, repeats_of
from judging.services.engine import work_on
from judging.services.runs import start_run
from labeling.models import CriteriaSet
from tests.factories import live, make_criteria_set, make_judge, make_panel
from tests.judging.repeating import make_repeats
from tests.judging.running import juror, rows, scripted
from tests.scripted_judge import candidate_of

pytestmark = pytest.mark.django_db


def test_rows_are_counted_by_what_came_out() -> None:
    judge = make_judge()
    run = make_repeats(judge, make_criteria_set(), ["PPP", "PPP", "PFP", "FFF", "SPP", "SSP", "EPF"])

    assert repeats_of([run.pk]) == {
        (run.pk, judge.pk): {(3, 0): 2, (2, 1): 1, (0, 3): 1, (2, 0): 1, (1, 0): 1, (1, 1): 1}
    }


def test_a_panel_and_each_of_its_jurors_are_counted_apart() -> None:
    one, other = make_judge(), make_judge()
    panel = make_panel([one, other])
    run = make_repeats(panel, make_criteria_set(), ["PP", "FF"], jurors=[["PP", "FF"], ["PF", "FF"]])

    found = repeats_of([run.pk])

    assert found[run.pk, panel.pk] == found[run.pk, one.pk] == {(2, 0): 1, (0, 2): 1}
    assert found[run.pk, other.pk] == {(1, 1): 1, (0, 2): 1}


def test_counting_costs_the_same_for_any_number_of_rows_and_runs() -> None:
    judge, criteria_set = make_judge(), make_criteria_set()
    runs = [make_repeats(judge, criteria_set, ["PF"] * 10) for _ in range(2)]

    with CaptureQueriesContext(connection) as captured:
        repeats_of([run.pk for run in runs])
        moves_of(runs[0], judge)
    assert len(captured) == 3
    assert repeats_of([]) == {}


def test_scores_move_within_a_row() -> None:
    judge = make_judge()
    run = make_repeats(judge, make_criteria_set(), ["PF", "PP", "FF", "SP"])

    (moves,) = moves_of(run, judge)

    assert (moves.name, moves.rows, moves.moved) == ("meets_criteria", 3, 1)
    assert moves.spread == pytest.approx(0.5**0.5 / 3)  # of 1 and 0: √½; of equal scores: 0


def test_rows_that_flipped_are_listed_with_every_answer() -> None:
    run = make_repeats(make_judge(), make_criteria_set(), ["PPP", "PFS", "SSS"])

    (row,) = flips(run)

    answers = answers_on(run, [row.candidate_id])[row.candidate_id]
    assert [answer.outcome for answer in answers] == ["pass", "fail", "skipped"]


def test_the_newest_run_of_each_judge_on_each_criteria_counts_where_the_reader_leads() -> None:
    judge, ours, theirs = make_judge(), make_criteria_set(), make_criteria_set()
    panel = make_panel([judge])
    make_repeats(judge, ours, ["PP"])
    newest = make_repeats(judge, ours, ["PF"])
    make_repeats(judge, theirs, ["PP"])
    above = make_repeats(panel, ours, ["PP"], jurors=[["PP"]])
    make_repeats(make_judge(), ours, ["PP"])

    assert measured([judge.pk], CriteriaSet.objects.filter(pk=ours.pk)) == [above, newest]


def test_a_run_that_repeats_its_questions_finds_the_judge_that_flips(monkeypatch: pytest.MonkeyPatch) -> None:
    criteria_set = rows(4)
    flipping, calm = juror("flipping"), juror("calm")
    asked: Counter[str] = Counter()

    def behave(body: dict[str, Any], _: int) -> str:
        asked[key := f"{body['model']} {candidate_of(body)}"] += 1
        return "fail" if body["model"] == "flipping" and asked[key] == 2 else "pass"

    with scripted(monkeypatch, behave) as judge:
        run = start_run(
            judge_version=make_panel([flipping, calm]),
            criteria_version=live(criteria_set),
            kind="consistency",
            scope="unlabelled",
            repeats=3,
        )
        work_on(run.pk)

    found = repeats_of([run.pk])
    assert len(judge.calls) == 24
    assert found[run.pk, flipping.pk] == {(2, 1): 4}
    assert found[run.pk, calm.pk] == {(3, 0): 4}
    assert found[run.pk, run.judge_version_id] == {(2, 0): 4}  # one to one is no majority
