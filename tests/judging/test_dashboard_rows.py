"""The rows behind a count: closed until they are opened, and tune rows for free."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils.html import escape

from judging.models import CriterionScore
from labeling.models import AuditEvent, CriteriaSet, Exposure
from tests.factories import (
    live,
    make_candidate,
    make_criteria_set,
    make_judge,
    make_label,
    make_ruling,
    make_user,
)
from tests.judging.dashboards import URL, certify
from tests.judging.golden import certified, make_run, make_verdict

pytestmark = pytest.mark.django_db


@pytest.fixture
def criteria_set() -> CriteriaSet:
    return make_criteria_set("replies")


@pytest.fixture
def lead(criteria_set: CriteriaSet) -> User:
    return make_user("lena", lead_of=criteria_set)


@pytest.fixture
def client(client: Client, lead: User) -> Client:
    client.force_login(lead)
    return client


def test_a_lenient_judge_leads_to_the_rows_it_let_through(client: Client, criteria_set: CriteriaSet) -> None:
    certify(make_judge("weak"), criteria_set, a=20, b=2, c=12, d=8)

    page = client.get("/dashboard/").text

    assert "Look at the 12 rows where it was too lenient" in page
    assert 'href="/dashboard/weak/replies/tune/?judge_version=1&amp;version=1"' in page
    assert 'href="/dashboard/weak/replies/rows/c/?judge_version=1&amp;version=1"' in page


def test_what_layer_1_kills_is_counted_and_leads_to_its_rows(
    client: Client, criteria_set: CriteriaSet
) -> None:
    run = make_run(make_judge("strict"), criteria_set, a=2)
    for output in ("", "Traceback (most recent call last):"):
        candidate = make_candidate(criteria_set, output or " ")
        make_ruling(candidate, "fail")
        make_verdict(run, candidate, "fail")
    certified(run)

    pages = [client.get(address).text for address in ("/dashboard/", URL)]

    for page in pages:
        assert "2 of these 4</a> by itself. The judge was asked about all 4" in page
    rows = URL + "rows/killed/?judge_version=1&amp;version=1"
    assert f'href="{rows}"' in pages[0]
    assert "2 still closed" in client.get(URL + "rows/killed/").text
    client.post(URL + "rows/killed/")
    assert "its check for “empty output” fires" in client.get(URL + "rows/killed/").text


def test_certify_rows_are_closed_until_they_are_opened(
    client: Client, criteria_set: CriteriaSet, lead: User
) -> None:
    certificate = certify(make_judge("strict"), criteria_set, a=3, b=12, d=20)
    url = URL + "rows/b/"
    assert "0 opened by you, 12 still closed." in client.get(url).text
    assert not Exposure.objects.exists()

    client.post(url)

    page = client.get(url).text
    assert "10 opened by you, 2 still closed." in page
    assert page.count("<article") == 10
    shown = Exposure.objects.filter(user=lead, what="verdicts").values("candidate")
    assert (
        certificate.calibration.rows.filter(truth="pass", outcome="fail", candidate__in=shown).count() == 10
    )
    assert AuditEvent.objects.get().action == "certify_rows_opened"


def test_opening_twice_logs_the_rest_once(client: Client, criteria_set: CriteriaSet) -> None:
    certify(make_judge("strict"), criteria_set, b=3, d=20)

    for _ in range(3):
        client.post(URL + "rows/disagreements/")

    noted = Exposure.objects.order_by("what").values_list("what", flat=True)
    assert list(noted) == ["labels"] * 3 + ["verdicts"] * 3


def test_tune_rows_are_shown_freely_and_noted(client: Client, criteria_set: CriteriaSet) -> None:
    run = make_run(make_judge("strict"), criteria_set, a=3, d=3)
    wrong, right = (
        make_candidate(criteria_set, f"Tune {name}.", split="tune") for name in ("wrong", "right")
    )
    for candidate in (wrong, right):
        label = make_label(candidate, make_user(), "pass")
        label.comment = "Fine <b>by me</b>"
        label.save()
    verdict = make_verdict(run, wrong, "fail")
    criterion = live(criteria_set).criteria.get()
    CriterionScore.objects.create(verdict=verdict, criterion=criterion, score=0, reason="Too curt.")
    make_verdict(run, right, "pass")
    certified(run)

    page = client.get(URL + "tune/").text

    assert "Tune wrong." in page
    assert "Tune right." not in page
    assert "Fine &lt;b&gt;by me" in page
    assert "Too curt." in page
    assert set(Exposure.objects.values_list("candidate", flat=True)) == {wrong.pk}


def test_a_judge_that_saw_no_tune_row_is_offered_a_run_over_them(
    client: Client, criteria_set: CriteriaSet
) -> None:
    judge = make_judge("strict")
    certify(judge, criteria_set, a=2, c=3)
    assert "There is no settled tune row yet." in client.get(URL + "tune/").text

    make_ruling(make_candidate(criteria_set, split="tune"))
    page = client.get(URL + "tune/").text

    start = f"/runs/new/?judge_version={judge.pk}&criteria_version={live(criteria_set).pk}&rows=tune"
    assert "No settled tune row has been judged yet." in page
    assert f'href="{escape(start)}"' in page
    assert '<option value="tune" selected>' in client.get(start).text


def test_tune_rows_of_a_run_of_their_own_count_the_newest_verdict(
    client: Client, criteria_set: CriteriaSet
) -> None:
    judge = make_judge("strict")
    certify(judge, criteria_set, a=2, c=3)
    put_right, wrong = (make_candidate(criteria_set, text, split="tune") for text in ("Right.", "Wrong."))
    for candidate in (put_right, wrong):
        make_ruling(candidate, "fail")
        make_verdict(make_run(judge, criteria_set, kind="scoring"), candidate, "pass")
    make_verdict(make_run(judge, criteria_set, kind="scoring"), put_right, "fail")

    page = client.get(URL + "tune/").text

    assert "Wrong." in page
    assert "Right." not in page


@pytest.mark.parametrize("path", ["", "tune/", "rows/a/", "rows/disagreements/"])
def test_other_peoples_cells_are_404_for_strangers_and_403_for_labelers(
    client: Client, criteria_set: CriteriaSet, path: str
) -> None:
    certify(make_judge("strict"), criteria_set, a=3)

    client.force_login(make_user(lead_of=make_criteria_set("mine")))
    assert client.get(URL + path).status_code == 404
    client.force_login(make_user(labels=criteria_set))
    assert client.get(URL + path).status_code == 403
    client.logout()
    assert client.get(URL + path).status_code == 302


def test_opening_needs_the_csrf_token(lead: User, criteria_set: CriteriaSet) -> None:
    certify(make_judge("strict"), criteria_set, a=3)
    client = Client(enforce_csrf_checks=True)
    client.force_login(lead)

    assert client.post(URL + "rows/a/").status_code == 403
    assert not Exposure.objects.exists()
