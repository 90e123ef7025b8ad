"""The same question asked k times: what such a run writes, asks and touches."""

from typing import Any

import pytest

from judging.models import Calibration, Certificate, JudgeVersion, Run
from judging.services.attempts import attempt_number
from judging.services.disagreements import patterns_of
from judging.services.engine import work_on
from judging.services.estimates import estimate
from judging.services.progress import progress
from judging.services.runs import CannotRun, start_run
from judging.services.starting import start_once
from labeling.models import Candidate, CriteriaSet
from tests.factories import live, make_candidate, make_ruling
from tests.judging.golden import make_run
from tests.judging.running import juror, outcomes, panel, rows, scripted

pytestmark = pytest.mark.django_db


def repeated(judge: JudgeVersion, criteria_set: CriteriaSet, repeats: int = 3, **more: Any) -> Run:
    return start_run(
        judge_version=judge,
        criteria_version=live(criteria_set),
        kind="consistency",
        repeats=repeats,
        **{"scope": "unlabelled", **more},
    )


def test_each_row_has_so_many_verdicts_with_their_jurors_beneath(monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted(monkeypatch) as server:
        run = repeated(panel("pass", "pass", "fail"), rows(2))
        work_on(run.pk)

    assert outcomes(run) == {"panel pass": 6, "juror pass": 12, "juror fail": 6}
    assert len(server.calls) == 18
    own = run.verdicts.filter(kind="panel")
    assert sorted(own.values_list("repeat", flat=True)) == [0, 0, 1, 1, 2, 2]
    for verdict in own:
        assert {each.repeat for each in verdict.juror_verdicts.all()} == {verdict.repeat}
    run.refresh_from_db()
    assert (run.state, progress(run).total) == ("finished", 6)
    assert sum(patterns_of(run, run.judge_version.jurors()).values()) == 2  # the first answers alone


def test_golden_rows_are_asked_repeatedly_without_touching_a_certificate(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    criteria_set = rows(0)
    for verdict in ("pass", "fail"):
        make_ruling(make_candidate(criteria_set), verdict)
    with scripted(monkeypatch):
        run = repeated(juror(), criteria_set, scope="certify")
        work_on(run.pk)

    assert outcomes(run) == {"juror pass": 6}
    assert not Certificate.objects.exists()
    assert not Calibration.objects.exists()


def test_repeating_questions_is_no_attempt_at_a_certificate() -> None:
    judge, criteria_set = juror(), rows(0)
    draft = JudgeVersion.objects.create(judge=judge.judge, number=2, kind="model", model="openai/pass")
    make_run(draft, criteria_set, a=1, kind="consistency")

    make_run(judge, criteria_set, a=1)
    make_run(draft, criteria_set, a=1)

    assert [attempt_number(each, live(criteria_set)) for each in (judge, draft)] == [1, 2]


def test_what_layer_1_kills_is_counted_out(monkeypatch: pytest.MonkeyPatch) -> None:
    criteria_set = rows(1)
    make_candidate(criteria_set, '{"success": false, "result": null}')
    with scripted(monkeypatch) as server:
        run = repeated(juror(), criteria_set)
        work_on(run.pk)

    assert outcomes(run) == {"juror pass": 3, "juror not_asked": 3}
    assert len(server.calls) == 3


@pytest.mark.parametrize(("given", "drawn"), [({}, 50), ({"most_rows": 7}, 7), ({"most_rows": 500}, 60)])
def test_so_many_rows_are_drawn_by_their_hash(given: dict[str, Any], drawn: int) -> None:
    criteria_set = rows(60)

    run = repeated(juror(), criteria_set, repeats=2, **given)

    first = Candidate.objects.filter(criteria_set=criteria_set).order_by("content_hash")[:drawn]
    assert set(run.verdicts.values_list("candidate", flat=True)) == {each.pk for each in first}
    assert run.verdicts.count() == 2 * drawn


@pytest.mark.parametrize(
    ("kind", "repeats", "said"),
    [
        ("consistency", 1, "ask each question 2 to 10 times"),
        ("consistency", 11, "ask each question 2 to 10 times"),
        ("scoring", 2, "asks a question repeatedly"),
        ("calibration", 2, "asks a question repeatedly"),
    ],
)
def test_only_such_a_run_repeats_and_within_bounds(kind: str, repeats: int, said: str) -> None:
    about: dict[str, Any] = {"judge_version": juror(), "criteria_version": live(rows(1))}

    with pytest.raises(CannotRun, match=said):
        start_run(**about, kind=kind, repeats=repeats, scope="unlabelled")
    assert not Run.objects.exists()


def test_a_calibration_is_never_over_some_rows() -> None:
    with pytest.raises(CannotRun, match="over all rows that certify"):
        start_run(judge_version=juror(), criteria_version=live(rows(3)), most_rows=2)


def test_the_estimate_counts_every_repeat() -> None:
    about: dict[str, Any] = {"judge_version": panel("a", "b"), "criteria_version": live(rows(60))}

    found = estimate(**about, kind="consistency", scope="unlabelled", repeats=4)
    some = estimate(**about, kind="scoring", scope="unlabelled", most_rows=10)

    assert (found.rows, found.repeats, found.calls, found.fewest_calls) == (50, 4, 400, 400)
    assert (some.rows, some.calls, some.fewest_calls) == (10, 20, 20)


def test_two_who_press_at_once_start_one_run() -> None:
    about: dict[str, Any] = {"judge_version": juror(), "criteria_version": live(rows(3))}

    started = [
        start_once(**about, kind="consistency", scope="unlabelled", repeats=2, most_rows=1) for _ in range(2)
    ]

    assert [is_new for _, is_new in started] == [True, False]
    assert started[0][0] == started[1][0]
    assert (started[0][0].kind, started[0][0].repeats) == ("consistency", 2)
