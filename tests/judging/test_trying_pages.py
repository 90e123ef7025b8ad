"""The pages on which a judge is tried: what is offered, what is refused, what is shown, to whom."""

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django.fixtures import Settings

from judging.models import JudgeVersion, Trial, WorkerSeen
from judging.services.trials import start_trial
from judging.services.trying import answer_trial
from judging.tasks import send_trial, try_judge
from labeling.models import CriteriaSet, Exposure
from tests.factories import live, make_candidate, make_criteria_set, make_ruling, make_user
from tests.judging.running import KEY, URL, juror, panel, scripted

pytestmark = pytest.mark.django_db


@pytest.fixture
def criteria_set() -> CriteriaSet:
    return make_criteria_set("replies")


@pytest.fixture
def lead(criteria_set: CriteriaSet) -> User:
    return make_user("lead", lead_of=criteria_set)


@pytest.fixture
def as_lead(lead: User, client: Client) -> Client:
    client.force_login(lead)
    return client


def see_a_worker(*variables: str) -> None:
    WorkerSeen.objects.create(name="a:1", seen_at=timezone.now(), variables=list(variables))


def text_of(client: Client, address: str, **headers: str) -> str:
    response = client.get(address, headers=headers)
    assert response.status_code == 200
    return re.sub(r"\s+", " ", response.content.decode())


def try_address(judge: JudgeVersion) -> str:
    return f"/judges/{judge.judge.slug}/try/"


def trial_address(trial: Trial) -> str:
    return f"/judges/{trial.judge_version.judge.slug}/trials/{trial.pk}/"


def waiting(judge: JudgeVersion, lead: User, criteria_set: CriteriaSet, row: int | None = None) -> Trial:
    texts = None if row else {"request": "Say hello.", "output": "Hello!"}
    return start_trial(
        judge_version=judge, criteria_version=live(criteria_set), row=row, texts=texts, actor=lead
    )


def test_a_tune_row_stands_ready_and_is_asked_about(as_lead: Client, criteria_set: CriteriaSet) -> None:
    new, tune = make_candidate(criteria_set), make_candidate(criteria_set, split="tune")
    judge = juror()

    text = text_of(as_lead, try_address(judge))
    assert re.findall(r'<option value="(\d+)">\d+ \((\w+)\)', text) == [
        (str(tune.pk), "tune"),
        (str(new.pk), "unlabelled"),
    ]
    answer = as_lead.post(try_address(judge), {"row": tune.pk})

    trial = Trial.objects.get()
    assert answer.headers["Location"] == trial_address(trial)
    assert (trial.candidate, trial.judge_version, trial.state) == (tune, judge, "waiting")


def test_ones_own_text_goes_before_the_row(as_lead: Client, criteria_set: CriteriaSet) -> None:
    row = make_candidate(criteria_set)

    as_lead.post(try_address(juror()), {"row": row.pk, "output": "Mine.", "request": "Yours?"})

    trial = Trial.objects.get()
    assert (trial.candidate, trial.texts["output"], trial.texts["request"]) == (None, "Mine.", "Yours?")


def test_what_is_pasted_is_tried_with_the_ends_of_lines_that_rows_have(
    as_lead: Client, criteria_set: CriteriaSet
) -> None:
    as_lead.post(try_address(juror()), {"output": "One.\r\nTwo."})

    assert Trial.objects.get().texts["output"] == "One.\nTwo."


def test_without_a_row_to_offer_an_example_stands_ready(as_lead: Client, criteria_set: CriteriaSet) -> None:
    make_ruling(make_candidate(criteria_set))
    judge = juror()

    text = text_of(as_lead, try_address(judge))

    assert "There is no row to choose" in text
    assert "Hello, and welcome!" in text


@pytest.mark.parametrize("what", [{}, {"row": "999"}, {"output": "x" * 100_001}])
def test_what_cannot_be_tried_is_refused_in_place(
    as_lead: Client, criteria_set: CriteriaSet, what: dict[str, str]
) -> None:
    make_candidate(criteria_set)

    assert as_lead.post(try_address(juror()), what).status_code == 422

    assert not Trial.objects.exists()


def test_a_row_that_certifies_is_refused_and_the_page_says_why(
    as_lead: Client, criteria_set: CriteriaSet
) -> None:
    golden = make_candidate(criteria_set, "Golden.")
    make_ruling(golden)

    answer = as_lead.post(try_address(juror()), {"request": golden.request, "output": "Golden."})

    assert answer.status_code == 422
    assert "certifies judges, so no judge is tried on it" in answer.content.decode()
    assert not Exposure.objects.exists()


def test_criteria_of_a_set_that_one_does_not_lead_are_not_found(as_lead: Client) -> None:
    other = live(make_criteria_set())

    for answer in (as_lead.get, as_lead.post):
        assert answer(f"{try_address(juror())}?criteria_version={other.pk}").status_code == 404


