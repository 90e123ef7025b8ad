"""The History page: every event with its cause, and the ways out of a suspension."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks

from judging.models import Certificate, Run
from judging.services.certification import golden_set_changed
from judging.services.disclosure import log_shown, open_rows
from judging.views.certificate_events import policy_words
from labeling.models import AuditEvent, CriteriaSet
from tests.factories import live, make_candidate, make_criteria_set, make_judge, make_user, make_version
from tests.judging.dashboards import certify, text
from tests.judging.golden import correct
from tests.judging.living import replay, suspended

pytestmark = pytest.mark.django_db

URL = "/dashboard/strict/replies/history/"
VERSIONS = "?judge_version=1&version=1"


@pytest.fixture
def criteria_set() -> CriteriaSet:
    return make_criteria_set("replies")


@pytest.fixture
def certificate(criteria_set: CriteriaSet) -> Certificate:
    return certify(make_judge("strict"), criteria_set, a=38, b=2, c=2, d=38)


@pytest.fixture
def lead(client: Client, criteria_set: CriteriaSet) -> User:
    """Logged in."""
    found = make_user("lena", lead_of=criteria_set)
    client.force_login(found, backend="django.contrib.auth.backends.ModelBackend")
    return found


def page(client: Client, query: str = "") -> str:
    answer = client.get(URL + query)
    assert answer.status_code == 200
    return text(answer)


def state() -> tuple[str, str]:
    newest = Certificate.objects.current().get()
    return newest.status, newest.cause


def test_a_judge_without_any_event_is_told_what_comes_first(client: Client, lead: User) -> None:
    make_judge("strict")

    said = page(client)

    assert "Now: never calibrated" in said
    assert "The first event comes with the first calibration of these versions." in said


def test_every_event_is_told_with_cause_figures_and_policy(
    client: Client, lead: User, certificate: Certificate
) -> None:
    row = certificate.calibration.rows.filter(truth="fail")[0].candidate
    correct(row, "pass")
    golden_set_changed(certificate.criteria_version, [row.pk])

    said = page(client)

    assert said.index("Labels or rulings were corrected") < said.index("A calibration run ended")
    assert "kappa <strong>0.900</strong>, 95% sure that it is above 0.786" in said
    assert "80 rows (40 good, 40 bad)" in said
    assert "attempt" not in said  # a judge's first version says nothing by its number
    assert "What was demanded: kappa has to reach 0.65;" in said
    assert "What is demanded from here on" not in said  # the second event was decided by the same


def test_the_policy_is_told_where_it_changed() -> None:
    before = {"bar": "0.650", "min_rows": 30, "demand_ordering": False, "looks": [30, 60], "rule": "bound"}
    after = {"bar": "0.700", "min_rows": 30, "demand_ordering": True, "looks": [30, 90], "rule": "bound"}

    assert policy_words(before, after) == [
        "kappa has to reach 0.7 (before: 0.65)",
        "the planned looks are at these numbers of rows: 30, 90 (before: 30, 60)",
        "it is demanded that good outputs are scored above deficient ones",
    ]
    assert policy_words(after, before)[-1].startswith("it is no longer demanded that good outputs")
    assert policy_words(after, after) == []
    assert policy_words({}, {"rule": "point", "looks": [30], "demand_ordering": False}) == [
        "the rule is “point”"
    ]


def test_a_suspension_says_why_since_when_and_what_leads_out_of_it(
    client: Client, lead: User, certificate: Certificate
) -> None:
    run = replay(certificate, wrong=20)
    replay(certificate)

    said = page(client)

    assert "Now: suspended" in said
    assert f"Golden replay {run.pk} came out at kappa 0.400, below the bar of 0.65" in said
    assert "1 of 2 golden replays in a row are passed" in said
    assert "kappa 0.900: passed" in said


def test_an_expiry_that_nobody_noted_yet_is_told_all_the_same(
    client: Client, lead: User, certificate: Certificate
) -> None:
    now = timezone.now()
    Certificate.objects.update(calibrated_at=now - timedelta(days=30), expires_at=now)

    assert "Now: expired" in page(client)


def test_a_lead_lifts_a_suspension_with_a_reason(
    client: Client, lead: User, certificate: Certificate
) -> None:
    suspended(certificate)

    answer = client.post(URL + "lift/" + VERSIONS, {"reason": "  The audit was of another product.  "})

    assert answer["Location"] == URL + VERSIONS
    lifted = Certificate.objects.current().get()
    assert (lifted.status, lifted.actor, lifted.note) == (
        "certified",
        lead,
        "The audit was of another product.",
    )
    event = AuditEvent.objects.get(action="suspension_lifted")
    assert (event.actor, event.details["reason"]) == (lead, "The audit was of another product.")
    assert event.details["suspended_for"] == ["drift_alarm: audit"]
    assert "by lena" in page(client)


@pytest.mark.parametrize("reason", ["", "   \n "])
def test_without_a_reason_nothing_is_lifted(
    client: Client, lead: User, certificate: Certificate, reason: str
) -> None:
    suspended(certificate)

    answer = client.post(URL + "lift/" + VERSIONS, {"reason": reason})

    assert answer.status_code == 422
    assert "Say why the suspension is lifted: whoever reads the history will ask." in text(answer)
    assert state() == ("uncertified", "drift")


def test_pressed_twice_the_second_is_told_that_there_is_nothing_to_lift(
    client: Client, lead: User, certificate: Certificate
) -> None:
    suspended(certificate)
    client.post(URL + "lift/", {"reason": "It was the audit."})

    answer = client.post(URL + "lift/", {"reason": "It was the audit."}, follow=True)

    assert "This judge is not suspended, so there is nothing to lift." in text(answer)
    assert Certificate.objects.filter(cause="reinstated").count() == 1


def test_replay_now_starts_one_run_however_often_it_is_pressed(
    client: Client,
    lead: User,
    certificate: Certificate,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    with django_capture_on_commit_callbacks() as called:
        first = client.post(URL + "replay/" + VERSIONS)
        second = client.post(URL + "replay/" + VERSIONS, follow=True)

    run = Run.objects.get(kind="replay")
    assert (first["Location"], run.created_by) == (f"/runs/{run.pk}/", lead)
    assert "A replay of these versions is at work already" in text(second)
    assert len(called) == 2


def test_what_cannot_be_replayed_says_why(client: Client, lead: User, certificate: Certificate) -> None:
    live(certificate.criteria_version.criteria_set).rulings.update(blind=False)

    answer = client.post(URL + "replay/", follow=True)

    assert "There are no golden rows of the certify split yet" in text(answer)


def test_who_opened_how_many_certify_rows_is_listed(
    client: Client, lead: User, certificate: Certificate, criteria_set: CriteriaSet
) -> None:
    open_rows(
        reader=lead, version=certificate.criteria_version, rows=certificate.calibration.rows.all(), most=7
    )
    tune = make_candidate(criteria_set, split="tune")
    log_shown(reader=make_user("otto"), version=certificate.criteria_version, candidate_ids=[tune.pk])
    suspended(certificate)

    said = page(client)

    assert '<th scope="row">lena</th><td class="num" data-label="Rows opened">7</td>' in said
    assert "otto" not in said
    assert "a verdict had been seen on 7 certify rows" in said
    assert "a verdict had been seen on 0 certify rows" in said


def test_many_events_come_in_pages_and_the_policy_is_compared_across_them(
    client: Client, lead: User, certificate: Certificate
) -> None:
    for _ in range(8):
        suspended(certificate)
        client.post(URL + "lift/", {"reason": "Once more."})

    first, second = page(client), page(client, "?page=2")

    assert first.count('class="badge certified"') + first.count('class="badge suspended"') == 15 + 1
    assert "What was demanded:" not in first
    assert "What was demanded: kappa has to reach 0.65;" in second


def test_another_version_has_a_history_of_its_own(
    client: Client, lead: User, certificate: Certificate, criteria_set: CriteriaSet
) -> None:
    make_version(criteria_set)

    assert "Nothing has happened yet." in page(client, "?judge_version=1&version=2")


@pytest.mark.parametrize("path", ["", "lift/", "replay/"])
def test_the_page_is_the_leads_and_others_change_nothing(
    client: Client, certificate: Certificate, criteria_set: CriteriaSet, path: str
) -> None:
    suspended(certificate)
    for user, status in ((make_user(labels=criteria_set), 403), (make_user(), 404)):
        client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
        ask = client.post if path else client.get
        assert ask(URL + path, {"reason": "Let me in."}).status_code == status

    assert state() == ("uncertified", "drift")
    assert not Run.objects.filter(kind="replay").exists()
