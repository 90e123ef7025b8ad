"""The dashboard and what stands behind one of its cells."""

import re

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from judging.models import Certificate, CriterionScore, JudgeVersion
from labeling.models import AuditEvent, CriteriaSet, Exposure
from tests.factories import (
    live,
    make_candidate,
    make_criteria_set,
    make_judge,
    make_label,
    make_panel,
    make_user,
    make_version,
)
from tests.judging.golden import certified, make_run, make_verdict

pytestmark = pytest.mark.django_db

URL = "/dashboard/strict/replies/"


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


def certify(judge: JudgeVersion, criteria_set: CriteriaSet, **cells: int) -> Certificate:
    run = make_run(judge, criteria_set, **cells)  # type: ignore[arg-type]
    run.finished_at = timezone.now()
    run.save()
    return certified(run, run.finished_at)


def test_an_empty_dashboard_says_what_to_do(client: Client) -> None:
    page = client.get("/dashboard/").text

    assert "No judge has been compared with people yet." in page
    assert "Start a calibration run" in page


@pytest.mark.parametrize("address", ["/dashboard/", URL])
def test_a_kappa_just_below_the_bar_is_not_shown_as_the_bar(
    client: Client, criteria_set: CriteriaSet, address: str
) -> None:
    certify(make_judge("strict"), criteria_set, a=5, b=2, c=2, d=29)  # kappa 0.64977

    page = client.get(address).text

    assert "Kappa 0.649, 95% interval" in page
    assert not re.search(r"[Kk]appa\W+0\.650", page)


def test_it_shows_state_kappa_and_interval(client: Client, criteria_set: CriteriaSet) -> None:
    certify(make_judge("strict"), criteria_set, a=28, b=2, c=2, d=28)
    certify(make_judge("weak"), criteria_set, a=3, d=2)

    page = client.get("/dashboard/").text

    assert page.count('<span class="badge certified">') == 1
    assert page.count('<span class="badge uncertified">') == 1
    assert "<title>Kappa 0.867, 95% interval 0." in page
    assert "too_few_rows: 5 of 30" in page
    assert "style=" not in page


def test_it_shows_sets_that_the_reader_leads_only(client: Client, lead: User) -> None:
    certify(make_judge("elsewhere"), make_criteria_set("other"), a=3)
    certify(make_judge("labeled"), labels := make_criteria_set("third"), a=3)
    lead.memberships.create(criteria_set=labels, role="labeler")

    page = client.get("/dashboard/").text

    assert "elsewhere" not in page
    assert "labeled" not in page


def test_who_leads_nothing_is_refused(client: Client, criteria_set: CriteriaSet) -> None:
    client.force_login(make_user(labels=criteria_set))

    assert client.get("/dashboard/").status_code == 403


def test_more_judges_take_no_more_queries(client: Client, criteria_set: CriteriaSet) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as context:
            client.get("/dashboard/")
        return len(context)

    certify(make_judge(), criteria_set, a=2)
    few = queries()
    for _ in range(10):
        certify(make_judge(), criteria_set, a=2)

    assert queries() == few


def test_drafts_stand_beside_the_live_version_and_old_ones_go(
    client: Client, criteria_set: CriteriaSet
) -> None:
    judge = make_judge("strict")
    certify(judge, criteria_set, a=3)
    make_version(criteria_set)
    assert "strict@1" in client.get("/dashboard/").text

    criteria_set.live_version = criteria_set.versions.get(number=2)
    criteria_set.save()

    assert "&amp;version=1" not in client.get("/dashboard/").text


def test_a_promotion_that_closes_the_gate_shows(client: Client, criteria_set: CriteriaSet) -> None:
    certify(make_judge("strict"), criteria_set, a=28, b=2, c=2, d=28)
    assert "Live, and not calibrated" not in client.get("/dashboard/").text

    criteria_set.live_version = make_version(criteria_set)
    criteria_set.save()

    page = client.get("/dashboard/").text
    assert "Live, and not calibrated" in page
    assert "strict@1 on replies@2" in page
    assert "No judge has been compared" not in page


def test_a_certificate_of_a_draft_is_no_lapse(client: Client, criteria_set: CriteriaSet) -> None:
    draft = make_version(criteria_set)
    CriteriaSet.objects.update(live_version=draft)
    criteria_set.refresh_from_db()
    certify(make_judge("strict"), criteria_set, a=3)

    CriteriaSet.objects.update(live_version=criteria_set.versions.get(number=1))

    assert "Live, and not calibrated" not in client.get("/dashboard/").text


def test_no_chance_is_shown_as_zero(client: Client, criteria_set: CriteriaSet) -> None:
    certify(make_judge("strict"), criteria_set, a=20, c=20, d=20)

    assert "McNemar exact p &lt; 0.001" in client.get(URL).text


def test_the_detail_shows_what_the_answer_rests_on(client: Client, criteria_set: CriteriaSet) -> None:
    certify(make_judge("strict"), criteria_set, a=13, b=2, c=2, d=13, skipped_pass=1)

    page = client.get(URL).text

    assert '<span class="badge certified">' in page
    assert "The 95% lower bound of kappa" in page  # in words, since it is under the bar
    assert "Of rows people fail, judge fails" in page
    assert "86.6%" in page
    assert "30 of 31 rows have a verdict" in page
    assert "<code>timeout</code> 1" in page
    assert "None" not in page


def test_an_undefined_kappa_is_a_word(client: Client, criteria_set: CriteriaSet) -> None:
    certify(make_judge("strict"), criteria_set, a=40)

    page = client.get(URL).text

    assert "<code>undefined_kappa</code>" in page
    assert "None" not in page
    assert "nan" not in page


def test_a_judge_never_calibrated_has_a_page(client: Client, criteria_set: CriteriaSet) -> None:
    make_judge("strict")

    page = client.get(URL).text

    assert "<code>never_calibrated</code>" in page
    assert "Start a calibration run" in page


def test_the_panel_stands_beside_its_jurors(client: Client, criteria_set: CriteriaSet) -> None:
    panel = make_panel([make_judge("one"), make_judge("two")], "strict")
    certify(panel, criteria_set, a=4, d=4)

    page = client.get(URL).text

    assert "The panel and its jurors" in page
    assert page.index("one@1") < page.index("two@1")


def test_history_and_other_versions_are_listed(client: Client, criteria_set: CriteriaSet) -> None:
    judge = make_judge("strict")
    certify(judge, criteria_set, a=3)
    certify(judge, criteria_set, a=30, d=30)
    make_version(criteria_set, live=True)
    certify(judge, criteria_set, a=4)

    page = client.get(URL).text
    older = client.get(URL, {"version": 1, "judge_version": 1}).text

    assert "strict@1 on replies@1" in page
    assert older.count("a calibration run ended") == 2


@pytest.mark.parametrize("query", ["?version=9", "?judge_version=x", "?version=²"])
def test_unknown_versions_are_404(client: Client, criteria_set: CriteriaSet, query: str) -> None:
    make_judge("strict")

    assert client.get(URL + query).status_code == 404


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
