"""The pages of webhooks: for the set's leads, nothing secret unasked, hostile answers shown as text."""

import re

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks

from judging.models import Delivery, Webhook
from judging.services.delivering import claim_due, finish
from judging.services.posting import Answer
from judging.services.webhooks import secrets_of, send_test
from labeling.models import AuditEvent, CriteriaSet
from tests.factories import make_criteria_set, make_judge, make_user
from tests.judging.dashboards import certify, text
from tests.judging.receiving import make_webhook

pytestmark = pytest.mark.django_db

ALL = "/sets/replies/webhooks/"
BACKEND = "django.contrib.auth.backends.ModelBackend"


@pytest.fixture
def criteria_set() -> CriteriaSet:
    return make_criteria_set("replies")


@pytest.fixture
def webhook(criteria_set: CriteriaSet) -> Webhook:
    return make_webhook(criteria_set, "https://example.org/hook")


@pytest.fixture
def lead(client: Client, criteria_set: CriteriaSet) -> User:
    """Logged in."""
    found = make_user("lena", lead_of=criteria_set)
    client.force_login(found, backend=BACKEND)
    return found


def addresses(webhook: Webhook, message: int = 1) -> dict[str, list[str]]:
    one = f"{ALL}{webhook.pk}/"
    posts = [one + each for each in ("secret/", "new-secret/", "switch/", "test/", "delete/")]
    return {
        "get": [ALL, one, f"{one}messages/{message}/"],
        "post": [ALL, *posts, f"{one}messages/{message}/replay/"],
    }


def test_strangers_and_labelers_see_and_change_nothing(client: Client, webhook: Webhook) -> None:
    sent = send_test(webhook=webhook, now=timezone.now())
    other = make_criteria_set("other")
    people = {404: make_user(lead_of=other), 403: make_user(labels=webhook.criteria_set)}

    for status, person in people.items():
        client.force_login(person, backend=BACKEND)
        for method, urls in addresses(webhook, sent.pk).items():
            for url in urls:
                assert getattr(client, method)(url).status_code == status, url

    assert Webhook.objects.get().is_on
    assert Delivery.objects.count() == 1


def test_the_webhooks_of_another_set_are_not_found_through_ones_own(client: Client, webhook: Webhook) -> None:
    sent = send_test(webhook=webhook, now=timezone.now())
    client.force_login(make_user(lead_of=make_criteria_set("other")), backend=BACKEND)

    for method, urls in addresses(webhook, sent.pk).items():
        for url in urls[1:]:
            assert getattr(client, method)(url.replace("replies", "other")).status_code == 404, url


def test_a_message_is_found_through_its_own_webhook_only(
    client: Client, lead: User, webhook: Webhook, criteria_set: CriteriaSet
) -> None:
    sent = send_test(webhook=make_webhook(criteria_set, "https://example.org/2"), now=timezone.now())

    assert client.get(f"{ALL}{webhook.pk}/messages/{sent.pk}/").status_code == 404


def test_an_empty_page_says_what_to_do(client: Client, lead: User) -> None:
    assert "Add the first address here" in text(client.get(ALL))
    assert f'href="{ALL}"' in text(client.get("/sets/replies/settings/"))


def test_a_lead_adds_one_and_is_told_to_test_it(client: Client, lead: User) -> None:
    answer = client.post(ALL, {"url": "https://example.org/hook", "description": "stops the release"})

    made = Webhook.objects.get()
    assert (answer.status_code, answer["Location"]) == (302, f"{ALL}{made.pk}/")
    assert (made.created_by, made.is_on, made.description) == (lead, True, "stops the release")
    page = text(client.get(answer["Location"]))
    assert "Send a test message" in page
    assert "Nothing was sent yet." in page


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("", "This field is required."),
        ("http://10.0.0.1/", "10.0.0.1 is an address inside a network"),
        ("ftp://example.org/", "The address must begin with https:// or http://."),
        ("https://user:pw@example.org/", "Leave out user name, password"),
        ("https://example.org/" + "x" * 500, "at most 500 characters"),
    ],
)
def test_a_wrong_address_has_its_sentence(client: Client, lead: User, url: str, sentence: str) -> None:
    answer = client.post(ALL, {"url": url})

    assert answer.status_code == 422
    assert sentence in answer.context["form"].errors["url"][0]
    assert not Webhook.objects.exists()


@pytest.mark.parametrize("description", ["a\x1b[31mb", "a\u202eb", "a\u200bb"])
def test_what_nobody_can_see_is_no_description(client: Client, lead: User, description: str) -> None:
    answer = client.post(ALL, {"url": "https://example.org/hook", "description": description})

    assert answer.status_code == 422
    assert not Webhook.objects.exists()


def test_only_administrators_have_one_told_of_every_set(client: Client, lead: User) -> None:
    form = {"url": "https://example.org/", "every_set": "on"}
    client.post(ALL, form)
    client.force_login(User.objects.create_superuser("ada"), backend=BACKEND)
    client.post(ALL, form)

    assert sorted(each.criteria_set is None for each in Webhook.objects.all()) == [False, True]
    assert "told of every criteria set" in text(client.get(ALL))
    client.force_login(lead, backend=BACKEND)
    assert "told of every criteria set" not in text(client.get(ALL))


