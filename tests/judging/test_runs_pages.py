"""The pages of runs: expected cost before, progress during, skips and verdicts after; for the set's leads."""

import re
from datetime import timedelta
from decimal import Decimal

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks

from judging.domain.reasons import PauseReason
from judging.models import JudgeVersion, Run, Verdict, WorkerSeen
from judging.services.runs import pause_run
from labeling.models import CriteriaSet, Exposure
from labeling.services.archiving import archive_set
from tests.factories import (
    live,
    make_candidate,
    make_criteria_set,
    make_judge,
    make_panel,
    make_ruling,
    make_user,
)
from tests.judging.golden import make_run
from tests.judging.running import frugal, judged, panel, rows, scoring, scripted

pytestmark = pytest.mark.django_db


@pytest.fixture
def client() -> Client:
    return Client()


def enter(client: Client, criteria_set: CriteriaSet) -> User:
    """Log in as a lead of the set."""
    lead = make_user(lead_of=criteria_set)
    client.force_login(lead, backend="django.contrib.auth.backends.ModelBackend")
    return lead


def enter_for(client: Client, run: Run) -> User:
    return enter(client, run.criteria_version.criteria_set)


def text_of(client: Client, address: str, **headers: str) -> str:
    response = client.get(address, headers=headers)
    assert response.status_code == 200
    return re.sub(r"\s+", " ", response.content.decode())


def queries_of(client: Client, address: str) -> int:
    """How many queries one page costs."""
    with CaptureQueriesContext(connection) as captured:
        client.get(address)
    return len(captured)


def golden(number: int = 3) -> CriteriaSet:
    criteria_set = make_criteria_set("replies")
    for _ in range(number):
        make_ruling(make_candidate(criteria_set))
    return criteria_set


def asked_for(judge: JudgeVersion, criteria_set: CriteriaSet, **more: str) -> dict[str, str]:
    return {
        "judge_version": str(judge.pk),
        "criteria_version": str(live(criteria_set).pk),
        "rows": "certify",
    } | more


def test_a_run_of_another_set_is_not_there(client: Client) -> None:
    run = scoring(make_judge(), rows(1))
    enter(client, make_criteria_set())

    for address in ("", "skips/", "verdicts/"):
        assert client.get(f"/runs/{run.pk}/{address}").status_code == 404
    for address in ("resume/", "cancel/", "verdicts/"):
        assert client.post(f"/runs/{run.pk}/{address}").status_code == 404
    assert f"/runs/{run.pk}/" not in text_of(client, "/runs/")


def test_a_labeler_of_the_set_is_refused(client: Client) -> None:
    run = scoring(make_judge(), rows(1))
    labeler = make_user(labels=run.criteria_version.criteria_set)
    client.force_login(labeler, backend="django.contrib.auth.backends.ModelBackend")

    assert client.get(f"/runs/{run.pk}/").status_code == 403
    assert client.post(f"/runs/{run.pk}/cancel/").status_code == 403
    run.refresh_from_db()
    assert run.state == "running"


def test_criteria_of_another_set_cannot_be_chosen(client: Client) -> None:
    enter(client, make_criteria_set())

    answer = client.post("/runs/new/", asked_for(make_judge(), golden(), expected="3"))

    assert answer.status_code == 422
    assert not Run.objects.exists()


def test_archived_criteria_are_not_run_on_anew(client: Client) -> None:
    criteria_set, judge = golden(), make_judge()
    lead = enter(client, criteria_set)
    archive_set(criteria_set=criteria_set, actor=lead)

    shown = text_of(client, "/runs/new/")
    sent = client.post("/runs/new/", asked_for(judge, criteria_set, expected="3"))

    assert "replies@1" not in shown
    assert sent.status_code == 422
    assert "what is archived is not run on anew" in sent.text


def test_calls_and_cost_are_shown_before_anything_starts(client: Client) -> None:
    criteria_set = golden()
    enter(client, criteria_set)
    judge = make_judge()
    JudgeVersion.objects.update(price={"input": 1000, "output": 1000})

    shown = text_of(client, "/runs/new/?" + query(asked_for(judge, criteria_set)))

    assert "<dt>Expected calls</dt><dd>3</dd>" in shown
    assert "about $1." in shown
    assert "Start the run" in shown
    assert not Run.objects.exists()


def query(values: dict[str, str]) -> str:
    return "&".join(f"{name}={value}" for name, value in values.items())


