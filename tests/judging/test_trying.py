"""Trying a judge: asked once by a worker, told in full, forgotten in time; no verdict, no certificate."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from judging.models import Certificate, JudgeVersion, Run, Trial, Verdict
from judging.services import stopping
from judging.services.trial_answers import Asked, questions_of
from judging.services.trials import KEPT, CannotTry, offered_rows, start_trial
from judging.services.trying import answer_trial, answer_waiting
from labeling.models import Candidate, CriteriaSet, Exposure
from tests.factories import (
    live,
    make_candidate,
    make_criteria_set,
    make_judge,
    make_ruling,
    make_user,
    make_version,
)
from tests.judging.running import KEY, URL, juror, panel, scripted

pytestmark = pytest.mark.django_db

TEXTS = {"request": "Say hello.", "output": "Hello!", "grounding": "", "criteria_text": ""}


def tried(judge: JudgeVersion, criteria_set: CriteriaSet | None = None, **what: Any) -> Trial:
    """A trial that nobody has answered yet."""
    criteria_set = criteria_set or make_criteria_set()
    lead = make_user(lead_of=criteria_set)
    chosen = what or {"texts": TEXTS}
    return start_trial(judge_version=judge, criteria_version=live(criteria_set), actor=lead, **chosen)


def answered(monkeypatch: pytest.MonkeyPatch, judge: JudgeVersion, **what: Any) -> Trial:
    """A trial that a worker has answered."""
    with scripted(monkeypatch):
        trial = tried(judge, **what)
        assert answer_trial(trial.pk)
    trial.refresh_from_db()
    return trial


def test_an_answer_tells_all_that_was_sent_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    trial = answered(monkeypatch, juror("pass", params={"temperature": 0, "answers_as": "pass"}))

    [told] = trial.answers["jurors"]
    assert (trial.state, told["outcome"], told["score"]) == ("answered", "pass", 1.0)
    assert [(each["name"], each["score"], each["reason"]) for each in told["scores"]] == [
        ("meets_criteria", 1, "As scripted.")
    ]
    assert '"As scripted."' in told["raw_reply"]
    assert (told["prompt_tokens"], told["completion_tokens"], told["answered_model"]) == (100, 20, "pass")
    assert told["sent"]["params"] == {"temperature": 0}
    assert trial.answers["layer1"]["check"] == ""


def test_what_is_shown_as_sent_is_what_the_provider_got(monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted(monkeypatch) as judge:
        trial = tried(juror())
        answer_trial(trial.pk)
    trial.refresh_from_db()

    [call], [told] = judge.calls, trial.answers["jurors"]
    shown = [(message["role"], message["content"]) for message in told["sent"]["messages"]]
    assert shown == [(message["role"], message["content"]) for message in call.body["messages"]]
    assert told["sent"]["address"] == judge.url.removesuffix("/v1")
    assert "sk-test" not in str(trial.answers)


def test_a_panel_says_what_each_juror_says_and_what_comes_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    trial = answered(monkeypatch, panel("pass", "fail", "pass"))

    assert [told["outcome"] for told in trial.answers["jurors"]] == ["pass", "fail", "pass"]
    assert trial.answers["panel"]["outcome"] == "pass"
    assert round(trial.answers["panel"]["confidence"], 2) == 0.67


def test_a_juror_that_cannot_be_asked_does_not_hold_up_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    both = panel("pass", "pass")
    JudgeVersion.objects.filter(pk=both.jurors()[0].pk).update(api_key_env="VERA_JUROR_GONE_KEY")

    trial = answered(monkeypatch, JudgeVersion.objects.get(pk=both.pk))

    gone, there = trial.answers["jurors"]
    assert (gone["code"], gone["sent"], there["outcome"]) == ("not_configured", None, "pass")
    assert "VERA_JUROR_GONE_KEY, which is not set" in gone["sentence"]
    assert trial.answers["panel"]["code"] == "no_majority"


@pytest.mark.parametrize(
    ("behaviour", "code", "sentence"),
    [
        ("401", "authentication", f"does not accept the key in {KEY}"),
        ("404", "unknown_model", "does not know “openai/404”"),
        ("402", "no_credit", "no credit left"),
        ("403", "permission_denied", "may not use “openai/403”"),
        ("wrong-model", "wrong_model", "“expect_model” with the value “somebody-else”"),
        ("prose", "not_json", "not exactly one JSON object"),
        ("length", "truncated", "more output tokens"),
    ],
)
def test_every_failure_ends_in_a_sentence_that_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, behaviour: str, code: str, sentence: str
) -> None:
    [told] = answered(monkeypatch, juror(behaviour)).answers["jurors"]

    assert (told["outcome"], told["code"]) == ("skipped", code)
    assert sentence in told["sentence"]
    assert "sk-test" not in str(told)


def test_a_host_that_nobody_answers_at_is_named_by_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("judging.services.asking.pause_before", lambda *_: None)
    monkeypatch.setenv(URL, "http://127.0.0.1:9/v1")
    monkeypatch.setenv(KEY, "sk-test-0123456789")

    trial = tried(juror())
    answer_trial(trial.pk)

    trial.refresh_from_db()
    [told] = trial.answers["jurors"]
    assert told["code"] == "unavailable"
    assert f"cannot reach the address in {URL}" in told["sentence"]


def test_layer_1_says_what_it_would_have_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    trial = answered(monkeypatch, juror(), texts=TEXTS | {"output": "   "})

    assert trial.answers["layer1"]["check"] == "empty_output"
    assert trial.answers["jurors"][0]["outcome"] == "pass"


def test_a_trial_becomes_no_verdict_and_no_certificate(monkeypatch: pytest.MonkeyPatch) -> None:
    answered(monkeypatch, panel("pass", "pass"))

    assert not Verdict.objects.exists()
    assert not Run.objects.exists()
    assert not Certificate.objects.exists()


def test_a_message_delivered_twice_asks_once(monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted(monkeypatch) as judge:
        trial = tried(juror())
        assert answer_trial(trial.pk)
        assert not answer_trial(trial.pk)
        answer_waiting()

    assert len(judge.calls) == 1


@pytest.mark.django_db(transaction=True)
def test_many_workers_told_at_once_ask_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def work(pk: int) -> bool:
        try:
            return answer_trial(pk)
        finally:
            connection.close()

    with scripted(monkeypatch, delay=0.2) as judge:
        trial = tried(juror())
        with ThreadPoolExecutor(4) as pool:
            done = list(pool.map(work, [trial.pk] * 4))

    assert sorted(done) == [False, False, False, True]
    assert len(judge.calls) == 1


def test_a_lost_message_is_made_up_for_by_the_timer(monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted(monkeypatch):
        trial = tried(juror())
        answer_waiting()

    trial.refresh_from_db()
    assert trial.state == "answered"


def test_a_killed_workers_trial_is_answered_by_another(monkeypatch: pytest.MonkeyPatch) -> None:
    trial = tried(juror())
    held = Trial.objects.filter(pk=trial.pk)
    held.update(
        state="asking", claimed_by="dead", claims=1, lease_until=timezone.now() + timedelta(seconds=9)
    )
    with scripted(monkeypatch) as judge:
        answer_waiting()
        assert judge.calls == []

        held.update(lease_until=timezone.now() - timedelta(seconds=1))
        answer_waiting()

    trial.refresh_from_db()
    assert (trial.state, trial.claims) == ("answered", 2)


def test_a_trial_that_three_workers_died_with_ends_with_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    trial = tried(juror())
    passed = timezone.now() - timedelta(seconds=1)
    Trial.objects.filter(pk=trial.pk).update(state="asking", claims=3, lease_until=passed)

    with scripted(monkeypatch) as judge:
        answer_waiting()

    trial.refresh_from_db()
    assert (trial.state, judge.calls) == ("failed", [])
    assert "Three workers were lost" in trial.problem


def test_an_answer_that_comes_after_all_still_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    def told_lost(trial: Trial) -> list[Asked]:
        Trial.objects.update(claims=3, lease_until=timezone.now() - timedelta(seconds=1))
        answer_waiting()
        assert Trial.objects.get().state == "failed"
        return questions_of(trial)

    monkeypatch.setattr("judging.services.trying.questions_of", told_lost)
    trial = answered(monkeypatch, juror())

    assert (trial.state, trial.problem) == ("answered", "")


def test_a_failure_of_our_own_ends_the_trial(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    trial = tried(juror())
    live(trial.criteria_version.criteria_set).criteria.update(strategy="no_such_rule")

    with scripted(monkeypatch):
        answer_trial(trial.pk)

    trial.refresh_from_db()
    assert (trial.state, trial.problem) == (
        "failed",
        "Vera itself failed on this trial; the worker's log says where.",
    )
    assert "no_such_rule" in caplog.text


def test_a_worker_that_is_told_to_stop_gives_the_trial_back(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[bool] = []

    def plan(body: Any, n: int) -> str:
        told.append(True)
        return "timeout"

    monkeypatch.setattr("judging.services.trying.is_stopping", lambda: bool(told))
    with scripted(monkeypatch, plan):
        trial = tried(juror())
        assert not answer_trial(trial.pk)

    trial.refresh_from_db()
    assert (trial.state, trial.claims) == ("waiting", 0)
    assert not stopping.is_stopping()


def test_what_does_not_answer_in_time_is_given_up(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    settings.VERA_CALL_TIMEOUT = 0.2

    [told] = answered(monkeypatch, juror("timeout")).answers["jurors"]

    assert told["code"] == "timeout"
    assert "VERA_CALL_TIMEOUT" in told["sentence"]


def test_rows_that_certify_and_are_labelled_are_refused() -> None:
    criteria_set = make_criteria_set()
    golden = make_candidate(criteria_set, "Golden.")
    make_ruling(golden)
    new, tune = make_candidate(criteria_set), make_candidate(criteria_set, split="tune")
    make_ruling(tune)

    assert [offer.pk for offer in offered_rows(live(criteria_set), make_judge())] == [tune.pk, new.pk]
    with pytest.raises(CannotTry, match="certifies judges"):
        tried(juror(), criteria_set, row=golden.pk)
    with pytest.raises(CannotTry, match="certifies judges"):
        tried(juror(), criteria_set, texts=TEXTS | {"request": golden.request, "output": "Golden."})


@pytest.mark.parametrize(("stored", "pasted"), [("1\n2", "1\r\n2"), ("1\r\n2", "1\n2"), ("1\r\n2", "1\r\n2")])
def test_a_row_that_certifies_is_known_by_any_end_of_its_lines(stored: str, pasted: str) -> None:
    criteria_set = make_criteria_set()
    golden = make_candidate(criteria_set, stored)
    make_ruling(golden)

    with pytest.raises(CannotTry, match="certifies judges"):
        tried(juror(), criteria_set, texts=TEXTS | {"request": golden.request, "output": pasted})


def test_a_draft_of_the_criteria_opens_no_row_that_certifies() -> None:
    criteria_set = make_criteria_set()
    golden = make_candidate(criteria_set, "Golden.")
    make_ruling(golden)
    draft = make_version(criteria_set)

    assert offered_rows(draft, make_judge()) == []
    with pytest.raises(CannotTry, match="certifies judges"):
        start_trial(judge_version=juror(), criteria_version=draft, row=golden.pk, actor=make_user())


def test_trying_a_row_is_logged_as_seeing_a_verdict() -> None:
    criteria_set = make_criteria_set()
    row = make_candidate(criteria_set)

    trial = tried(juror(), criteria_set, row=row.pk)

    exposure = Exposure.objects.get()
    assert (exposure.candidate, exposure.user, exposure.what) == (row, trial.asked_by, "verdicts")


def test_a_text_of_ones_own_that_is_a_row_counts_as_the_row() -> None:
    criteria_set = make_criteria_set()
    row = make_candidate(criteria_set, "Hello!", split="tune")

    trial = tried(juror(), criteria_set, texts=TEXTS | {"request": row.request})

    assert (trial.candidate, trial.texts) == (row, {})
    assert Candidate.objects.count() == 1


def test_rows_of_another_set_are_not_found() -> None:
    other = make_candidate(make_criteria_set())

    with pytest.raises(CannotTry, match="no row"):
        tried(juror(), make_criteria_set(), row=other.pk)


def test_only_the_newest_trials_of_a_judge_are_kept() -> None:
    judge, criteria_set = juror(), make_criteria_set()
    other = tried(juror(), criteria_set)
    first = tried(judge, criteria_set)
    for _ in range(KEPT):
        tried(judge, criteria_set)

    assert Trial.objects.filter(judge_version=judge).count() == KEPT
    assert not Trial.objects.filter(pk=first.pk).exists()
    assert Trial.objects.filter(pk=other.pk).exists()
