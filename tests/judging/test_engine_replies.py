"""What becomes of each way a juror can answer, through litellm over real HTTP."""

import pytest

from judging.domain.correction import CORRECTABLE
from tests.judging.running import judged, juror, only, outcomes, panel, scripted

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("behaviour", ["pass", "fail"])
def test_a_verdict_carries_what_made_it(monkeypatch: pytest.MonkeyPatch, behaviour: str) -> None:
    with scripted(monkeypatch):
        run = judged(juror(behaviour, price={"input": 1, "output": 2}))

    verdict = only(run)
    assert (run.state, verdict.outcome, verdict.score) == ("finished", behaviour, float(behaviour == "pass"))
    assert verdict.fingerprint == run.judge_version.fingerprint
    assert verdict.candidate_hash == verdict.candidate.content_hash
    assert verdict.threshold == run.criteria_version.threshold
    assert (verdict.answered_model, verdict.provider_fingerprint) == (behaviour, "fp_scripted")
    assert (verdict.prompt_tokens, verdict.completion_tokens) == (100, 20)
    assert float(verdict.cost or 0) == pytest.approx(0.00014)
    assert (verdict.calls, verdict.resends, verdict.raw_cut) == (1, 0, False)
    assert '"criteria"' in verdict.raw_reply
    assert verdict.latency_ms is not None
    assert verdict.independent is None
    assert [score.criterion.name for score in verdict.scores.all()] == ["meets_criteria"]


def test_a_cost_that_cannot_be_is_unknown_and_stops_no_run(monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted(monkeypatch):
        run = judged(juror("pass", price={"input": 10**9, "output": 0}))

    assert (run.state, only(run).outcome, only(run).cost) == ("finished", "pass", None)


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        ("half", "truncated"),
        ("length", "truncated"),
        ("garbage", "not_json"),
        ("prose", "not_json"),
        ("nan", "not_json"),
        ("empty", "empty_reply"),
        ("refusal", "refused"),
        ("content-filter", "content_filter"),
        ("wrong-model", "wrong_model"),
        ("unknown-criterion", "unknown_criterion"),
        ("missing-criterion", "missing_criterion"),
        ("out-of-scale", "out_of_scale"),
        ("duplicate-keys", "duplicate_key"),
        ("2mb", "too_long"),
        ("400", "bad_request"),
        ("context", "context_too_long"),
    ],
)
def test_a_reply_that_cannot_be_used_is_skipped_with_its_reason_and_never_scored(
    monkeypatch: pytest.MonkeyPatch, behaviour: str, reason: str
) -> None:
    with scripted(monkeypatch) as judge:
        run = judged(juror(behaviour))

    verdict = only(run)
    assert (run.state, verdict.outcome, verdict.reason) == ("finished", "skipped", reason)
    assert verdict.score is None
    assert not verdict.scores.exists()
    assert verdict.detail
    assert verdict.corrections == (reason in CORRECTABLE)
    assert verdict.calls == len(judge.calls) == 1 + verdict.corrections


@pytest.mark.parametrize(("behaviour", "requests"), [("no-schema", 2), ("no-json", 3)])
def test_questions_in_a_response_format_that_is_refused_are_counted(
    monkeypatch: pytest.MonkeyPatch, behaviour: str, requests: int
) -> None:
    with scripted(monkeypatch) as judge:
        verdict = only(judged(juror(behaviour)))

    assert verdict.outcome == "pass"
    assert verdict.calls == len(judge.calls) == requests
    assert verdict.resends == 0


def test_a_refused_reply_is_kept_and_cut_at_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted(monkeypatch):
        prose, long = only(judged(juror("prose"))), only(judged(juror("2mb")))

    assert (prose.raw_reply, prose.raw_cut) == ("I would let this pass; it is rather good.", False)
    assert (len(long.raw_reply), long.raw_cut) == (20_000, True)


@pytest.mark.parametrize(("behaviour", "reason"), [("500", "unavailable"), ("close", "unavailable")])
def test_a_transport_failure_is_resent_within_a_limit(
    monkeypatch: pytest.MonkeyPatch, behaviour: str, reason: str
) -> None:
    monkeypatch.setattr("judging.domain.backoff._FIRST", 0.01)

    with scripted(monkeypatch) as judge:
        verdict = only(judged(juror(behaviour)))

    assert (verdict.outcome, verdict.reason) == ("skipped", reason)
    assert (verdict.calls, verdict.resends, len(judge.calls)) == (4, 3, 4)


def test_a_provider_that_asks_to_wait_is_asked_again_after_that_time(monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted(monkeypatch, lambda body, n: "429" if n == 1 else "pass", retry_after="1") as judge:
        verdict = only(judged(juror()))

    assert (verdict.outcome, verdict.calls, verdict.resends) == ("pass", 2, 1)
    assert len(judge.calls) == 2


def test_a_juror_that_does_not_answer_in_time_is_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("django.conf.settings.VERA_CALL_TIMEOUT", 0.2)
    monkeypatch.setattr("judging.domain.backoff._FIRST", 0.01)

    with scripted(monkeypatch):
        verdict = only(judged(juror("timeout")))

    assert (verdict.outcome, verdict.reason, verdict.calls) == ("skipped", "timeout", 4)


def test_with_one_juror_always_down_the_other_two_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("judging.domain.backoff._FIRST", 0.01)

    with scripted(monkeypatch):
        agreed, split = judged(panel("pass", "pass", "500"), 2), judged(panel("pass", "fail", "500"), 2)

    assert outcomes(agreed) == {"panel pass": 2, "juror pass": 4, "juror skipped": 2}
    assert {verdict.reason for verdict in split.verdicts.filter(kind="panel")} == {"no_majority"}
    assert {verdict.confidence for verdict in agreed.verdicts.filter(kind="panel")} == {2 / 3}


def test_a_split_goes_to_people_where_the_panel_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted(monkeypatch):
        verdict = only(judged(panel("pass", "pass", "fail", on_split="human")))

    assert (verdict.outcome, verdict.reason) == ("escalated", "")


def test_garbage_for_every_tenth_call_leaves_the_rest_standing(monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted(monkeypatch, lambda body, n: "garbage" if n % 10 == 0 else "pass") as judge:
        run = judged(juror(), 40)

    skipped = run.verdicts.filter(outcome="skipped", reason="not_json").count()
    corrections = sum(run.verdicts.values_list("corrections", flat=True))
    assert run.verdicts.filter(outcome="pass").count() == 40 - skipped
    assert len(judge.calls) == 40 + corrections
    assert corrections + skipped == len(judge.calls) // 10 == 4  # garbage again is skipped
