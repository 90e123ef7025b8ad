"""Runs of recorded judges: the same engine, worker and statistics, and nobody is asked."""

from datetime import UTC, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from judging.models import JudgeVersion, Run, Verdict
from judging.services.engine import work_on
from judging.services.estimates import estimate
from judging.services.judges import add_panel_version
from judging.services.resource import summary
from judging.services.runs import CannotRun, start_run
from judging.services.schedules import SchedulePlan, add_schedule, fire_due
from judging.services.standing import named_standing
from labeling.models import CriteriaSet, Criterion
from tests.factories import live, make_criteria_set, make_judge, make_panel
from tests.judging.recorded import calibrated, certification, load_file, write_rows
from tests.judging.running import juror, outcomes, scripted
from tests.labeling.importing import import_rows

pytestmark = pytest.mark.django_db

ROWS = [("pass", "pass"), ("pass", "fail"), ("fail", "fail"), ("pass", None)]


@pytest.fixture
def criteria_set() -> CriteriaSet:
    """Rows q0 to q4, of which the last stands in no recording."""
    made = make_criteria_set("replies")
    rows = [
        {"id": f"q{number}", "candidate": f"{number}.", "human": human}
        for number, (human, _) in enumerate(ROWS)
    ]
    import_rows(
        "replies", *rows, {"id": "q4", "candidate": "4.", "human": "fail", "generator_family": "Acme"}
    )
    return made


def record(folder: Path, slug: str, verdicts: list[str | None], *options: str, **more: Any) -> JudgeVersion:
    """A recorded judge that says this of q0, q1 and so on."""
    rows = [{"id": f"q{number}", "verdict": verdict} | more for number, verdict in enumerate(verdicts)]
    code, said = load_file(write_rows(folder / "v.jsonl", *rows), "replies", "--judge", slug, *options)
    assert code == 0, said
    return JudgeVersion.objects.get(judge__slug=slug)


def test_a_recorded_judge_is_calibrated_without_a_call(criteria_set: CriteriaSet, tmp_path: Path) -> None:
    record(tmp_path, "old", [verdict for _, verdict in ROWS], "--family", "acme", reason="Because.")

    run = calibrated("old", "replies")

    assert (run.state, run.calls_made) == ("finished", 0)
    assert outcomes(run) == {"juror pass": 1, "juror fail": 2, "juror skipped": 2}
    assert set(run.verdicts.filter(outcome="skipped").values_list("reason", flat=True)) == {"no_verdict"}
    found = certification("old", "replies")
    assert (found["recorded"], found["n"], found["coverage"]) == (True, 3, 0.6)
    assert summary(named_standing("old", "replies", timezone.now())).endswith("  (recorded verdicts)")
    assert run.verdicts.get(candidate__output="0.").feedback == "Because."
    assert run.verdicts.get(candidate__output="4.").independent is False


def test_scores_that_fit_the_criteria_are_kept_and_make_the_overall_score(
    criteria_set: CriteriaSet, tmp_path: Path
) -> None:
    record(tmp_path, "old", ["pass", "fail"], scores={"meets_criteria": 1, "tone": 4})

    run = calibrated("old", "replies")

    first = run.verdicts.get(candidate__output="0.")
    assert (first.score, [(each.criterion.name, each.score) for each in first.scores.all()]) == (
        1.0,
        [("meets_criteria", 1.0)],
    )


def test_one_score_off_the_scale_leaves_all_of_its_criterion_out(
    criteria_set: CriteriaSet, tmp_path: Path
) -> None:
    rows = [
        {"id": f"q{number}", "verdict": "pass", "scores": {"meets_criteria": number}} for number in range(4)
    ]
    load_file(write_rows(tmp_path / "v", *rows), "replies", "--judge", "old")

    run = calibrated("old", "replies")

    verdict = run.verdicts.get(candidate__output="1.")
    assert (verdict.outcome, verdict.score, verdict.scores.count()) == ("pass", None, 0)


def test_scores_count_by_the_criteria_version_of_the_run(criteria_set: CriteriaSet, tmp_path: Path) -> None:
    Criterion.objects.filter(version=live(criteria_set)).update(scale_max=4, minimum=3)
    record(tmp_path, "old", ["fail", "pass"], scores={"meets_criteria": 3})

    run = calibrated("old", "replies")

    verdict = run.verdicts.get(candidate__output="0.")
    assert (verdict.outcome, verdict.score, verdict.scores.get().score) == ("fail", 0.75, 3)


def test_recorded_jurors_make_a_panel(criteria_set: CriteriaSet, tmp_path: Path) -> None:
    said: list[list[str | None]] = [
        ["pass", "fail", "fail"],
        ["pass", "pass", None],
        ["pass", "fail", "pass"],
    ]
    jurors = [record(tmp_path, f"j{number}", each) for number, each in enumerate(said)]
    panel = add_panel_version(slug="bench", members=jurors)

    run = calibrated("bench", "replies")

    own = run.verdicts.filter(panel_verdict=None).order_by("candidate__output")
    assert panel.has_recorded
    assert [(each.outcome, each.reason) for each in own] == [
        ("pass", ""),
        ("fail", ""),
        ("skipped", "no_majority"),
        ("skipped", "no_majority"),
        ("skipped", "no_majority"),
    ]
    assert run.verdicts.filter(kind="juror").count() == 15
    assert certification("bench", "replies")["recorded"] is True


