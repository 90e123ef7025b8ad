"""The dashboard in a real browser, with and without JavaScript; the API's page without a network."""

import re

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from labeling.models import CriteriaSet
from tests.browser.conftest import Login
from tests.factories import make_criteria_set, make_judge, make_user
from tests.judging.golden import certified, make_run

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def lead() -> User:
    """The lead of a set with one judge that earned its certificate and one that did not."""
    criteria_set = make_criteria_set("replies")
    certify("strict", criteria_set, a=28, b=2, c=2, d=28)
    certify("hasty", criteria_set, a=18, b=12, c=9, d=21)
    return make_user("lena", lead_of=criteria_set)


def certify(slug: str, criteria_set: CriteriaSet, *, a: int, b: int, c: int, d: int) -> None:
    run = make_run(make_judge(slug), criteria_set, a=a, b=b, c=c, d=d)
    run.finished_at = timezone.now()
    run.save()
    certified(run, run.finished_at)


def test_the_dashboard_shows_both_badges(page: Page, login: Login, lead: User) -> None:
    login(page, lead)
    page.goto("/dashboard/")

    strict = page.get_by_role("article", name="strict")
    hasty = page.get_by_role("article", name="hasty")
    expect(strict.locator(".badge")).to_have_text("certified")
    expect(strict.get_by_text("Yes – may gate")).to_be_visible()
    expect(hasty.locator(".badge")).to_have_text("uncertified")
    expect(hasty.get_by_text("No – may not gate")).to_be_visible()
    expect(strict.get_by_role("img")).to_have_accessible_name(re.compile("Kappa 0.867, 95% interval"))


def test_a_lead_gets_from_a_cell_to_the_rows_behind_it(page: Page, login: Login, lead: User) -> None:
    login(page, lead)
    page.goto("/dashboard/")
    page.get_by_role("link", name="hasty", exact=True).click()
    answer = page.get_by_role("article", name="The answer")
    expect(answer.get_by_text("Kappa 0.300 is below the bar of 0.65.")).to_be_visible()

    page.get_by_role("row", name="People pass").get_by_role("link", name="too strict").click()
    page.get_by_role("button", name="Open the next 10").click()

    expect(page.get_by_role("article")).to_have_count(10)
    expect(page.get_by_role("button", name="Open the next 2")).to_be_visible()


def test_the_next_step_leads_to_the_rows_where_the_judge_was_wrong(
    page: Page, login: Login, lead: User
) -> None:
    login(page, lead)
    page.goto("/dashboard/")

    page.get_by_role("article", name="hasty").get_by_role("link", name="Go to these rows").click()

    expect(page.get_by_role("heading", name="People pass, the judge fails")).to_be_visible()
    expect(page.get_by_text("0 opened by you, 12 still closed.")).to_be_visible()


def test_no_page_is_wider_than_a_phone(page: Page, login: Login, lead: User) -> None:
    login(page, lead)
    page.set_viewport_size({"width": 360, "height": 740})

    for address in ("/dashboard/", "/dashboard/hasty/replies/", "/dashboard/hasty/replies/rows/b/"):
        page.goto(address)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_without_javascript_rows_open_too(
    browser: Browser, live_server: LiveServer, login: Login, lead: User
) -> None:
    context = browser.new_context(base_url=live_server.url, java_script_enabled=False)
    page = context.new_page()
    login(page, lead)

    page.goto("/dashboard/hasty/replies/rows/c/")
    page.get_by_role("button", name="Open the next 9").click()

    expect(page.get_by_role("article")).to_have_count(9)
    context.close()


def test_the_api_page_works_offline(page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))

    page.goto("/api/v1/docs")

    expect(page.get_by_text("/api/v1/gate/{judge}/{criteria}")).to_be_visible()
    page.get_by_text("/api/v1/gate/{judge}/{criteria}").click()
    expect(page.get_by_role("button", name="Try it out")).to_be_visible()
    assert {url.split("/")[2] for url in asked if not url.startswith("data:")} == {page.url.split("/")[2]}
