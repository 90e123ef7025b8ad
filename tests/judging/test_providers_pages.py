"""The page of providers: a lead reads, an administrator sets limits; and a run says what it waits for."""

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from judging.domain.pacing import provider_words
from judging.models import JudgeVersion, ProviderLimit, ProviderShare, TakenFormat, WorkerSeen
from labeling.models import AuditEvent
from tests.factories import make_criteria_set, make_judge, make_user
from tests.judging.running import rows, scoring

pytestmark = pytest.mark.django_db

LIMITS = {"provider": "openai", "calls_in_flight": "4", "requests_per_minute": "60", "tokens_per_minute": ""}


def log_in(client: Client, user: User) -> Client:
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return client


@pytest.fixture
def as_lead(client: Client) -> Client:
    return log_in(client, make_user("lead", lead_of=make_criteria_set("replies")))


@pytest.fixture
def as_admin(client: Client) -> Client:
    return log_in(client, User.objects.create_superuser("root", password="secret"))


def page(client: Client, address: str = "") -> str:
    response = client.get(address or reverse("providers"))
    assert response.status_code == 200
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", response.content.decode()))


def test_strangers_find_nothing_and_labelers_are_refused(client: Client) -> None:
    for user, status in ((make_user(), 404), (make_user(labels=make_criteria_set()), 403)):
        log_in(client, user)
        for name in ("providers", "judge_add_local"):
            assert client.get(reverse(name)).status_code == status
        for name in ("provider_limits", "format_forget", "provider_ask_again"):
            assert client.post(reverse(name), LIMITS).status_code == status


def test_without_a_judge_the_page_says_how_to_get_one(as_lead: Client) -> None:
    assert "No provider yet" in page(as_lead)


def test_a_lead_reads_the_limits_and_may_not_set_them(as_lead: Client) -> None:
    make_judge("careful", model="openai/gpt")
    ProviderLimit.objects.create(provider="openai", requests_per_minute=60)

    shown = page(as_lead)
    refused = as_lead.post(reverse("provider_limits"), LIMITS)

    assert "careful" in shown
    assert "Requests a minute60" in shown.replace("minute ", "minute")
    assert refused.status_code == 403
    assert ProviderLimit.objects.get().calls_in_flight is None


def test_an_administrator_sets_limits_which_is_recorded(as_admin: Client) -> None:
    make_judge(model="openai/gpt")

    assert as_admin.post(reverse("provider_limits"), LIMITS).status_code == 302
    as_admin.post(reverse("provider_limits"), LIMITS)  # again, which changes nothing

    row = ProviderLimit.objects.get()
    assert (row.provider, row.calls_in_flight, row.requests_per_minute, row.tokens_per_minute) == (
        "openai",
        4,
        60,
        None,
    )
    [event] = AuditEvent.objects.filter(action="provider_limits_changed")
    assert (event.subject, event.details["after"]["requests_per_minute"]) == ("openai", 60)


@pytest.mark.parametrize(
    ("changed", "status", "said"),
    [
        ({"calls_in_flight": "0"}, 422, "greater than or equal to 1"),
        ({"requests_per_minute": "many"}, 422, "whole number"),
        ({"provider": "nobody"}, 404, ""),
    ],
)
def test_limits_that_cannot_be_are_refused_in_place(
    as_admin: Client, changed: dict[str, str], status: int, said: str
) -> None:
    make_judge(model="openai/gpt")

    response = as_admin.post(reverse("provider_limits"), LIMITS | changed)

    assert response.status_code == status
    assert said in response.content.decode()
    assert not ProviderLimit.objects.exists()


