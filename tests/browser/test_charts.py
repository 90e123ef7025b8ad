"""Charts in a real browser: marks show their values to pointer and keyboard, with and without JavaScript."""

import re
from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from playwright.sync_api import Browser, Locator, Page, expect
from pytest_django.live_server_helper import LiveServer

from judging.models import Certificate, Run
from tests.browser.conftest import Login
from tests.factories import make_criteria_set, make_judge, make_user
from tests.judging.golden import certified, make_run

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def lead() -> User:
    """The lead of a set on which one judge was calibrated twice, ten days apart."""
    criteria_set, judge = make_criteria_set("replies"), make_judge("strict")
    for days, cells in ((10, {"a": 14, "b": 4, "c": 3, "d": 9}), (0, {"a": 30, "b": 2, "c": 2, "d": 30})):
        run = make_run(judge, criteria_set, **cells, skipped_pass=1)  # type: ignore[arg-type]
        when = timezone.now() - timedelta(days=days)
        Run.objects.filter(pk=run.pk).update(finished_at=when)
        run.refresh_from_db()
        Certificate.objects.filter(pk=certified(run, when).pk).update(created_at=when)
    return make_user("lena", lead_of=criteria_set)


@pytest.fixture
def plain(browser: Browser, live_server: LiveServer, login: Login, lead: User) -> Iterator[Page]:
    """A phone without JavaScript."""
    context = browser.new_context(
        base_url=live_server.url, java_script_enabled=False, viewport={"width": 360, "height": 740}
    )
    page = context.new_page()
    login(page, lead)
    yield page
    context.close()


def opacity(value: Locator) -> str:
    return str(value.evaluate("element => getComputedStyle(element).opacity"))


ADDRESSES = {"/dashboard/strict/replies/": "#kappa-over-time", "/sets/replies/golden/": "#growth"}


@pytest.mark.parametrize("address", ADDRESSES)
def test_a_mark_shows_its_values_when_pointed_at_and_when_focused(
    page: Page, login: Login, lead: User, address: str
) -> None:
    login(page, lead)
    page.goto(address)
    mark = page.locator(f"{ADDRESSES[address]} .mark").last
    value = mark.locator(".value")
    assert opacity(value) == "0"

    mark.locator(".hit").hover()
    assert opacity(value) == "1"

    page.mouse.move(0, 0)
    assert opacity(value) == "0"
    mark.focus()
    assert opacity(value) == "1"


def test_marks_are_reached_with_tab_and_lead_to_the_versions(page: Page, login: Login, lead: User) -> None:
    login(page, lead)
    page.goto("/dashboard/strict/replies/")
    marks = page.locator("#kappa-over-time .mark")
    marks.first.focus()

    page.keyboard.press("Tab")

    expect(marks.last).to_be_focused()
    expect(marks.last).to_have_accessible_name(re.compile("kappa 0.875, 95% interval .*, 64 rows, certified"))
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("judge_version=1&version=1"))


def test_parts_of_a_bar_show_their_rows_and_lead_to_them(page: Page, login: Login, lead: User) -> None:
    login(page, lead)
    page.goto(f"/runs/{Run.objects.latest('pk').pk}/")
    part = page.locator(".outcomes").get_by_role("link", name="fail: 32 rows")
    part.focus()
    assert opacity(part.locator(".value")) == "1"
    expect(part.locator(".value")).to_have_text("fail: 32 (49.2%)")

    page.keyboard.press("Enter")

    expect(page).to_have_url(re.compile(r"/verdicts/\?outcome=fail$"))


def test_a_square_leads_to_its_rows(page: Page, login: Login, lead: User) -> None:
    login(page, lead)
    page.goto("/dashboard/strict/replies/")

    page.locator("#two-by-two").get_by_role("link", name="the judge is too lenient").click()

    expect(page.get_by_role("heading", name="People fail, the judge passes")).to_be_visible()


def test_on_a_phone_without_javascript_charts_fit_and_their_text_is_readable(plain: Page) -> None:
    for address, chart in {**ADDRESSES, f"/runs/{Run.objects.latest('pk').pk}/": ".outcomes"}.items():
        plain.goto(address)
        plain.locator(f"{chart} summary").last.click()
        expect(plain.locator(f"{chart} table").last).to_be_visible()
        box = plain.locator(chart).bounding_box()
        assert box
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 360
        for text in plain.locator(f"{chart} svg text").all():
            found = text.bounding_box()
            assert found is None or found["height"] >= 11
            assert found is None or (found["x"] >= 0 and found["x"] + found["width"] <= 360)