def test_fewest_and_most_calls_tokens_and_dollars_are_shown(client: Client) -> None:
    criteria_set = rows(3)
    enter(client, criteria_set)
    judge = make_panel([make_judge() for _ in range(3)])
    JudgeVersion.objects.filter(kind="model").update(price={"input": 1000, "output": 1000})
    asked = asked_for(judge, criteria_set, rows="unlabelled")

    little = text_of(client, "/runs/new/?" + query(asked))
    everybody = text_of(client, "/runs/new/?" + query(asked | {"asks_all": "on"}))

    assert "<dt>Expected calls</dt><dd>6 to 9</dd>" in little
    assert re.search(r"<dt>Tokens read</dt><dd>2,8\d\d to 4,2\d\d</dd>", little)
    assert "<dt>Tokens written</dt><dd>360 to 540</dd>" in little
    assert re.search(r"about \$3\.\d\d to \$4\.\d\d", little)
    assert "answers of the last day to the very same questions" in little
    assert "<dt>Expected calls</dt><dd>9</dd>" in everybody
    assert 'name="asks_all" value="True"' in everybody


@pytest.mark.parametrize(
    ("given", "made"),
    [
        ({}, {"kind": "scoring", "asks_all": False, "repeats": 1}),
        ({"asks_all": "on"}, {"kind": "scoring", "asks_all": True, "repeats": 1}),
        ({"repeats": "3"}, {"kind": "consistency", "asks_all": True, "repeats": 3}),
        ({"repeats": "2", "most_rows": "2"}, {"kind": "consistency", "asks_all": True, "repeats": 2}),
    ],
)
def test_the_form_says_how_thoroughly_to_ask(
    client: Client, given: dict[str, str], made: dict[str, object]
) -> None:
    criteria_set = rows(4)
    enter(client, criteria_set)
    asked = asked_for(make_judge(), criteria_set, rows="unlabelled") | given
    times = int(given.get("repeats", 1)) * int(given.get("most_rows", 4))

    answer = client.post("/runs/new/", asked | {"expected": str(times)})

    assert answer.status_code == 302
    run = Run.objects.get()
    assert {name: getattr(run, name) for name in made} == made
    assert run.verdicts.count() == times