def test_the_secret_is_shown_when_it_is_asked_for_and_that_is_recorded(
    client: Client, lead: User, webhook: Webhook
) -> None:
    (secret,) = secrets_of(webhook, timezone.now())
    assert secret not in text(client.get(f"{ALL}{webhook.pk}/"))

    answer = client.post(f"{ALL}{webhook.pk}/secret/")

    assert f'<pre class="shown code" id="secret">{secret}</pre>' in text(answer).replace("&#x3D;", "=")
    assert "no-store" in answer["Cache-Control"] or "private" in answer["Cache-Control"]
    told = AuditEvent.objects.latest("pk")
    assert (told.action, told.actor) == ("webhook_secret_shown", lead)


def test_a_changed_secret_is_shown_with_how_long_the_one_before_counts(
    client: Client, lead: User, webhook: Webhook
) -> None:
    (old,) = secrets_of(webhook, timezone.now())

    page = text(client.post(f"{ALL}{webhook.pk}/new-secret/"))

    webhook.refresh_from_db()
    assert secrets_of(webhook, timezone.now())[0] in page
    assert old not in page
    assert "messages are signed with the secret before, too" in page


def test_a_test_message_is_written_and_a_worker_woken(
    client: Client,
    lead: User,
    webhook: Webhook,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    with django_capture_on_commit_callbacks() as called:
        answer = client.post(f"{ALL}{webhook.pk}/test/")

    sent = Delivery.objects.get()
    assert answer["Location"] == f"{ALL}{webhook.pk}/messages/{sent.pk}/"
    assert len(called) == 1
    page = text(client.get(answer["Location"]))
    assert "Not tried yet. A worker sends it within seconds." in page
    assert "No worker is seen" in page
    assert "This is a test. No certificate has changed." in page


def test_switched_off_it_says_so_and_takes_no_test(client: Client, lead: User, webhook: Webhook) -> None:
    client.post(f"{ALL}{webhook.pk}/switch/")
    assert "It is switched off" in text(client.get(f"{ALL}{webhook.pk}/"))
    answer = client.post(f"{ALL}{webhook.pk}/test/", follow=True)
    assert "Switch it on first." in text(answer)

    client.post(f"{ALL}{webhook.pk}/switch/", {"on": "1"})

    assert Webhook.objects.get().is_on


def test_every_try_is_shown_with_what_came_back_as_text(client: Client, lead: User, webhook: Webhook) -> None:
    sent = send_test(webhook=webhook, now=timezone.now())
    (claimed,) = claim_due(timezone.now())
    hostile = "<script>alert(1)</script>\u202e"
    finish(claimed, Answer("It answered with status 500.", 500, hostile, "93.184.215.14"), timezone.now())

    page = text(client.get(f"{ALL}{webhook.pk}/messages/{sent.pk}/"))

    assert "It answered with status 500." in page
    assert "1 of 10" in page
    assert "at 93.184.215.14" in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "\u202e" not in page
    assert "tried again at" in page


def test_a_message_is_sent_again_by_a_button(client: Client, lead: User, webhook: Webhook) -> None:
    sent = send_test(webhook=webhook, now=timezone.now())
    url = f"{ALL}{webhook.pk}/messages/{sent.pk}/"
    assert "still being sent" in text(client.post(f"{url}replay/", follow=True))
    Delivery.objects.update(state="delivered")
    assert "Send it again" in text(client.get(url))

    answer = client.post(f"{url}replay/", follow=True)

    assert f'as <a href="{url}">message {sent.pk}</a> was before' in text(answer)
    assert Delivery.objects.latest("pk").message_id == sent.message_id


def test_deleted_it_is_gone_with_its_log(client: Client, lead: User, webhook: Webhook) -> None:
    send_test(webhook=webhook, now=timezone.now())

    answer = client.post(f"{ALL}{webhook.pk}/delete/", follow=True)

    assert "The webhook is deleted" in text(answer)
    assert not Webhook.objects.exists()
    assert not Delivery.objects.exists()


def test_more_webhooks_and_messages_are_no_more_queries(
    client: Client, lead: User, webhook: Webhook, criteria_set: CriteriaSet
) -> None:
    def queries(url: str) -> int:
        with CaptureQueriesContext(
            connection,
        ) as ran:
            assert client.get(url).status_code == 200
        return len(ran)

    certify(make_judge("strict"), criteria_set, a=28, d=28)
    urls = [ALL, f"{ALL}{webhook.pk}/"]
    before = [queries(url) for url in urls]

    for number in range(5):
        send_test(webhook=make_webhook(criteria_set, f"https://example.org/{number}"), now=timezone.now())
        send_test(webhook=webhook, now=timezone.now())

    assert [queries(url) for url in urls] == before


def test_the_page_of_messages_pages(client: Client, lead: User, webhook: Webhook) -> None:
    for _ in range(26):
        send_test(webhook=webhook, now=timezone.now())

    page = client.get(f"{ALL}{webhook.pk}/?page=2")

    assert len(re.findall(r"/messages/\d+/", text(page))) == 1


def test_a_message_is_told_in_words_with_its_versions() -> None:
    told = {"judge": "strict", "judge_version": 2, "criteria": "replies", "criteria_version": 3}
    message = Delivery(event="certificate.updated", payload={"type": "certificate.updated", "data": told})
    test = Delivery(event="webhook.test", payload={"data": {"message": "This is a test."}})

    assert (message.event_words, message.about) == (
        "the reasons or the expiry changed",
        "strict@2 on replies@3",
    )
    assert (test.event_words, test.about) == ("a test message", "")
