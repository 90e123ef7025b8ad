"""Another model under the same alias: noticed by its name, told from a new fingerprint, acted on once."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connections
from django.utils import timezone

from judging.models import AnsweredAs, Certificate, Judge, Run
from judging.services.provider_models import check_names
from judging.services.suspending import reinstate
from tests.factories import live, make_panel, make_user
from tests.judging.living import House, living, worked_on
from tests.judging.running import juror, scoring

pytestmark = pytest.mark.django_db

OTHER = "even-2026-11-20"


def check() -> list[int]:
    """What a worker's timer does."""
    return check_names(now=timezone.now())


def replays(house: House) -> int:
    return Run.objects.filter(kind="replay", criteria_version=live(house.criteria_set)).count()


def test_another_model_under_the_alias_suspends_and_one_replay_is_queued(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with living(monkeypatch) as house:
        house.provider.answer_as(OTHER)
        house.run("scoring")

        [queued] = check()
        assert check() == []
        house.run("scoring")
        assert check() == []

        [reason] = house.standing().reasons
        assert (reason.code, reason.detail) == ("provider_model_changed", f"even → {OTHER}")
        assert "was measured when its provider answered as “even”, and now it answers as" in reason.message
        run = Run.objects.get(pk=queued)
        assert (run.kind, run.state, run.judge_version) == ("replay", "running", house.judge)
        assert replays(house) == 1


def test_the_same_model_changes_nothing_and_is_compared_once(monkeypatch: pytest.MonkeyPatch) -> None:
    with living(monkeypatch) as house:
        run = house.run("scoring")

        assert check() == []

        assert house.standing().certified
        noted = AnsweredAs.objects.get(run=run)
        assert (noted.model, noted.provider_fingerprint) == ("even", "fp_scripted")
        assert noted.checked_at is not None


def test_a_worker_that_dies_before_it_compares_leaves_the_name_to_the_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with living(monkeypatch) as house:
        house.provider.answer_as(OTHER)
        run = house.run("scoring")

        waiting = AnsweredAs.objects.filter(run=run, checked_at=None)

        assert [each.model for each in waiting] == [OTHER]  # it was written down with the answers themselves
        assert len(check()) == 1


def test_a_changed_juror_suspends_its_panels_too(monkeypatch: pytest.MonkeyPatch) -> None:
    changed = juror("even")
    panel = make_panel([changed, juror("even"), juror("even")])
    with living(monkeypatch, panel) as house:
        house.provider.answer_as(OTHER)
        house.run("scoring", changed)

        [queued] = check()

        assert house.codes() == ["provider_model_changed"]
        assert Run.objects.get(pk=queued).judge_version == panel


def test_a_pinned_judge_lets_no_other_model_in(monkeypatch: pytest.MonkeyPatch) -> None:
    with living(monkeypatch, juror("even", params={"expect_model": "even"})) as house:
        house.provider.answer_as(OTHER)
        run = house.run("scoring")

        assert check() == []

        assert set(run.verdicts.values_list("reason", flat=True)) == {"wrong_model"}
        assert house.standing().certified


@pytest.mark.parametrize("params", [{}, {"expect_model": "even"}])
def test_a_stranger_over_whom_the_run_pauses_suspends_though_no_answer_is_saved(
    monkeypatch: pytest.MonkeyPatch, params: dict[str, str]
) -> None:
    with living(monkeypatch, juror("even", params=params), rows=30) as house:
        house.provider.answer_as("somebody-else")

        run = house.run("replay")
        check()

        assert (run.state, run.pause_reason) == ("paused", "wrong_model")
        assert set(run.verdicts.values_list("outcome", flat=True)) == {"pending"}
        assert house.codes() == ["provider_model_changed"]


def test_who_lifts_the_suspension_of_a_pinned_judge_does_not_let_another_model_in(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with living(monkeypatch, juror("even", params={"expect_model": "even"}), rows=30) as house:
        house.provider.answer_as("somebody-else")
        house.run()
        check()
        by, of = house.judge.pk, live(house.criteria_set).pk
        reinstate(judge_version_id=by, criteria_version_id=of, now=timezone.now(), note="It is back.")

        house.run()
        check()

        assert house.codes() == ["provider_model_changed"]


def test_a_stranger_in_place_of_an_unpinned_judge_suspends(monkeypatch: pytest.MonkeyPatch) -> None:
    with living(monkeypatch) as house:
        house.provider.answer_as("somebody-else")
        house.run("scoring")

        check()

        assert house.codes() == ["provider_model_changed"]


def test_an_alias_that_had_several_names_when_it_was_certified_may_have_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with living(monkeypatch) as house:
        run = Certificate.objects.get().calibration.run
        first = run.verdicts.order_by("pk")[0].pk
        run.verdicts.filter(pk=first).update(answered_model=OTHER.upper())
        house.provider.answer_as(OTHER)
        house.run("scoring")

        assert check() == []

        assert house.standing().certified


def test_a_new_fingerprint_is_replayed_once_and_suspends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    with living(monkeypatch) as house:
        house.provider.answer_as("", "fp_new")
        house.run("scoring")

        [queued] = check()
        worked_on(Run.objects.get(pk=queued))
        house.run("scoring")

        assert check() == []
        assert house.standing().certified
        assert replays(house) == 1


def test_a_fingerprint_that_a_replay_itself_finds_needs_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    with living(monkeypatch) as house:
        house.provider.answer_as("", "fp_new")
        house.run("replay")

        assert check() == []

        assert replays(house) == 1


def test_a_draft_is_suspended_and_not_replayed(monkeypatch: pytest.MonkeyPatch) -> None:
    with living(monkeypatch) as house:
        Judge.objects.filter(pk=house.judge.judge_id).update(live_version=None)
        house.provider.answer_as(OTHER)
        house.run("scoring")

        assert check() == []

        assert house.codes() == ["provider_model_changed"]


def test_a_calibration_by_the_new_model_replaces_the_suspension(monkeypatch: pytest.MonkeyPatch) -> None:
    with living(monkeypatch) as house:
        house.provider.answer_as(OTHER)
        house.run("scoring")
        check()

        house.run("calibration")
        check()

        assert house.standing().certified
        house.provider.answer_as("")
        house.run("scoring")
        check()
        assert house.codes() == ["provider_model_changed"]  # back to the first is a change as well


def test_two_passing_replays_lift_it_and_the_new_model_is_known_from_then_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with living(monkeypatch) as house:
        house.provider.answer_as(OTHER)
        house.run("scoring")
        [queued] = check()
        first = worked_on(Run.objects.get(pk=queued))
        check()
        assert house.codes() == ["provider_model_changed"]

        second = worked_on(Run.objects.exclude(pk=first.pk).get(kind="replay"))

        certificate = house.standing().certificate
        assert certificate is not None
        assert (house.standing().certified, certificate.cause) == (True, "reinstated")
        assert (
            certificate.note
            == f"Two golden replays in a row were passed: run {first.pk} and run {second.pk}."
        )
        house.run("scoring")
        assert (check(), house.standing().certified) == ([], True)
        house.provider.answer_as("even-2026-12-01")
        house.run("scoring")
        check()
        assert house.codes() == ["provider_model_changed"]


def test_who_lifts_it_by_hand_accepts_the_model_that_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    with living(monkeypatch) as house:
        house.provider.answer_as(OTHER)
        house.run("scoring")
        check()
        lead = make_user(lead_of=house.criteria_set)

        lifted = reinstate(
            judge_version_id=house.judge.pk,
            criteria_version_id=live(house.criteria_set).pk,
            now=timezone.now(),
            note="The provider only renamed it.",
            actor=lead,
        )
        house.run("scoring")
        check()

        assert (house.standing().certificate, lifted.actor) == (lifted, lead)


def test_where_nothing_can_be_replayed_it_is_suspended_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    with living(monkeypatch) as house:
        house.provider.answer_as(OTHER)
        house.run("scoring")
        live(house.criteria_set).rulings.update(blind=False)  # no golden row is left

        assert check() == []

        assert "provider_model_changed" in house.codes()


@pytest.mark.django_db(transaction=True)
def test_two_workers_that_compare_at_once_suspend_once_and_start_one_replay(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with living(monkeypatch) as house:
        house.provider.answer_as(OTHER)
        house.run("scoring")
        start = Barrier(4)

        def compare(_: int) -> list[int]:
            start.wait(timeout=30)
            try:
                return check()
            finally:
                connections.close_all()

        with ThreadPoolExecutor(4) as pool:
            started = [run for runs in pool.map(compare, range(4)) for run in runs]

        assert started == [Run.objects.get(kind="replay").pk]
        assert Certificate.objects.filter(cause="provider_model").count() == 1


def test_an_answer_that_was_taken_over_says_nothing_of_who_answers_now(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with living(monkeypatch) as house:
        house.provider.answer_as(OTHER)
        house.run("scoring")
        AnsweredAs.objects.all().delete()
        house.provider.answer_as("")

        run = worked_on(scoring(house.judge, house.criteria_set, asks_all=False))

        assert run.verdicts.exclude(reused_from=None).exists()
        assert not AnsweredAs.objects.filter(model=OTHER).exists()