def test_what_is_closed_who_asks_and_formats_are_shown_and_a_format_is_forgotten(as_admin: Client) -> None:
    make_judge(model="openai/gpt")
    soon = timezone.now() + timedelta(minutes=5)
    limit = ProviderLimit.objects.create(provider="openai", calls_in_flight=9, closed_until=soon)
    ProviderShare.objects.create(limit=limit, worker="host:7", calls=5, lease_until=soon)
    TakenFormat.objects.create(model="openai/gpt", format="json", noted_at=timezone.now())

    shown = page(as_admin)
    as_admin.post(reverse("format_forget"), {"model": "openai/gpt", "base_url_env": ""})

    assert "No worker asks it before" in shown
    assert "host:7: 5" in shown
    assert "openai/gpt: JSON mode" in shown
    assert not TakenFormat.objects.exists()
    assert AuditEvent.objects.filter(action="response_format_forgotten").exists()


def test_a_provider_of_variables_is_called_in_words(as_lead: Client) -> None:
    version = make_judge(model="openai/m")
    JudgeVersion.objects.filter(pk=version.pk).update(
        base_url_env="VERA_JUROR_X_URL", api_key_env="VERA_JUROR_X"
    )

    shown = as_lead.get(reverse("providers")).text

    assert 'aria-label="VERA_JUROR_X_URL, key VERA_JUROR_X"' in shown
    assert "<h2>VERA_<wbr>JUROR_<wbr>X_<wbr>URL, key VERA_<wbr>JUROR_<wbr>X</h2>" in shown
    assert provider_words("llama3:8b") == "llama3:8b"


def test_an_administrator_has_a_closed_provider_asked_again_and_a_lead_does_not(
    as_lead: Client,
) -> None:
    make_judge(model="openai/gpt")
    ProviderLimit.objects.create(provider="openai", closed_until=timezone.now() + timedelta(hours=1))
    again = reverse("provider_ask_again")
    assert "Ask again now" not in page(as_lead)
    assert "An administrator can have it asked again" in page(as_lead)
    assert as_lead.post(again, {"provider": "openai"}).status_code == 403
    assert ProviderLimit.objects.get().closed_until is not None
    admin = log_in(Client(), User.objects.create_superuser("root"))
    assert "Ask again now" in page(admin)

    for _ in range(2):
        assert admin.post(again, {"provider": "openai"}).status_code == 302

    assert ProviderLimit.objects.get().closed_until is None
    assert "Ask again now" not in page(admin)
    [event] = AuditEvent.objects.filter(action="provider_reopened")
    assert (event.subject, event.actor.username if event.actor else "") == ("openai", "root")


def test_more_judges_cost_no_more_queries(as_admin: Client) -> None:
    def queries(judges: int) -> int:
        for number in range(judges):
            make_judge(model=f"p{number}-{judges}/m")
        with CaptureQueriesContext(connection) as asked:
            page(as_admin)
        return len(asked)

    assert queries(3) == queries(9)


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        (
            {"requests_per_minute": 60, "requests_due_at": 3},
            "the provider openai allows 60 requests a minute",
        ),
        ({"tokens_per_minute": 9000, "tokens_due_at": 3}, "allows 9,000 tokens a minute"),
        ({"closed_until": 90}, "the provider openai asked to be left alone until"),
    ],
)
def test_a_run_says_what_it_waits_for(as_lead: Client, columns: dict[str, int], said: str) -> None:
    criteria_set = rows(2)
    criteria_set.memberships.create(user=User.objects.get(username="lead"), role="lead")
    run = scoring(make_judge(model="openai/gpt"), criteria_set)
    WorkerSeen.objects.create(name="here:1", seen_at=timezone.now())
    address = reverse("run", args=[run.pk])
    assert "Waiting: the provider" not in page(as_lead, address)

    times = {
        name: timezone.now() + timedelta(seconds=n)
        for name, n in columns.items()
        if name[-3:] in ("_at", "til")
    }
    ProviderLimit.objects.create(provider="openai", **(columns | times))

    assert f"Waiting: {said}" in page(as_lead, address) or said in page(as_lead, address)
    assert JudgeVersion.objects.count() == 1
