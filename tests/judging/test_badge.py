"""The badge."""

import xml.etree.ElementTree as ET
from datetime import timedelta

import pytest
from django.template.loader import render_to_string
from django.test import Client
from django.utils import timezone

from judging.domain.badges import GREEN, RED, Facts, Style, drawing
from judging.domain.reasons import CertificateReason, certificate_reason
from judging.models import Certificate
from judging.services.suspending import suspend
from judging.services.tokens import create_token
from labeling.models import CriteriaSet
from tests.factories import make_criteria_set, make_judge, make_user
from tests.judging.dashboards import certify, text
from tests.judging.golden import certified, make_run

pytestmark = pytest.mark.django_db

URL = "/api/v1/badge/strict/replies.svg"


@pytest.fixture
def criteria_set() -> CriteriaSet:
    criteria_set = make_criteria_set("replies")
    certified(make_run(make_judge("strict"), criteria_set, a=4, d=4))
    return criteria_set


def test_a_public_badge_tells_state_kappa_and_rows(client: Client, criteria_set: CriteriaSet) -> None:
    criteria_set.public_badge = True
    criteria_set.save()

    response = client.get(URL)

    assert response["Content-Type"] == "image/svg+xml"
    assert response["Cache-Control"] == "public, max-age=60"
    title = ET.fromstring(response.content).find("{http://www.w3.org/2000/svg}title")
    assert title is not None
    assert title.text == "strict: uncertified · kappa 1.000 · n 8"
    assert b"style" not in response.content


def test_a_private_badge_is_404_for_strangers(client: Client, criteria_set: CriteriaSet) -> None:
    assert client.get(URL).status_code == 404
    client.force_login(make_user())
    assert client.get(URL).status_code == 404


def test_a_private_badge_is_shown_to_members(client: Client, criteria_set: CriteriaSet) -> None:
    client.force_login(make_user(labels=criteria_set))

    assert client.get(URL).status_code == 200


def test_a_private_badge_is_shown_to_tokens_of_its_set(criteria_set: CriteriaSet) -> None:
    other = make_criteria_set("other")
    for sets, status in (([criteria_set], 200), ([other], 404)):
        _, secret = create_token(name="wiki", scopes=["gate"], criteria_sets=sets)
        assert Client(headers={"Authorization": f"Bearer {secret}"}).get(URL).status_code == status


def test_a_judge_never_calibrated_has_a_badge(client: Client, criteria_set: CriteriaSet) -> None:
    make_judge("new")
    client.force_login(make_user(labels=criteria_set))

    assert "never calibrated" in client.get("/api/v1/badge/new/replies.svg").text


def test_a_badge_kept_is_not_sent_again(client: Client, criteria_set: CriteriaSet) -> None:
    client.force_login(make_user(labels=criteria_set))

    tag = client.get(URL)["ETag"]

    assert client.get(URL, headers={"If-None-Match": tag}).status_code == 304


def title_of(client: Client, query: str = "", url: str = URL) -> str:
    answer = client.get(url + query)
    assert answer.status_code == 200
    found = ET.fromstring(answer.content).find("{http://www.w3.org/2000/svg}title")
    assert found is not None
    return str(found.text)


@pytest.fixture
def trusted(client: Client) -> Certificate:
    """A certified judge with a badge that anybody sees."""
    criteria_set = make_criteria_set("replies")
    criteria_set.public_badge = True
    criteria_set.save()
    return certify(make_judge("strict"), criteria_set, a=28, b=2, c=2, d=28)


def test_what_it_shows_can_be_chosen(client: Client, trusted: Certificate) -> None:
    until = f"{trusted.expires_at:%-d %b %Y}"

    assert title_of(client) == "strict: certified · kappa 0.867 · n 60"
    assert title_of(client, "?show=status") == "strict: certified"
    bound = title_of(client, "?show=bound")
    assert bound == f"strict: certified · kappa 0.867 · at least {trusted.shown_bound}"
    assert title_of(client, "?show=expires") == f"strict: certified · until {until}"


