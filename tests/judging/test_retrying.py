"""Asking again about what was skipped for a passing reason: once, in the same run, and kept as evidence."""

from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from threading import Barrier
from typing import Any

import pytest
from django.db import connections
from django.utils import timezone

from judging.domain.reasons import PASSING
from judging.models import Certificate, JudgeVersion, Run, SkippedAttempt, Verdict
from judging.services.engine import work_on
from judging.services.finishing import finish_run
from judging.services.retrying import passing_skips, retries_of, retry_skipped, retryable
from judging.services.runs import CannotRun, cancel_run
from labeling.models import AuditEvent
from labeling.services.truth import truth_changed
from tests.factories import make_criteria_set, make_judge, make_panel, make_user
from tests.judging.golden import NOON, certified, codes, correct, make_run
from tests.judging.running import judged, outcomes, panel, scripted

pytestmark = pytest.mark.django_db


def skipping(judge: JudgeVersion | None = None, **cells: int) -> Run:
    """A calibration that finished just now with these cells; its skipped rows timed out."""
    more: dict[str, Any] = dict(cells)
    run = make_run(judge or make_judge(), make_criteria_set(), **more)
    run.finished_at = timezone.now()
    run.save()
    return run


def answer(run: Run, outcome: str) -> None:
    """What is pending comes out like this, and the run ends."""
    Verdict.objects.pending().filter(run=run).update(
        outcome=outcome, reason="timeout" if outcome == "skipped" else "", filled_at=timezone.now()
    )
    assert finish_run(run_id=run.pk)


def test_only_reasons_that_pass_are_asked_again() -> None:
    run = skipping(a=1, skipped_fail=3)
    first, second, third = run.verdicts.filter(outcome="skipped").order_by("pk")
    Verdict.objects.filter(pk=first.pk).update(reason="not_json")
    Verdict.objects.filter(pk=second.pk).update(reason="refused")

    retry_skipped(run=run)

    assert list(run.verdicts.pending()) == [third]
    assert {"timeout", "rate_limited", "unavailable", "worker_lost", "internal_error"} == PASSING