def test_a_verdict_that_was_taken_over_says_from_which_run(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    criteria_set, judge = rows(1), panel("pass", "pass", "pass")
    with scripted(monkeypatch):
        first, again = frugal(judge, criteria_set), frugal(judge, criteria_set)
    enter(client, criteria_set)

    client.post(f"/runs/{again.pk}/verdicts/")
    shown = text_of(client, f"/runs/{again.pk}/verdicts/")

    assert shown.count(f'taken over from <a href="/runs/{first.pk}/">run {first.pk}</a>') == 2
    assert "The jurors asked before had settled" in shown


def test_what_was_shown_is_sent_and_no_token_lands_in_an_address(client: Client) -> None:
    criteria_set = golden()
    enter(client, criteria_set)
    judge = make_judge()

    shown = text_of(client, "/runs/new/?" + query(asked_for(judge, criteria_set, max_calls="2")))

    choosing, starting = re.findall(r'<form method="(?:get|post)" action="/runs/new/".*?</form>', shown)
    assert "csrfmiddlewaretoken" not in choosing
    assert f'name="judge_version" value="{judge.pk}"' in starting
    assert 'name="max_calls" value="2"' in starting
    assert 'name="expected" value="3"' in starting


def test_an_unknown_cost_is_said_in_words(client: Client) -> None:
    criteria_set = golden()
    enter(client, criteria_set)

    shown = text_of(client, "/runs/new/?" + query(asked_for(make_judge(), criteria_set)))

    assert "not known, as the price of at least one juror is not" in shown
    assert "None" not in shown


def test_a_run_starts_and_the_workers_are_told(
    client: Client, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    criteria_set = golden()
    lead = enter(client, criteria_set)

    with django_capture_on_commit_callbacks() as told:
        answer = client.post("/runs/new/", asked_for(make_judge(), criteria_set, expected="3"))

    run = Run.objects.get()
    assert answer.headers["Location"] == f"/runs/{run.pk}/"
    assert (run.kind, run.created_by, run.verdicts.count(), len(told)) == ("calibration", lead, 3, 1)


def test_nothing_starts_that_was_not_shown(client: Client) -> None:
    criteria_set = golden()
    enter(client, criteria_set)

    answer = client.post("/runs/new/", asked_for(make_judge(), criteria_set, expected="2"))

    assert answer.status_code == 422
    assert "The expected number of calls is another one now" in answer.content.decode()
    assert not Run.objects.exists()


def test_a_double_click_starts_one_run(client: Client) -> None:
    criteria_set = golden()
    enter(client, criteria_set)
    asked = asked_for(make_judge(), criteria_set, expected="3")

    answers = [client.post("/runs/new/", asked) for _ in range(2)]

    assert answers[0].headers["Location"] == answers[1].headers["Location"]
    assert Run.objects.count() == 1


def test_tune_rows_alone_are_no_calibration(client: Client) -> None:
    criteria_set = make_criteria_set()
    make_ruling(make_candidate(criteria_set, split="tune"))
    enter(client, criteria_set)

    client.post("/runs/new/", asked_for(make_judge(), criteria_set, rows="tune", expected="1"))

    assert Run.objects.get().kind == "scoring"


def test_no_rows_is_a_sentence(client: Client) -> None:
    criteria_set = make_criteria_set()
    enter(client, criteria_set)

    assert "There are no such rows" in text_of(
        client, "/runs/new/?" + query(asked_for(make_judge(), criteria_set))
    )


def test_a_running_run_asks_for_itself_and_says_that_no_worker_is_seen(client: Client) -> None:
    run = scoring(make_judge(), rows(2))
    enter_for(client, run)

    part = text_of(client, f"/runs/{run.pk}/", **{"HX-Request": "true"})

    assert part.strip().startswith('<section id="progress"')
    assert f'hx-get="/runs/{run.pk}/" hx-trigger="every 2s"' in part
    assert "0 of 2 rows done" in part
    assert "No worker is seen" in part
    assert "nothing yet" in part


def test_a_worker_that_is_seen_is_not_missed(client: Client) -> None:
    run = scoring(make_judge(), rows(1))
    enter_for(client, run)
    seen = WorkerSeen.objects.create(name="host:1", seen_at=timezone.now())
    assert "No worker" not in text_of(client, f"/runs/{run.pk}/")

    WorkerSeen.objects.filter(pk=seen.pk).update(seen_at=timezone.now() - timedelta(minutes=5))
    assert "No worker" in text_of(client, f"/runs/{run.pk}/")


def test_a_run_that_brings_nothing_for_a_while_says_what_that_may_be(client: Client) -> None:
    run = scoring(make_judge(), rows(1))
    enter_for(client, run)
    WorkerSeen.objects.create(name="host:1", seen_at=timezone.now())
    assert "No row has come back lately" not in text_of(client, f"/runs/{run.pk}/")

    Run.objects.filter(pk=run.pk).update(created_at=timezone.now() - timedelta(minutes=1))
    assert "No row has come back lately" in text_of(client, f"/runs/{run.pk}/")


def test_a_finished_run_stops_asking_and_names_its_skips(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    with scripted(monkeypatch):
        run = judged(panel("pass", "prose", "pass"), 2)
    enter_for(client, run)

    shown = text_of(client, f"/runs/{run.pk}/")
    refreshed = client.get(f"/runs/{run.pk}/", headers={"HX-Request": "true"})

    assert "every 2s" not in shown
    assert "None" not in shown
    assert "2 of 2 rows done" in shown
    assert "The reply is not exactly one JSON object" in shown
    assert "not known, as no price is" in shown
    assert refreshed.headers["HX-Refresh"] == "true"


def test_skipped_replies_are_shown_as_text(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted(monkeypatch):
        run = judged(panel("pass", "prose", "pass"))
    Verdict.objects.filter(outcome="skipped").update(raw_reply="<script>alert(1)</script>\u202e")
    lead = enter_for(client, run)

    shown = text_of(client, f"/runs/{run.pk}/skips/?reason=not_json")

    assert "&lt;script&gt;alert(1)" in shown
    assert "<script>alert" not in shown
    assert "\u202e" not in shown
    assert not Exposure.objects.filter(user=lead).exists()


def test_reasons_are_a_choice_where_there_are_several(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    with scripted(monkeypatch):
        run = judged(panel("prose", "prose", "pass"))
    enter_for(client, run)
    assert 'name="reason"' not in text_of(client, f"/runs/{run.pk}/skips/")

    Verdict.objects.filter(pk=Verdict.objects.filter(reason="not_json").earliest("pk").pk).update(
        reason="timeout"
    )

    chosen = text_of(client, f"/runs/{run.pk}/skips/")
    assert "any (2)" in chosen
    assert "timeout (1)" in chosen
    assert "rate limit" not in chosen


def test_a_reason_that_no_reply_has_lists_none(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted(monkeypatch):
        run = judged(panel("pass", "prose", "pass"))
    enter_for(client, run)

    assert "There is no such reply" in text_of(client, f"/runs/{run.pk}/skips/?reason=timeout")


def test_verdicts_are_closed_until_opened_and_that_is_logged(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    with scripted(monkeypatch):
        run = judged(panel("pass", "fail", "pass"), 2)
    lead = enter_for(client, run)
    address = f"/runs/{run.pk}/verdicts/"
    assert "0 shown to you, here or on another page; 2 still closed" in text_of(client, address)
    assert "As scripted." not in text_of(client, address)

    client.post(address)

    assert "2 shown to you, here or on another page; 0 still closed" in text_of(client, address)
    assert Exposure.objects.filter(user=lead, what="verdicts").count() == 2
    assert not Exposure.objects.filter(what="labels").exists()


def test_only_verdicts_asked_for_are_opened(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted(monkeypatch):
        run = judged(panel("fail", "fail"), 2)
    lead = enter_for(client, run)

    client.post(f"/runs/{run.pk}/verdicts/?outcome=pass")

    assert not Exposure.objects.filter(user=lead).exists()


def test_opened_verdicts_cost_the_same_however_many(client: Client) -> None:
    costs = []
    for number in (2, 8):
        run = make_run(make_panel([make_judge(), make_judge()]), make_criteria_set(), a=number)
        enter_for(client, run)
        client.post(f"/runs/{run.pk}/verdicts/")
        costs.append(queries_of(client, f"/runs/{run.pk}/verdicts/"))

    assert costs[0] == costs[1]


def test_a_paused_run_says_why_and_resumes(client: Client) -> None:
    run = scoring(make_judge(), rows(1))
    enter_for(client, run)
    pause_run(run_id=run.pk, reason=PauseReason.BUDGET_SPENT, detail="3 calls so far.")

    shown = text_of(client, f"/runs/{run.pk}/")
    assert "Resume it with a higher one." in shown
    assert "3 calls so far." in shown

    client.post(f"/runs/{run.pk}/resume/", {"max_calls": "10"})

    run.refresh_from_db()
    assert (run.state, run.max_calls) == ("running", 10)


def test_a_run_without_a_known_price_goes_on_with_a_budget_in_calls(client: Client) -> None:
    run = scoring(make_judge(), rows(1), max_cost=Decimal(1))
    enter_for(client, run)
    pause_run(run_id=run.pk, reason=PauseReason.PRICE_UNKNOWN)

    client.post(f"/runs/{run.pk}/resume/", {"max_calls": "10"})

    run.refresh_from_db()
    assert (run.state, run.max_calls, run.max_cost) == ("running", 10, None)


def test_a_budget_of_nothing_is_refused_in_place(client: Client) -> None:
    run = scoring(make_judge(), rows(1))
    enter_for(client, run)
    pause_run(run_id=run.pk, reason=PauseReason.BUDGET_SPENT)

    answer = client.post(f"/runs/{run.pk}/resume/", {"max_calls": "0"})

    assert answer.status_code == 422
    assert "greater than or equal to 1" in answer.content.decode()


def test_a_run_is_cancelled_once(client: Client) -> None:
    run = scoring(make_judge(), rows(1))
    enter_for(client, run)

    client.post(f"/runs/{run.pk}/cancel/")
    again = client.post(f"/runs/{run.pk}/cancel/", follow=True)

    run.refresh_from_db()
    assert run.state == "cancelled"
    assert "This run is cancelled already" in again.content.decode()


def test_the_list_costs_the_same_however_long(client: Client) -> None:
    criteria_set = rows(2)
    enter(client, criteria_set)
    for _ in range(2):
        scoring(make_judge(), criteria_set)
    few = queries_of(client, "/runs/")
    for _ in range(8):
        scoring(make_judge(), criteria_set)

    assert queries_of(client, "/runs/") == few
    assert text_of(client, "/runs/").count("0 of 2") == 10


def test_what_there_is_only_one_of_is_chosen_already(client: Client) -> None:
    criteria_set, judge = golden(), make_judge("careful")
    enter(client, criteria_set)

    page = text_of(client, f"/runs/new/?judge_version={judge.pk}&rows=tune&repeats=3")

    assert f'<option value="{live(criteria_set).pk}" selected>' in page
    assert "This field is required" not in page
