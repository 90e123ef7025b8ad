"""Gates before the providers: limits, providers that are down for a while or say when to come again."""

import time
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from judging.models import JudgeVersion, ProviderLimit, ProviderShare, Run
from judging.services import gatekeeping
from judging.services.engine import work_on
from judging.services.plans import plan_of
from judging.services.providers import ask_again, waits_of
from judging.services.pump import Pump
from judging.services.retrying import retry_skipped
from judging.services.trials import start_trial
from judging.services.trying import answer_trial
from tests.factories import live, make_criteria_set, make_panel, make_user
from tests.judging.running import KEY, URL, judged, juror, only, outcomes, rows, scoring, scripted
from tests.scripted_judge import ScriptedJudge

pytestmark = pytest.mark.django_db

PROVIDER, OTHER_URL = f"{URL}:{KEY}", "VERA_JUROR_OTHER_URL"


def limit(**allowed: Any) -> ProviderLimit:
    return ProviderLimit.objects.create(provider=PROVIDER, **allowed)


def patience(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    monkeypatch.setattr("django.conf.settings.VERA_PROVIDER_PATIENCE", seconds)


def times(judge: ScriptedJudge) -> list[float]:
    """When the calls arrived, in seconds after the first."""
    return [call.at - judge.calls[0].at for call in judge.calls]


def reasons(run: Run) -> set[str]:
    return set(run.verdicts.filter(outcome="skipped").values_list("reason", flat=True))


def test_requests_per_minute_are_kept_and_no_row_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    limit(requests_per_minute=600)

    with scripted(monkeypatch) as judge:
        run = judged(juror(), 30)

    arrived = times(judge)
    assert outcomes(run) == {"juror pass": 30}
    assert len(arrived) == 30
    # Eleven at once after a quiet time, then ten a second; permits may be used up to a second later.
    assert max(sum(start <= each < start + 1 for each in arrived) for start in arrived) <= 31
    assert arrived[-1] > 1.5


def test_tokens_per_minute_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    limit(tokens_per_minute=60_000)

    with scripted(monkeypatch) as judge:
        run = judged(juror(params={"max_tokens": 800}), 6)

    # More than a thousand are expected of each; a hundred and twenty are used, which is given back.
    assert outcomes(run) == {"juror pass": 6}
    assert 0.5 < times(judge)[-1] < 15


def test_calls_in_flight_are_kept_and_the_part_is_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    limit(calls_in_flight=2)

    with scripted(monkeypatch, delay=0.1) as judge:
        run = judged(juror(), 12)

    assert outcomes(run) == {"juror pass": 12}
    assert judge.most_at_once == 2
    assert not ProviderShare.objects.exists()


def test_without_a_limit_nothing_is_written_about_one(monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted(monkeypatch), CaptureQueriesContext(connection) as asked:
        judged(juror(), 20)

    about = [query["sql"] for query in asked if "judging_provider" in query["sql"]]
    assert all(sql.startswith("SELECT") for sql in about)
    assert len(about) <= 1 + 5  # at the start, then one a second
    assert not ProviderLimit.objects.exists()


def test_a_provider_that_says_when_to_come_again_is_left_alone_until_then_by_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with scripted(
        monkeypatch, lambda body, n: "429" if n == 6 else "pass", retry_after="2", delay=0.05
    ) as judge:
        run = judged(juror(), 40)

    refused = times(judge)[5]
    in_flight = settings.VERA_CALLS_IN_FLIGHT
    assert outcomes(run) == {"juror pass": 40}
    assert not [each for each in times(judge)[5 + in_flight :] if refused + 0.1 < each < refused + 2]
    assert len(judge.calls) == 41
    row = ProviderLimit.objects.get()
    assert (row.provider, row.closed_until is not None) == (PROVIDER, True)


def test_what_another_worker_was_told_holds_this_one_back(monkeypatch: pytest.MonkeyPatch) -> None:
    limit(closed_until=timezone.now() + timedelta(seconds=2))
    began = time.time()

    with scripted(monkeypatch) as judge:
        run = judged(juror(), 3)

    assert outcomes(run) == {"juror pass": 3}
    assert judge.calls[0].at - began > 1.5


def test_a_provider_that_asks_for_an_hour_burns_no_row_and_is_asked_again_when_somebody_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("django.conf.settings.VERA_CLAIM_LEASE", 2)
    run = scoring(juror(), rows(60))

    with scripted(monkeypatch, lambda body, n: "429" if n == 6 else "pass", retry_after="3600") as judge:
        pump = Pump(plan_of(run), "one")
        began = time.monotonic()
        while time.monotonic() - began < 4 or len(judge.calls) < 6:
            assert pump.step(0.05)
        waited = len(judge.calls)
        held = run.verdicts.filter(claimed_by=pump.worker)
        assert held.exists()
        assert not held.filter(lease_until__lt=timezone.now()).exists()
        [wait] = waits_of(run)
        assert wait.until is not None
        assert wait.until > timezone.now() + timedelta(minutes=58)
        assert ask_again(provider=PROVIDER, actor=make_user())
        while pump.step(0.05):
            assert time.monotonic() - began < 60
        pump.close()

    assert waited <= 5 + settings.VERA_CALLS_IN_FLIGHT
    assert outcomes(run) == {"juror pass": 60}
    assert len(judge.calls) == 61


def test_a_503_that_says_when_to_come_again_is_waited_for_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.scripted_judge.WITH_RETRY_AFTER", {503})
    with scripted(monkeypatch, lambda body, n: "503" if n == 1 else "pass", retry_after="3") as judge:
        run = judged(juror(), 1)

    assert outcomes(run) == {"juror pass": 1}
    assert times(judge)[1] >= 3


def test_a_provider_that_asks_to_wait_for_ever_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    patience(monkeypatch, 2)
    with scripted(monkeypatch, retry_after="2") as judge:
        began = time.monotonic()
        run = judged(juror("429"), 40)

    assert (outcomes(run), reasons(run)) == ({"juror skipped": 40}, {"rate_limited"})
    assert time.monotonic() - began > 4
    assert len(judge.calls) <= 4 + 6


def test_who_tries_a_judge_is_told_at_once_of_a_provider_that_asks_for_an_hour(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    patience(monkeypatch, 100)
    with scripted(monkeypatch, retry_after="3600") as judge:
        trial = start_trial(
            judge_version=juror("429"),
            criteria_version=live(make_criteria_set()),
            texts={"output": "Hello."},
            actor=make_user(),
        )
        assert answer_trial(trial.pk)
    trial.refresh_from_db()

    assert trial.answers["jurors"][0]["code"] == "rate_limited"
    assert len(judge.calls) == 1


def test_a_provider_that_refuses_what_is_too_much_loses_no_row(monkeypatch: pytest.MonkeyPatch) -> None:
    patience(monkeypatch, 30)
    taken: list[float] = []

    def ten_a_second(body: Any, n: int) -> str:
        now = time.monotonic()
        if sum(each > now - 1 for each in taken) >= 10:
            return "429"
        taken.append(now)
        return "pass"

    with scripted(monkeypatch, ten_a_second, retry_after="0.5"):
        run = judged(juror(), 50)

    assert outcomes(run) == {"juror pass": 50}


def test_a_provider_that_recovers_costs_no_row_and_few_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    patience(monkeypatch, 30)

    with scripted(monkeypatch, spell=("503", time.monotonic() + 5)) as judge:
        run = judged(juror(), 30)

    assert outcomes(run) == {"juror pass": 30}
    failed = len(judge.calls) - 30
    assert failed <= 4 + 4 + 6  # the first window, its resends before the breaker shut, probes


def test_a_provider_that_stays_down_ends_the_rows_as_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    patience(monkeypatch, 1)

    with scripted(monkeypatch) as judge:
        run = judged(juror("503"), 60)

    assert (run.state, outcomes(run), reasons(run)) == ("finished", {"juror skipped": 60}, {"unavailable"})
    assert len(judge.calls) < 20
    assert not run.verdicts.filter(score__isnull=False).exists()


@pytest.mark.parametrize("seconds", [0, 1])
@pytest.mark.parametrize("fresh", [False, True], ids=["asked again", "a new run"])
def test_once_a_provider_is_back_whoever_asks_again_is_answered(
    monkeypatch: pytest.MonkeyPatch, seconds: int, *, fresh: bool
) -> None:
    """The process still knows of an outage that spent the patience of the run before."""
    patience(monkeypatch, seconds)
    is_up: list[bool] = []

    with scripted(monkeypatch, lambda body, n: "pass" if is_up else "503") as judge:
        run = judged(juror(), 40)
        assert (outcomes(run), reasons(run)) == ({"juror skipped": 40}, {"unavailable"})
        asked = len(judge.calls)
        is_up.append(True)
        run = scoring(run.judge_version, rows(40)) if fresh else retry_skipped(run=run)
        work_on(run.pk)

    assert outcomes(run) == {"juror pass": 40}
    assert len(judge.calls) == asked + 40
    assert not run.verdicts.filter(calls=0).exists()


def test_a_provider_that_is_down_still_ends_a_second_run_as_quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    patience(monkeypatch, 1)

    with scripted(monkeypatch) as judge:
        first = judged(juror("503"), 60)
        asked = len(judge.calls)
        second = judged(first.judge_version, 60)

    assert (outcomes(second), reasons(second)) == ({"juror skipped": 60}, {"unavailable"})
    assert len(judge.calls) < asked + 10


def test_one_juror_of_three_always_down_leaves_the_others_in_peace(monkeypatch: pytest.MonkeyPatch) -> None:
    patience(monkeypatch, 1)
    with ScriptedJudge() as gone:
        monkeypatch.setenv(OTHER_URL, gone.url)

    with scripted(monkeypatch) as judge:
        down = juror("pass", base_url_env=OTHER_URL)
        run = judged(make_panel([juror("pass"), down, juror("pass")]), 20)

    assert outcomes(run) == {"panel pass": 20, "juror pass": 40, "juror skipped": 20}
    assert len(judge.calls) == 40


def test_questions_at_a_closed_gate_hold_up_no_other_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted(monkeypatch) as judge, ScriptedJudge() as other:
        monkeypatch.setenv(OTHER_URL, other.url)
        judged(juror(), 1)  # the library takes its time to load
        until = timezone.now() + timedelta(seconds=5)
        ProviderLimit.objects.create(provider=f"{OTHER_URL}:{KEY}", closed_until=until)
        run = judged(make_panel([juror("pass", base_url_env=OTHER_URL), juror("pass")]), 40)

    assert outcomes(run) == {"panel pass": 40, "juror pass": 80}
    assert sum(call.at < other.calls[0].at for call in judge.calls) >= 12


def test_the_time_at_the_gate_is_no_time_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("django.conf.settings.VERA_CALL_TIMEOUT", 1)
    limit(closed_until=timezone.now() + timedelta(seconds=2))

    with scripted(monkeypatch):
        verdict = only(judged(juror(), 1))

    assert (verdict.outcome, verdict.calls, verdict.resends) == ("pass", 1, 0)


def test_a_worker_that_must_stop_does_not_wait_at_the_gate(monkeypatch: pytest.MonkeyPatch) -> None:
    limit(closed_until=timezone.now() + timedelta(seconds=50))
    run = scoring(juror(), rows(5))

    with scripted(monkeypatch) as judge:
        pump = Pump(plan_of(run), "one")
        for _ in range(5):
            pump.step(0.05)
        assert pump.flight.in_air > 0
        began = time.monotonic()
        pump.ground()
        while pump.step(0.05):
            assert time.monotonic() - began < 5
        pump.close()

    assert judge.calls == []
    assert set(run.verdicts.values_list("outcome", "claimed_by", "claims")) == {("pending", "", 0)}


def test_a_key_that_is_wrong_still_pauses_after_a_handful(monkeypatch: pytest.MonkeyPatch) -> None:
    patience(monkeypatch, 30)

    with scripted(monkeypatch) as judge:
        run = judged(juror("401"), 30)

    assert (run.state, run.pause_reason) == ("paused", "authentication")
    assert len(judge.calls) <= 8


@pytest.mark.parametrize(
    ("behaviour", "params", "reason", "calls"),
    [
        ("400", {}, "bad_request", 1),
        ("context", {}, "context_too_long", 1),
        ("pass", {"context_tokens": 50}, "context_too_long", 0),
        ("pass", {"expect_model": "pass-2024-01-01"}, "wrong_model", 1),
    ],
)
def test_what_no_resend_can_help_is_not_resent(
    monkeypatch: pytest.MonkeyPatch, behaviour: str, params: dict[str, Any], reason: str, calls: int
) -> None:
    patience(monkeypatch, 30)

    with scripted(monkeypatch) as judge:
        verdict = only(judged(juror(behaviour, params=params)))

    assert (verdict.outcome, verdict.reason, verdict.calls) == ("skipped", reason, calls)
    assert len(judge.calls) == calls


def test_a_pinned_model_that_answers_is_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted(monkeypatch):
        verdict = only(judged(juror("pass", params={"expect_model": "PASS", "context_tokens": 8192})))

    assert verdict.outcome == "pass"


def test_who_tries_a_judge_is_told_at_once_that_its_provider_is_down(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("judging.domain.backoff._FIRST", 0.01)
    patience(monkeypatch, 100)
    began = time.monotonic()

    with scripted(monkeypatch) as judge:
        trial = start_trial(
            judge_version=juror("503"),
            criteria_version=live(make_criteria_set()),
            texts={"output": "Hello."},
            actor=make_user(),
        )
        assert answer_trial(trial.pk)
    trial.refresh_from_db()

    assert trial.answers["jurors"][0]["code"] == "unavailable"
    assert len(judge.calls) == 4
    assert time.monotonic() - began < 50


def test_a_process_remembers_no_limit_that_was_taken_away(monkeypatch: pytest.MonkeyPatch) -> None:
    row, judge_version = limit(calls_in_flight=1), juror()

    with scripted(monkeypatch, delay=0.05) as judge:
        judged(judge_version, 3)
        assert judge.most_at_once == 1
        row.delete()
        gatekeeping.prepare(plan_of(scoring(judge_version, rows(1))).jurors.values())
        judged(judge_version, 10)

    assert judge.most_at_once > 1
    assert JudgeVersion.objects.count() == 1
