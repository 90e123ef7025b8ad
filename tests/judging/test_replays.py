"""Golden replays: evidence that is counted and shown, and that certifies nobody."""

import pytest
from django.utils import timezone

from judging.models import Calibration, Certificate, Run, Verdict
from judging.services.certification import golden_set_changed
from judging.services.finishing import finish_run
from judging.services.replays import changes, count_replay
from judging.services.runs import cancel_run, start_run
from judging.services.standing import find_standing
from judging.views.pairs import jurors_of
from labeling.domain.agreement import Table
from tests.factories import live, make_criteria_set, make_judge, make_panel
from tests.judging.golden import certified, correct, make_run

pytestmark = pytest.mark.django_db


def replay_of(run: Run, *, but: dict[str, int] | None = None) -> Run:
    """A finished replay over the rows of `run`, each as then, but so many whose outcome is another."""
    replay = start_run(judge_version=run.judge_version, criteria_version=run.criteria_version, kind="replay")
    answers = {verdict.candidate_id: verdict for verdict in run.verdicts.filter(panel_verdict=None)}
    changed = dict(but or {})
    for verdict in replay.verdicts.order_by("pk"):
        then = answers[verdict.candidate_id].outcome
        now = {"pass": "fail", "fail": "pass"}[then] if changed.get(then, 0) > 0 else then
        changed[then] = changed.get(then, 0) - 1
        Verdict.objects.filter(pk=verdict.pk).update(
            outcome=now, reason="timeout" * (now == "skipped"), filled_at=timezone.now()
        )
    return replay


def test_a_finished_replay_is_counted_and_leaves_the_certificate_alone() -> None:
    run = make_run(make_judge("strict"), make_criteria_set("replies"), a=30, d=30)
    before = certified(run)
    replay = replay_of(run, but={"pass": 3})

    assert finish_run(run_id=replay.pk)

    counted = replay.calibrations.get()
    assert (counted.a, counted.b, counted.d, counted.run_complete) == (27, 3, 30, True)
    assert list(Certificate.objects.all()) == [before]
    standing = find_standing(judge="strict", criteria="replies", sets=None, now=before.created_at)
    assert standing.certificate == before
    assert standing.certificate.calibration.run == run


def test_a_replay_certifies_nobody_who_was_not() -> None:
    criteria_set = make_criteria_set()
    run = make_run(make_judge(), criteria_set, a=30, d=30, kind="replay")

    [counted] = count_replay(run=run, known={})

    assert counted.table == Table(30, 0, 0, 30)
    assert not Certificate.objects.exists()


def test_a_panels_replay_counts_its_jurors_and_they_do_not_mix_with_the_certifying_ones() -> None:
    panel = make_panel([make_judge("one"), make_judge("two")], "panel")
    criteria_set = make_criteria_set()
    certificate = certified(make_run(panel, criteria_set, a=30, d=30))

    counted = count_replay(run=make_run(panel, criteria_set, a=5, d=5, kind="replay"), known={})

    assert [each.judge_version.judge.slug for each in counted] == ["panel", "one", "two"]
    lines = jurors_of([certificate])[certificate.calibration.run_id]
    assert [line.calibration.run for line in lines] == [certificate.calibration.run] * 2


def test_only_a_replay_is_counted_so() -> None:
    for kind in ("calibration", "scoring", "consistency"):
        assert count_replay(run=make_run(make_judge(), make_criteria_set(), a=2, kind=kind), known={}) == []
    assert not Calibration.objects.exists()


def test_counted_again_it_is_the_same_count() -> None:
    run = make_run(make_judge(), make_criteria_set(), a=5, d=5, kind="replay")

    count_replay(run=run, known={})
    count_replay(run=run, known={})

    assert Calibration.objects.count() == 1


def test_a_cancelled_replay_is_not_counted() -> None:
    run = make_run(make_judge(), make_criteria_set(), a=30, d=30)
    certified(run)
    replay = start_run(judge_version=run.judge_version, criteria_version=run.criteria_version, kind="replay")

    cancel_run(run=replay)

    assert not replay.calibrations.exists()


def test_corrected_labels_recount_the_certifying_run_and_not_the_replay() -> None:
    run = make_run(make_judge(), make_criteria_set(), a=30, d=30)
    certificate = certified(run)
    replay = replay_of(run)
    finish_run(run_id=replay.pk)
    row = certificate.calibration.rows.filter(truth="pass")[0].candidate

    correct(row, "fail")
    golden_set_changed(live(row.criteria_set), [row.pk])

    current = Certificate.objects.current().get()
    assert current.calibration.run == run
    assert current.calibration.table == Table(29, 0, 1, 30)
    assert replay.calibrations.get().table == Table(30, 0, 0, 30)


def test_rows_are_fixed_or_regressed_or_as_they_were() -> None:
    run = make_run(make_judge(), make_criteria_set(), a=20, b=4, c=2, d=20, skipped_pass=1)
    certificate = certified(run)
    make_replay = replay_of(Run.objects.get(pk=run.pk), but={"pass": 5})
    finish_run(run_id=make_replay.pk)

    replay = Calibration.objects.replays_of(certificate).get()

    assert replay.run == make_replay
    moved = changes(certificate.calibration, replay)
    assert moved.fixed + moved.regressed == 5
    assert (moved.stable, moved.inconclusive) == (41, 1)


def test_no_replay_no_comparison() -> None:
    panel = make_panel([juror := make_judge()], "panel")
    criteria_set = make_criteria_set()
    certificate = certified(make_run(juror, criteria_set, a=30, d=30))
    count_replay(run=make_run(panel, criteria_set, a=5, d=5, kind="replay"), known={})

    assert not Calibration.objects.replays_of(
        certificate
    ).exists()  # as a juror of a panel it was not replayed itself