def test_a_recorded_juror_s_own_word_counts_in_a_panel_whatever_its_scores(
    criteria_set: CriteriaSet, tmp_path: Path
) -> None:
    jurors = [record(tmp_path, slug, ["fail"], scores={"meets_criteria": 1}) for slug in ("a", "b")]

    run = calibrated(add_panel_version(slug="bench", members=jurors).judge.slug, "replies")

    panel = run.verdicts.get(kind="panel", candidate__output="0.")
    assert (panel.outcome, panel.score, panel.scores.get().score) == ("fail", 1.0, 1)


def test_a_model_and_a_recorded_juror_sit_side_by_side(
    criteria_set: CriteriaSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    members = [juror("pass"), record(tmp_path, "old", ["pass", "fail", "pass", "pass", None])]
    add_panel_version(slug="mixed", members=members)

    with scripted(monkeypatch):
        run = calibrated("mixed", "replies")

    assert (run.state, run.calls_made) == ("finished", 5)
    assert outcomes(run) == {
        "juror pass": 8,
        "juror fail": 1,
        "juror skipped": 1,
        "panel pass": 3,
        "panel skipped": 2,
    }


def test_nothing_is_expected_to_be_spent(criteria_set: CriteriaSet, tmp_path: Path) -> None:
    found = estimate(judge_version=record(tmp_path, "old", ["pass"]), criteria_version=live(criteria_set))

    assert (found.rows, found.calls, found.tokens_in, found.cost) == (5, 0, 0, Decimal(0))


def test_a_budget_holds_no_recorded_run_up(criteria_set: CriteriaSet, tmp_path: Path) -> None:
    judge = record(tmp_path, "old", ["pass", "fail"])
    run = start_run(judge_version=judge, criteria_version=live(criteria_set), max_calls=1)

    work_on(run.pk)

    run.refresh_from_db()
    assert run.state == "finished"


@pytest.mark.parametrize(("kind", "repeats"), [("replay", 1), ("consistency", 3)])
def test_a_recording_can_neither_be_replayed_nor_asked_repeatedly(
    kind: str, repeats: int, criteria_set: CriteriaSet, tmp_path: Path
) -> None:
    judge = record(tmp_path, "old", ["pass", "fail"])

    with pytest.raises(CannotRun, match="a recording says the same every time"):
        start_run(judge_version=judge, criteria_version=live(criteria_set), kind=kind, repeats=repeats)


def test_a_schedule_says_that_a_recording_cannot_be_replayed(
    criteria_set: CriteriaSet, tmp_path: Path
) -> None:
    judge, now = record(tmp_path, "old", ["pass"]).judge, datetime(2026, 3, 1, 12, tzinfo=UTC)
    plan = SchedulePlan(
        criteria_set=criteria_set, judge=judge, kind="replay", every="hour", at=time(3), zone="UTC"
    )
    schedule = add_schedule(plan=plan, now=now)

    fire_due(now=now + timedelta(hours=2))

    schedule.refresh_from_db()
    assert "a recording says the same every time" in schedule.problem


def test_a_recording_of_another_set_judges_nothing_here(criteria_set: CriteriaSet, tmp_path: Path) -> None:
    judge = record(tmp_path, "old", ["pass"])

    with pytest.raises(CannotRun, match="old@1 knows rows of the criteria set “replies” only"):
        start_run(judge_version=judge, criteria_version=live(make_criteria_set("other")))


def test_a_corrected_recording_is_another_attempt(criteria_set: CriteriaSet, tmp_path: Path) -> None:
    record(tmp_path, "old", ["pass", "fail"])
    calibrated("old", "replies")
    rows = write_rows(tmp_path / "w", {"id": "q0", "verdict": "fail"})
    load_file(rows, "replies", "--judge", "old", "--promote")

    calibrated("old", "replies")

    found = certification("old", "replies")
    assert (found["judge_version"], found["attempt"]) == (2, 2)


def test_rows_in_any_number_take_the_same_number_of_rounds(
    tmp_path: Path, django_assert_max_num_queries: Any
) -> None:
    criteria_set = make_criteria_set("replies")
    texts = [f"Number {number}." for number in range(600)]
    import_rows("replies", *({"candidate": text, "human": "pass"} for text in texts))
    rows = [{"candidate": text, "verdict": "pass"} for text in texts]
    load_file(write_rows(tmp_path / "v", *rows), "replies", "--judge", "old")

    with django_assert_max_num_queries(140):
        run = calibrated("old", "replies")

    assert Verdict.objects.filter(run=run, outcome="pass").count() == 600
    assert Run.objects.get().criteria_version == live(criteria_set)


def test_a_panel_of_models_says_that_none_of_it_is_recorded() -> None:
    panel = make_panel([make_judge(), make_judge()])

    assert panel.has_recorded is False
