"""The pages of a run that show single rows: what failed and is asked again, and where a judge flips."""

import re

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from pytest_django import DjangoCaptureOnCommitCallbacks

from judging.models import Run, SkippedAttempt, Verdict
from judging.services.retrying import retry_skipped
from labeling.models import Exposure
from tests.factories import make_criteria_set, make_judge, make_panel, make_user
from tests.judging.golden import certified, make_run
from tests.judging.repeating import make_repeats

pytestmark = pytest.mark.django_db


@pytest.fixture
def client() -> Client:
    return Client()


def enter(client: Client, run: Run) -> User:
    lead = make_user(lead_of=run.criteria_version.criteria_set)
    client.force_login(lead, backend="django.contrib.auth.backends.ModelBackend")
    return lead


def text_of(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200
    return re.sub(r"\s+", " ", response.content.decode())


def queries_of(client: Client, address: str) -> int:
    with CaptureQueriesContext(connection) as captured:
        client.get(address)
    return len(captured)


def skipping(**cells: int) -> Run:
    panel = make_panel([make_judge("one"), make_judge("two")])
    return make_run(panel, make_criteria_set(), a=2, skipped_fail=cells.get("skipped", 2), kind="scoring")


def test_answers_that_failed_for_a_passing_reason_are_asked_again_by_a_button(
    client: Client, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    run = skipping()
    enter(client, run)
    shown = text_of(client, f"/runs/{run.pk}/")
    assert "Ask again about 4 answers that failed for a passing reason" in shown
    assert "<code>timeout</code> 4" in shown

    with django_capture_on_commit_callbacks() as told:
        answer = client.post(f"/runs/{run.pk}/retry/")

    assert (answer.headers["Location"], len(told)) == (f"/runs/{run.pk}/", 1)
    assert run.verdicts.filter(outcome="pending").count() == 6
    shown = text_of(client, f"/runs/{run.pk}/")
    assert "Ask again about" not in shown
    assert "4 answers. <a href=" in shown
    again = client.post(f"/runs/{run.pk}/retry/", follow=True)
    assert "Only a finished run can be asked again" in again.content.decode()


def test_without_such_answers_there_is_no_button(client: Client) -> None:
    run = skipping()
    run.verdicts.filter(outcome="skipped").update(reason="refused")
    enter(client, run)

    assert "Ask again" not in text_of(client, f"/runs/{run.pk}/")


def test_asking_again_is_for_the_sets_leads_and_their_own_forms() -> None:
    run = skipping()
    strict, address = Client(enforce_csrf_checks=True), f"/runs/{run.pk}/retry/"
    backend = "django.contrib.auth.backends.ModelBackend"
    labeler, stranger = (
        make_user(labels=run.criteria_version.criteria_set),
        make_user(lead_of=make_criteria_set()),
    )

    enter(strict, run)
    assert strict.post(address).status_code == 403
    for user, status in ((labeler, 403), (stranger, 404)):
        client = Client()
        client.force_login(user, backend=backend)
        assert client.post(address).status_code == status
        assert client.get(address).status_code == 405
    assert not SkippedAttempt.objects.exists()


def test_a_reply_is_shown_whole_with_what_came_before_it(client: Client) -> None:
    run = skipping(skipped=1)
    skip = run.verdicts.filter(kind="juror", outcome="skipped").first()
    assert skip is not None
    Verdict.objects.filter(pk=skip.pk).update(
        reason="missing_criterion",
        detail="Nothing about tone.",
        raw_reply='{"criteria": []}',
        raw_cut=True,
        rejected_reply="Well, <b>fine</b>.",
        rejected_reason="not_json",
        calls=4,
        resends=2,
        corrections=1,
    )
    enter(client, run)

    shown = text_of(client, f"/runs/{run.pk}/skips/?reason=missing_criterion")

    for words in (
        "The reply scores fewer criteria",
        "Nothing about tone.",
        "4 calls, 2 of them resent after a failure on the way, one of them to correct the reply",
        "cut after 16 characters",
        "The reply is not exactly one JSON object",
        "Well, &lt;b&gt;fine&lt;/b&gt;.",
        reverse("candidate", args=[run.criteria_version.criteria_set.slug, skip.candidate_id]),
    ):
        assert words in shown
    assert "human" not in shown.lower()


@pytest.mark.parametrize(
    ("first", "said"),
    [("", "to correct that: an empty reply"), ("x" * 20_000, "to correct that, cut after 20,000 characters")],
    ids=["empty", "cut"],
)
def test_a_first_reply_that_was_empty_or_cut_is_called_so(client: Client, first: str, said: str) -> None:
    run = skipping(skipped=1)
    enter(client, run)
    skips = run.verdicts.filter(kind="juror", outcome="skipped")
    skips.update(corrections=1, rejected_reply=first, rejected_reason="not_json")

    assert said in text_of(client, f"/runs/{run.pk}/skips/")


def test_an_empty_reply_and_an_earlier_one_that_was_cut_are_called_so(client: Client) -> None:
    run = skipping(skipped=1)
    lead = enter(client, run)
    run.verdicts.filter(kind="juror", outcome="skipped").update(raw_reply="x" * 20_000)
    retry_skipped(run=run, actor=lead)
    run.verdicts.filter(kind="juror", outcome="pending").update(
        outcome="skipped", reason="empty_reply", raw_reply="", filled_at=run.created_at
    )

    shown = text_of(client, f"/runs/{run.pk}/skips/")

    assert "It answered with an empty reply." in shown
    assert "What it replied, cut after 20,000 characters" in shown


def test_replies_are_chosen_by_reason_and_by_juror(client: Client) -> None:
    run = skipping()
    one = run.judge_version.jurors()[0]
    run.verdicts.filter(kind="juror", outcome="skipped").exclude(judge_version=one).update(reason="refused")
    enter(client, run)

    of_one = text_of(client, f"/runs/{run.pk}/skips/?juror={one.pk}")
    both = text_of(client, f"/runs/{run.pk}/skips/?juror={one.pk}&reason=refused")

    assert of_one.count("<article") == 2
    assert "The judge declined" not in of_one
    assert "There is no such reply" in both
    assert text_of(client, f"/runs/{run.pk}/skips/").count("<article") == 4
    assert client.get(f"/runs/{run.pk}/skips/?juror=nobody&show=x").status_code == 200


def test_earlier_attempts_stand_under_their_row_whatever_came_of_it(client: Client) -> None:
    run = skipping(skipped=1)
    lead = enter(client, run)
    retry_skipped(run=run, actor=lead)
    first, second = run.verdicts.filter(kind="juror", outcome="pending").order_by("pk")
    for verdict, outcome, reason in ((first, "fail", ""), (second, "skipped", "unavailable")):
        Verdict.objects.filter(pk=verdict.pk).update(outcome=outcome, reason=reason, filled_at=run.created_at)

    left = text_of(client, f"/runs/{run.pk}/skips/")
    again = text_of(client, f"/runs/{run.pk}/skips/?show=again")

    assert left.count("<article") == 1
    assert f"by {lead.username}: <code>timeout</code>" in left
    assert again.count("<article") == 2
    assert "answered when asked again" in again
    assert ">fail<" not in again


def test_failures_cost_the_same_number_of_queries_however_many(client: Client) -> None:
    few, many = skipping(skipped=3), skipping_more()
    for run in (few, many):
        enter(client, run)
        retry_skipped(run=run)
        run.verdicts.filter(kind="juror", outcome="pending").update(
            outcome="skipped", reason="timeout", filled_at=run.created_at
        )

    counts = []
    for run in (few, many):
        enter(client, run)
        counts.append((queries_of(client, f"/runs/{run.pk}/"), queries_of(client, f"/runs/{run.pk}/skips/")))
    assert counts[0] == counts[1]


def skipping_more() -> Run:
    panel = make_panel([make_judge(), make_judge()])
    return make_run(panel, make_criteria_set(), a=2, skipped_fail=9, kind="scoring")


def test_the_last_failures_stand_on_the_run_itself(client: Client) -> None:
    run = skipping(skipped=4)
    enter(client, run)

    shown = text_of(client, f"/runs/{run.pk}/")

    assert "What failed last" in shown
    listed = re.findall(r'<ul class="failures">.*?</ul>', shown, re.DOTALL)[0]
    assert listed.count(">Row ") == 5
    # What is alike stands together, by juror.
    assert re.findall(r"(\d) ×", listed) in (["3", "2"], ["2", "3"])
    assert listed.count("one@1 ·") == listed.count("two@1 ·") == 1


def test_a_judge_that_flips_is_told_what_that_costs(client: Client) -> None:
    run = make_repeats(make_judge("wobbly"), make_criteria_set(), ["PF"] * 10 + ["PP"] * 10 + ["SP"])
    enter(client, run)

    shown = text_of(client, f"/runs/{run.pk}/")

    assert "It flips more than it should." in shown
    assert (
        "It passed and failed 10 of 20 rows, each asked about 2 times. 1 more row has fewer than two" in shown
    )
    assert "gives two different verdicts 50% of the time" in shown
    assert "no more than about 50%" in shown
    assert "42 of 42 answers done" in shown
    assert "1 of 2 pass: 10 rows" in shown


def test_a_judges_page_says_how_steady_each_version_and_juror_is(client: Client) -> None:
    criteria_set, judge = make_criteria_set(), make_judge("wobbly")
    panel = make_panel([judge, make_judge("calm")], "council")
    own = make_repeats(judge, criteria_set, ["PPP"] * 60)
    make_repeats(panel, criteria_set, ["PP", "FF"], jurors=[["PF", "FF"], ["PP", "FF"]])
    enter(client, own)

    of_judge, of_panel = text_of(client, "/judges/wobbly/"), text_of(client, "/judges/council/")

    assert "juror of council" in of_judge
    assert "It hardly contradicts itself." not in of_judge  # sixty rows are too few to say so
    assert "0 of 60 rows" in of_judge
    assert "calm" not in of_judge
    assert of_panel.count("juror of council") == 2
    assert f"kind=consistency&amp;judge_version={judge.pk}&amp;repeats=3" in of_judge


def test_a_judge_that_was_never_asked_twice_says_so(client: Client) -> None:
    run = make_repeats(make_judge("other"), make_criteria_set(), ["PP"])
    make_judge("new")
    enter(client, run)

    assert "Nobody knows yet" in text_of(client, "/judges/new/")


def test_rows_that_flip_and_certify_stay_closed_until_they_are_opened(client: Client) -> None:
    run = make_repeats(make_judge(), make_criteria_set(), ["PF", "PP"], split="certify")
    lead = enter(client, run)
    secret = run.verdicts.order_by("pk")[0].candidate

    closed = text_of(client, f"/runs/{run.pk}/flips/")
    assert secret.output not in closed
    assert "0 shown" in closed
    assert "1 still closed" in closed
    assert not Exposure.objects.exists()

    client.post(f"/runs/{run.pk}/flips/")
    opened = text_of(client, f"/runs/{run.pk}/flips/")
    assert secret.output in opened
    assert Exposure.objects.get(user=lead, what="verdicts").candidate == secret


def test_rows_for_tuning_that_flip_are_shown_and_noted(client: Client) -> None:
    run = make_repeats(make_judge(), make_criteria_set(), ["PFS", "PPP"])
    lead = enter(client, run)

    shown = text_of(client, f"/runs/{run.pk}/flips/")

    assert shown.count("<article") == 1
    assert "<code>timeout</code>" in shown
    assert Exposure.objects.filter(user=lead).count() == 1


def test_only_runs_that_repeat_have_rows_that_flip(client: Client) -> None:
    run, repeated = skipping(), make_repeats(make_judge(), make_criteria_set(), ["PF"])
    enter(client, run)

    assert client.get(f"/runs/{run.pk}/flips/").status_code == 404
    for method in (client.get, client.post):
        assert method(f"/runs/{repeated.pk}/flips/").status_code == 404


def test_the_button_on_a_judges_page_leads_to_the_form_filled_in(client: Client) -> None:
    judge, criteria_set = make_judge("wobbly"), make_criteria_set()
    run = make_run(judge, criteria_set, a=30, d=30)
    certified(run)
    enter(client, run)
    found = re.search(r'href="(/runs/new/[^"]+)">How steady is it', text_of(client, "/judges/wobbly/"))
    assert found is not None

    shown = text_of(client, found[1].replace("&amp;", "&"))

    assert "<dt>Rows, 3 times</dt>" in shown
    assert "Start the run" in shown


def test_a_long_failure_is_cut_before_hidden_characters_are_shown_never_inside_their_markup(
    client: Client,
) -> None:
    run = skipping(skipped=1)
    run.verdicts.update(detail="\u202e." * 200)
    enter(client, run)

    shown = re.findall(r'<ul class="failures">.*?</ul>', text_of(client, f"/runs/{run.pk}/"))[0]

    assert 'class="token"' in shown
    assert shown.count("<span") == shown.count("</span>")
    assert not re.search(r"<[^<>]*<", shown)