def test_strangers_find_no_trial_and_labelers_are_refused(
    client: Client, lead: User, criteria_set: CriteriaSet
) -> None:
    trial = waiting(juror(), lead, criteria_set)
    elsewhere = make_user(lead_of=make_criteria_set())

    for user, status in ((make_user(), 404), (elsewhere, 404), (make_user(labels=criteria_set), 403)):
        client.force_login(user)
        assert client.get(trial_address(trial)).status_code == status


def test_who_is_logged_out_meanwhile_logs_in_on_the_whole_page(
    client: Client, lead: User, criteria_set: CriteriaSet
) -> None:
    address = trial_address(waiting(juror(), lead, criteria_set))

    part = client.get(address, headers={"HX-Request": "true"})

    assert (part.status_code, part.headers["HX-Refresh"], part.content) == (204, "true", b"")
    assert client.get(address).headers["Location"] == f"/accounts/login/?next={address}"


def test_while_it_waits_the_page_asks_again_and_says_that_no_worker_is_seen(
    as_lead: Client, lead: User, criteria_set: CriteriaSet
) -> None:
    trial = waiting(juror(), lead, criteria_set)
    Trial.objects.filter(pk=trial.pk).update(asked_at=timezone.now() - timedelta(seconds=7))

    text = text_of(as_lead, trial_address(trial), **{"HX-Request": "true"})
    assert text.lstrip().startswith("<section")
    assert f'hx-get="{trial_address(trial)}"' in text
    assert "For a worker, for 7 s now." in text
    assert "No worker is seen" in text

    see_a_worker()
    assert "No worker is seen" not in text_of(as_lead, trial_address(trial))


def test_an_answer_is_shown_whole_and_without_the_key(
    as_lead: Client, lead: User, criteria_set: CriteriaSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    with scripted(monkeypatch):
        trial = waiting(panel("pass", "fail", "garbage"), lead, criteria_set)
        try_judge(trial.pk)

    text = text_of(as_lead, trial_address(trial))

    for said in (
        "abstains",
        "No strict majority",
        "As scripted.",
        "Do it again.",
        "The reply is not exactly one JSON object",
        "=== BEGIN CANDIDATE",
        "%% {score: 1, ]]",
    ):
        assert said in text
    assert "hx-get" not in text
    assert "sk-test" not in text
    assert "None" not in text


def test_a_hostile_reply_is_shown_as_text(
    as_lead: Client, lead: User, criteria_set: CriteriaSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = make_candidate(criteria_set, "<script>alert(1)</script>", split="tune")
    with scripted(monkeypatch):
        trial = waiting(juror("echo"), lead, criteria_set, row.pk)
        answer_trial(trial.pk)

    text = text_of(as_lead, trial_address(trial))

    assert "&lt;script&gt;alert(1)" in text
    assert "<script>alert" not in text


def test_another_lead_who_reads_a_trial_on_a_row_has_seen_a_verdict(
    client: Client, lead: User, criteria_set: CriteriaSet
) -> None:
    row = make_candidate(criteria_set)
    trial = waiting(juror(), lead, criteria_set, row.pk)
    other = make_user(lead_of=criteria_set)
    client.force_login(other)

    client.get(trial_address(trial))

    assert Exposure.objects.filter(user=other, candidate=row, what="verdicts").count() == 1


def test_variables_are_missing_by_the_workers_own_word(
    as_lead: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (URL, KEY):
        monkeypatch.delenv(name, raising=False)
    judge = juror()
    assert "no worker is seen" in text_of(as_lead, try_address(judge))

    see_a_worker(KEY)
    text = text_of(as_lead, try_address(judge))
    assert f"<code>{URL}</code>, which holds an address. No worker has it." in text
    assert f"<code>{KEY}</code>" not in text
    assert f"export {URL}=&#x27;https://HOST/v1&#x27;" in text
    assert "export VERA_JUROR_HOSTS=" in text

    WorkerSeen.objects.create(name="a:2", seen_at=timezone.now(), variables=[KEY, URL])
    assert "1 of 2 worker processes do not have it." in text_of(as_lead, try_address(judge))


def test_in_the_demo_it_is_the_demo_that_is_started_again(
    as_lead: Client, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    for name in (URL, KEY):
        monkeypatch.delenv(name, raising=False)
    settings.VERA_DEMO = True
    judge = juror()

    for address in (try_address(judge), reverse("judge_connect", args=[judge.judge.slug])):
        text = text_of(as_lead, address)
        assert "nd the demo with Ctrl-C and start it again" in text
        assert "its data stays." in text
        assert "worker after" not in text
        assert "docker compose" not in text


def test_a_worker_that_does_not_say_what_it_has_is_not_taken_to_have_nothing(as_lead: Client) -> None:
    WorkerSeen.objects.create(name="old:1", seen_at=timezone.now())

    assert "Not connected yet" not in text_of(as_lead, try_address(juror()))


def test_a_trial_waits_when_the_broker_is_down(
    settings: object, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError("no broker")

    monkeypatch.setattr(try_judge, "apply_async", refuse)

    send_trial(7)

    assert "the workers find trial 7" in caplog.text