def test_where_splits_go_to_people_every_juror_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Such a run asks everybody, however frugal it is otherwise: a late answer may make the split."""
    with scripted(monkeypatch):
        run = judged(panel("pass", "pass", "503", on_split="human"), 1, asks_all=False)

    assert not run.stops_early
    assert (run.state, retryable(run)) == ("finished", {"unavailable": 1})


def test_what_was_skipped_is_kept_with_what_it_cost() -> None:
    run, lead = skipping(a=1, skipped_fail=1), make_user()
    run.verdicts.filter(outcome="skipped").update(
        detail="504 from the proxy", raw_reply="<html>", calls=3, cost=Decimal("0.002"), claims=3
    )

    retry_skipped(run=run, actor=lead)

    kept, again = SkippedAttempt.objects.get(), run.verdicts.pending().get()
    assert (kept.verdict, kept.reason, kept.detail, kept.raw_reply) == (
        again,
        "timeout",
        "504 from the proxy",
        "<html>",
    )
    assert (kept.calls, kept.cost, kept.retried_by) == (3, Decimal("0.002"), lead)
    assert (again.reason, again.raw_reply, again.calls, again.cost, again.claims) == ("", "", 0, None, 0)
    run.refresh_from_db()
    assert (run.state, run.finished_at) == ("running", None)
    event = AuditEvent.objects.get(action="run_retried")
    assert (event.actor, event.details["reasons"]) == (lead, {"timeout": 1})
    assert [(retry.by, retry.answers) for retry in retries_of(run)] == [(lead.username, 1)]


def test_the_panel_is_derived_anew_from_the_old_answers_and_the_new_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with scripted(monkeypatch) as judge:
        run = judged(panel("pass", "prose", "fail"), 2)
        assert outcomes(run)["panel skipped"] == 2
        JudgeVersion.objects.filter(model="openai/prose").update(model="openai/pass")
        run.verdicts.filter(reason="not_json").update(reason="timeout")
        asked = len(judge.calls)

        retry_skipped(run=run)
        work_on(run.pk)

    run.refresh_from_db()
    assert run.state == "finished"
    assert outcomes(run) == {"panel pass": 2, "juror pass": 4, "juror fail": 2}
    assert len(judge.calls) - asked == 2
    for verdict in run.verdicts.filter(kind="panel"):
        assert verdict.confidence == pytest.approx(2 / 3)
        assert verdict.scores.count() == 1


def test_a_decided_row_is_not_asked_again_where_nobody_is_asked_needlessly() -> None:
    run = skipping(make_panel([make_judge(), make_judge()]), a=1, skipped_fail=1)
    Run.objects.filter(pk=run.pk).update(asks_all=False, kind="scoring")
    run = Run.objects.get(pk=run.pk)
    one = run.verdicts.filter(kind="juror", outcome="pass").first()
    assert one is not None
    Verdict.objects.filter(pk=one.pk).update(outcome="skipped", reason="timeout")
    other = run.verdicts.filter(kind="juror", outcome="skipped").exclude(pk=one.pk).first()
    assert other is not None
    Verdict.objects.filter(pk=other.pk).update(outcome="not_asked", reason="decided")

    assert one not in passing_skips(run)
    retry_skipped(run=run)

    assert {verdict.outcome for verdict in run.verdicts.filter(candidate=other.candidate)} == {"pending"}


def test_an_expired_certificate_is_not_renewed_by_asking_again() -> None:
    run = make_run(make_judge(), make_criteria_set(), a=30, d=30, skipped_fail=1)
    before = certified(run, NOON)

    retry_skipped(run=run)
    answer(run, "fail")

    now = Certificate.objects.current().get()
    assert (codes(now), now.expires_at) == (["expired"], before.expires_at)


@pytest.mark.parametrize("state", ["running", "paused", "cancelled"])
def test_only_a_finished_run_is_asked_again(state: str) -> None:
    run = skipping(skipped_fail=1)
    Run.objects.filter(pk=run.pk).update(state=state, pause_reason="no_credit")

    with pytest.raises(CannotRun, match=f"this one is {state}"):
        retry_skipped(run=run)
    run.refresh_from_db()
    assert retryable(run) == {}


def test_without_such_answers_there_is_nothing_to_ask() -> None:
    with pytest.raises(CannotRun, match="nothing to ask again"):
        retry_skipped(run=skipping(a=2))


def test_answers_that_came_count_as_the_same_attempt_with_the_same_expiry() -> None:
    run = skipping(a=28, d=28, skipped_fail=8)
    before = certified(run, timezone.now())
    assert codes(before) == ["low_coverage"]

    retry_skipped(run=run)
    answer(run, "fail")

    now = Certificate.objects.current().get()
    assert (now.status, now.cause, now.attempt) == ("certified", "retry", before.attempt)
    assert (now.calibrated_at, now.expires_at) == (before.calibrated_at, before.expires_at)
    assert (now.calibration.table.d, now.calibration.skipped) == (36, 0)
    assert run.calibrations.filter(is_current=True).get() == now.calibration
    assert now.calibration.rows.count() == 64
    before.calibration.refresh_from_db()
    assert (before.calibration.table.d, before.calibration.skipped_fail) == (28, 8)
    assert before.calibration.rows.filter(outcome="skipped").count() == 8


def test_the_jurors_of_a_panel_are_counted_again_with_it() -> None:
    run = skipping(make_panel([make_judge(), make_judge(), make_judge()]), a=30, d=30, skipped_fail=1)
    certified(run, timezone.now())

    retry_skipped(run=run)
    answer(run, "fail")

    current = run.calibrations.filter(is_current=True)
    assert {(each.d, each.skipped_fail) for each in current} == {(31, 0)}
    assert current.count() == 4


def test_a_retry_that_brought_nothing_changes_no_certificate() -> None:
    run = skipping(a=28, d=28, skipped_fail=8)
    before = certified(run, timezone.now())

    retry_skipped(run=run)
    answer(run, "skipped")

    assert Certificate.objects.get() == before
    assert sum(retryable(Run.objects.get()).values()) == 8


def test_worse_answers_lose_a_certificate() -> None:
    run = skipping(a=27, b=5, d=28, c=4, skipped_fail=3)
    assert certified(run, timezone.now()).status == "certified"

    retry_skipped(run=run)
    answer(run, "pass")

    now = Certificate.objects.current().get()
    assert (now.status, codes(now), now.calibration.table.c) == ("uncertified", ["below_bar"], 7)


@pytest.mark.django_db(transaction=True)
def test_after_a_correction_asking_again_raises_nothing() -> None:
    run = skipping(a=28, d=28, skipped_fail=8)
    certified(run, timezone.now())
    row = run.verdicts.filter(outcome="skipped").first()
    assert row is not None

    retry_skipped(run=run)
    correct(row.candidate, "pass")
    truth_changed(version=run.criteria_version, candidate_ids=[row.candidate_id])
    answer(run, "fail")

    now = Certificate.objects.current().get()
    assert now.status == "uncertified"
    assert "golden_set_changed" in codes(now)
    assert (now.calibration.table.b, now.calibration.table.d) == (1, 35)


def test_an_earlier_run_does_not_speak_over_a_later_one() -> None:
    run = skipping(a=28, d=28, skipped_fail=8)
    certified(run, timezone.now())
    later = make_run(run.judge_version, run.criteria_version.criteria_set, a=20, b=20, c=20, d=20)
    retry_skipped(run=run)
    in_force = certified(later, timezone.now())

    answer(run, "fail")

    assert Certificate.objects.current().get() == in_force
    with pytest.raises(CannotRun, match="A later run"):
        retry_skipped(run=Run.objects.get(pk=run.pk))


def test_a_cancelled_retry_leaves_the_certificate_that_was() -> None:
    run = skipping(a=30, d=30, skipped_fail=1)
    before = certified(run, timezone.now())

    retry_skipped(run=run)
    cancel_run(run=run)

    assert Certificate.objects.get() == before
    assert run.verdicts.get(outcome="skipped").reason == "cancelled"
    assert SkippedAttempt.objects.get().reason == "timeout"


@pytest.mark.parametrize(
    ("said", "outcome", "reason"),
    [
        (("pass", "pass", "skipped"), "pass", ""),
        (("fail", "skipped", "fail"), "fail", ""),
        (("pass", "skipped", "skipped"), "skipped", "no_majority"),
    ],
)
def test_a_cancelled_retry_leaves_a_panel_the_verdict_that_its_other_jurors_gave(
    monkeypatch: pytest.MonkeyPatch, said: tuple[str, ...], outcome: str, reason: str
) -> None:
    with scripted(monkeypatch, lambda body, n: str(body["model"]).partition("-")[0]):
        run = judged(panel(*(f"{'503' if each == 'skipped' else each}-{n}" for n, each in enumerate(said))))
    own = run.verdicts.get(panel_verdict=None)
    assert (own.outcome, own.reason) == (outcome, reason)
    before = (own.score, own.confidence, own.scores.count())

    retry_skipped(run=run)
    cancel_run(run=run)

    own.refresh_from_db()
    assert (own.outcome, own.reason, own.score, own.confidence, own.scores.count()) == (
        outcome,
        reason,
        *before,
    )
    assert {each.reason for each in run.verdicts.filter(kind="juror", outcome="skipped")} == {"cancelled"}


@pytest.mark.django_db(transaction=True)
def test_two_leads_who_press_at_once_ask_once() -> None:
    run = skipping(a=1, skipped_fail=4)
    start = Barrier(2)

    def press(_: int) -> str:
        start.wait()
        try:
            return retry_skipped(run=run).state
        except CannotRun as refused:
            return str(refused)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(2) as pool:
        said = sorted(pool.map(press, range(2)))

    assert said == ["Only a finished run can be asked again; this one is running.", "running"]
    assert SkippedAttempt.objects.count() == 4


@pytest.mark.django_db(transaction=True)
def test_asking_again_while_somebody_cancels_leaves_nothing_pending() -> None:
    run = skipping(a=1, skipped_fail=4)
    retry_skipped(run=run)
    start = Barrier(2)

    def act(number: int) -> None:
        start.wait()
        try:
            (cancel_run if number else retry_skipped)(run=run)
        except CannotRun:
            pass
        finally:
            connections.close_all()

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(act, range(2)))

    run.refresh_from_db()
    assert run.state == "cancelled"
    assert not run.verdicts.filter(outcome="pending").exists()