@pytest.mark.parametrize(
    ("query", "height", "corner"), [("", "20", "4"), ("?style=plain", "20", "0"), ("?style=large", "32", "6")]
)
def test_how_it_looks_can_be_chosen(
    client: Client, trusted: Certificate, query: str, height: str, corner: str
) -> None:
    drawn = ET.fromstring(client.get(URL + query).content)

    frame = drawn.find("{http://www.w3.org/2000/svg}rect")
    assert frame is not None
    assert (drawn.get("height"), frame.get("rx")) == (height, corner)
    assert float(drawn.get("width", 0)) == float(frame.get("width", 0)) > 100


def test_in_the_dark_its_label_is_lighter(client: Client, trusted: Certificate) -> None:
    assert client.get(URL).text != client.get(f"{URL}?theme=dark").text


@pytest.mark.parametrize("query", ["?style=round", "?show=all", "?theme=%3Cscript%3E", "?style="])
def test_what_there_is_not_is_refused(client: Client, trusted: Certificate, query: str) -> None:
    answer = client.get(URL + query)

    assert answer.status_code == 422
    assert "<script>" not in answer.text


@pytest.mark.parametrize("show", ["usual", "status", "bound", "expires"])
def test_suspended_it_never_says_certified(client: Client, trusted: Certificate, show: str) -> None:
    suspend(
        judge_version_id=trusted.judge_version_id,
        criteria_version_id=trusted.criteria_version_id,
        reason=certificate_reason(CertificateReason.DRIFT_ALARM),
        cause=Certificate.Cause.DRIFT,
        now=timezone.now(),
    )

    assert title_of(client, f"?show={show}").startswith("strict: suspended")
    assert GREEN not in client.get(f"{URL}?show={show}").text


@pytest.mark.parametrize("show", ["usual", "status", "bound", "expires"])
def test_expired_it_says_so(client: Client, trusted: Certificate, show: str) -> None:
    past = timezone.now() - timedelta(seconds=1)
    Certificate.objects.update(calibrated_at=past - timedelta(days=30), expires_at=past)

    assert title_of(client, f"?show={show}").startswith("strict: expired")
    assert GREEN not in client.get(f"{URL}?show={show}").text


def test_shields_io_is_told_the_same(client: Client, trusted: Certificate) -> None:
    answer = client.get("/api/v1/badge/strict/replies.json?show=status")

    assert answer.json() == {
        "schemaVersion": 1,
        "label": "strict",
        "message": "certified",
        "color": GREEN,
        "isError": False,
    }
    assert answer["Cache-Control"] == "public, max-age=60"
    kept = client.get(
        "/api/v1/badge/strict/replies.json?show=status", headers={"If-None-Match": answer["ETag"]}
    )
    assert kept.status_code == 304


def test_shields_io_is_told_nothing_of_a_private_one(client: Client, criteria_set: CriteriaSet) -> None:
    assert client.get("/api/v1/badge/strict/replies.json").status_code == 404
    client.force_login(make_user(labels=criteria_set))

    told = client.get("/api/v1/badge/strict/replies.json").json()

    assert (told["message"], told["color"], told["isError"]) == (
        "uncertified · kappa 1.000 · n 8",
        RED,
        True,
    )


@pytest.mark.parametrize("style", ["flat", "plain", "large"])
def test_words_that_are_markup_are_shown_as_words(style: Style) -> None:
    facts = Facts('<script>&"', "uncertified", certified=False)

    drawn = render_to_string("judging/badge.svg", drawing(facts, "usual", style, "light"))

    assert "<script>" not in drawn
    words = [each.text for each in ET.fromstring(drawn).iter("{http://www.w3.org/2000/svg}text")]
    assert words == ['<script>&"', "uncertified · never calibrated"]


def test_the_page_shows_it_and_the_line_to_copy_where_it_is_public(
    client: Client, trusted: Certificate
) -> None:
    criteria_set = trusted.criteria_version.criteria_set
    client.force_login(make_user(lead_of=criteria_set))
    page = text(client.get("/dashboard/strict/replies/"))
    assert f'<img src="{URL}"' in page
    assert (
        f"[![strict on replies](http://testserver{URL})](http://testserver/dashboard/strict/replies/)" in page
    )

    CriteriaSet.objects.update(public_badge=False)

    page = text(client.get("/dashboard/strict/replies/"))
    assert "Only members of this criteria set see it." in page
