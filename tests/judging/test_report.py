"""The calibration report: a page to print, and one file that needs nothing else."""

import re

import pytest
from django.test import Client

from judging.models import JudgeVersion
from labeling.models import CriteriaSet
from tests.factories import make_criteria_set, make_judge, make_panel, make_user
from tests.judging.dashboards import certify, text

pytestmark = pytest.mark.django_db

PAGE = "/dashboard/strict/replies/report/"
FILE = f"{PAGE}file/"


@pytest.fixture
def criteria_set() -> CriteriaSet:
    return make_criteria_set("replies")


@pytest.fixture
def lead(client: Client, criteria_set: CriteriaSet) -> Client:
    client.force_login(make_user("lena", lead_of=criteria_set))
    return client


@pytest.fixture
def judge() -> JudgeVersion:
    return make_judge("strict")


def test_the_page_tells_answer_numbers_and_what_they_rest_on(
    lead: Client, criteria_set: CriteriaSet, judge: JudgeVersion
) -> None:
    certificate = certify(judge, criteria_set, a=28, b=2, c=3, d=27, skipped_pass=1)

    page = text(lead.get(PAGE))

    assert "<strong>Certified.</strong>" in page
    assert f"<dt>Kappa</dt><dd>{certificate.shown_kappa}, 95% interval" in page
    assert "<td>28</td><td>2</td><td>1</td>" in page
    assert judge.fingerprint in page
    assert "The output meets the criteria." in page
    assert "Nobody marked it on a row that the judge scored." in page
    assert "Nobody tried on reference sets" in page
    assert "Nobody knows: too little was looked at since it was certified." in page


def test_the_file_needs_nothing_else_and_names_its_zone(
    lead: Client, criteria_set: CriteriaSet, judge: JudgeVersion
) -> None:
    certify(judge, criteria_set, a=28, b=2, c=3, d=27)
    lead.cookies["zone"] = "Asia/Tokyo"

    answer = lead.get(FILE)

    assert re.fullmatch(
        r'attachment; filename="strict-v1-on-replies-v1-\d{4}-\d\d-\d\d.html"', answer["Content-Disposition"]
    )
    file = answer.content.decode()
    assert not re.search(r'(src|href)="|url\(|@import|<script', file)
    assert ".report-table" in file
    assert set(re.findall(r"\d\d:\d\d( UTC)?</time>", file)) == {" UTC"}


def test_a_panel_lists_its_jurors(lead: Client, criteria_set: CriteriaSet, judge: JudgeVersion) -> None:
    certify(make_panel([judge, make_judge("hasty")], "panel"), criteria_set, a=18, b=1, c=1, d=18)

    page = text(lead.get("/dashboard/panel/replies/report/"))

    assert "Each alone, and the panel without each" in page
    assert '<th scope="row">without hasty@1</th>' in page


def test_a_judge_that_was_never_measured_has_a_report_that_says_so(lead: Client, judge: JudgeVersion) -> None:
    page = text(lead.get(PAGE))

    assert "<strong>Uncertified.</strong>" in page
    assert "Nothing yet: this version was never calibrated on these criteria." in page


def test_no_text_of_a_row_is_in_it(lead: Client, criteria_set: CriteriaSet, judge: JudgeVersion) -> None:
    certify(judge, criteria_set, a=5, b=1, c=1, d=5)

    assert "Golden row" not in text(lead.get(FILE))


@pytest.mark.parametrize("address", [PAGE, FILE])
def test_it_is_for_leads_of_the_set(
    client: Client, criteria_set: CriteriaSet, judge: JudgeVersion, address: str
) -> None:
    client.force_login(make_user("lars", labels=criteria_set))
    refused = client.get(address)
    client.force_login(make_user("stranger"))
    unknown = client.get(address)

    assert (refused.status_code, unknown.status_code) == (403, 404)
