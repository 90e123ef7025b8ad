"""Response formats are found out once, by one process for all."""

from datetime import timedelta

import pytest
from django.utils import timezone

from judging.llm import remember_format
from judging.models import TakenFormat
from judging.services.engine import work_on
from judging.services.formats import KEPT, forget_format
from tests.factories import make_candidate, make_criteria_set
from tests.judging.running import URL, judged, juror, only, scoring, scripted
from tests.scripted_judge import ERRORS

pytestmark = pytest.mark.django_db


def forget_here(url: str) -> None:
    """As a process that was just started knows it."""
    remember_format("openai/no-json", url, None)


def test_a_format_that_was_refused_is_not_tried_again_by_another_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with scripted(monkeypatch) as judge:
        found_out = only(judged(juror("no-json")))
        taken = TakenFormat.objects.get()
        forget_here(judge.url)
        known = only(judged(juror("no-json")))

    assert (taken.model, taken.base_url_env, taken.format) == ("openai/no-json", URL, "none")
    assert (found_out.calls, known.calls) == (3, 1)


def test_what_a_provider_quotes_from_the_question_is_no_refusal_of_its_format(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    quoted = (400, "invalid_value", "Bad input: 'It sets Response_Format and response_format.'")
    monkeypatch.setitem(ERRORS, "quotes", quoted)
    criteria_set = make_criteria_set()
    for _ in range(3):
        make_candidate(criteria_set, output=f"It sets Response_Format and response_format. {_}")
    run = scoring(juror("quotes"), criteria_set)

    with scripted(monkeypatch) as judge:
        work_on(run.pk)

    assert {call.body["response_format"]["type"] for call in judge.calls} == {"json_schema"}
    assert set(run.verdicts.values_list("outcome", "reason", "calls")) == {("skipped", "bad_request", 1)}
    assert not TakenFormat.objects.exists()


def test_a_weaker_format_that_brought_no_reply_is_not_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ERRORS, "refuses", (400, "invalid_value", "response_format: something is wrong."))
    with scripted(monkeypatch) as judge:
        verdict = only(judged(juror("refuses")))

    assert (verdict.reason, verdict.calls, len(judge.calls)) == ("bad_request", 3, 3)
    assert not TakenFormat.objects.exists()


def test_a_run_is_not_paused_by_words_that_a_provider_quotes(monkeypatch: pytest.MonkeyPatch) -> None:
    words = "Your credit balance is too low"
    monkeypatch.setitem(ERRORS, "quotes", (400, "invalid_value", f"Bad input: '{words}'"))
    criteria_set = make_criteria_set()
    for number in range(5):
        make_candidate(criteria_set, output=f"{words}, {number}.")
    run = scoring(juror("quotes"), criteria_set)

    with scripted(monkeypatch):
        work_on(run.pk)
    run.refresh_from_db()

    assert run.state == "finished"
    assert set(run.verdicts.values_list("reason", flat=True)) == {"bad_request"}


def test_after_a_week_or_when_told_to_the_model_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted(monkeypatch):
        judged(juror("no-json"))
        TakenFormat.objects.update(noted_at=timezone.now() - KEPT - timedelta(hours=1))
        old = only(judged(juror("no-json")))
        assert TakenFormat.objects.get().noted_at > timezone.now() - timedelta(hours=1)
        assert forget_format(model="openai/no-json", base_url_env=URL)
        told = only(judged(juror("no-json")))

    assert (old.calls, told.calls) == (3, 3)


def test_a_name_that_no_database_can_hold_is_nobody_s() -> None:
    assert not forget_format(model="openai/\x00", base_url_env="\x00")
