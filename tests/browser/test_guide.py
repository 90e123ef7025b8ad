"""The guide and the trial of a judge in a real browser, by keyboard, with and without JavaScript."""

from typing import Literal

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from judging.models import Trial
from judging.services.trying import answer_trial
from tests.browser.conftest import Login
from tests.factories import make_candidate, make_criteria_set, make_panel, make_ruling, make_user
from tests.judging.running import juror, scripted

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def lead(monkeypatch: pytest.MonkeyPatch) -> User:
    """The lead of a set with thirty golden rows and one new one; a connected panel was never run."""
    criteria_set = make_criteria_set("replies")
    for verdict in ["pass"] * 20 + ["fail"] * 10:
        make_ruling(make_candidate(criteria_set), verdict)
    make_candidate(criteria_set, "Good day to you.")
    monkeypatch.setenv("VERA_JUROR_TEST_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("VERA_JUROR_TEST_KEY", "sk-test-0123456789")
    make_panel([juror("pass"), juror("fail"), juror("prose")], "three")
    return make_user("lena", lead_of=criteria_set)


def press(page: Page, role: Literal["link", "button", "summary"], name: str) -> None:
    """Reach a link, button or summary with the keyboard and press Enter on it."""
    wanted = page.get_by_text(name).first if role == "summary" else page.get_by_role(role, name=name).first
    expect(wanted).to_be_visible()
    for _ in range(60):
        page.keyboard.press("Tab")
        if wanted.evaluate("element => element === document.activeElement"):
            page.keyboard.press("Enter")
            return
    pytest.fail(f"The keyboard does not reach “{name}”.")


def test_the_guide_leads_by_keyboard_to_the_run_it_names(page: Page, login: Login, lead: User) -> None:
    login(page, lead)
    page.goto("/")
    press(page, "link", "Guide")

    expect(page.get_by_text("4 of six steps")).to_be_visible()
    expect(page.locator("[aria-current=step]")).to_contain_text("Run now")
    press(page, "link", "Calibrate three")

    expect(page.get_by_role("heading", name="New run")).to_be_visible()
    expect(page.get_by_label("Judge").locator("option:checked")).to_contain_text("three@1")


def test_a_judge_is_tried_by_keyboard_and_the_answer_comes_by_itself(
    page: Page, login: Login, lead: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    login(page, lead)
    page.goto("/judges/three/")
    press(page, "link", "Try it")
    expect(page.get_by_label("Row").locator("option:checked")).to_contain_text("Good day to you.")
    press(page, "button", "Ask the judge")
    expect(page.get_by_text("No worker is seen, so nobody asks")).to_be_visible()

    with scripted(monkeypatch):
        answer_trial(Trial.objects.get().pk)
    expect(page.get_by_text("after it was asked for")).to_be_visible()
    expect(page.get_by_role("article")).to_have_count(3)
    expect(page.get_by_role("article").last).to_contain_text("not exactly one JSON object")

    press(page, "summary", "The request that was sent")
    expect(page.get_by_text("=== BEGIN CANDIDATE").first).to_be_visible()


def test_choosing_other_criteria_offers_their_rows(page: Page, login: Login, lead: User) -> None:
    other = make_criteria_set("summaries")
    make_candidate(other, "A summary.", split="tune")
    lead.memberships.create(criteria_set=other, role="lead")
    login(page, lead)
    page.goto("/judges/three/try/")

    page.get_by_label("Criteria", exact=True).select_option(label="summaries@1 (live)")
    expect(page.get_by_label("Row").locator("option:checked")).to_contain_text("A summary.")
    page.get_by_role("button", name="Ask the judge").click()

    expect(page.get_by_role("heading", name="three@1 tried on summaries@1")).to_be_visible()


def test_a_trial_without_javascript(
    browser: Browser, live_server: LiveServer, login: Login, lead: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = browser.new_context(base_url=live_server.url, java_script_enabled=False)
    page = context.new_page()
    login(page, lead)
    page.goto("/judges/three/try/")
    page.get_by_text("Or a text of your own").click()
    page.get_by_label("Output to judge").fill("My own words.")
    page.get_by_role("button", name="Ask the judge").click()
    expect(page.get_by_text("waiting", exact=True)).to_be_visible()

    with scripted(monkeypatch):
        answer_trial(Trial.objects.get().pk)
    page.get_by_role("link", name="Look again").click()

    expect(page.get_by_text("after it was asked for")).to_be_visible()
    context.close()


def test_no_page_is_wider_than_a_phone(
    page: Page, login: Login, lead: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    login(page, lead)
    page.goto("/judges/three/try/")
    page.get_by_role("button", name="Ask the judge").click()
    page.get_by_text("No worker is seen, so nobody asks").wait_for()
    trial = Trial.objects.get()
    with scripted(monkeypatch):
        answer_trial(trial.pk)
    monkeypatch.delenv("VERA_JUROR_TEST_KEY")
    page.set_viewport_size({"width": 360, "height": 740})

    addresses = ("/", "/sets/replies/guide/", "/judges/three/", "/judges/three/try/")
    for address in (*addresses, f"/judges/three/trials/{trial.pk}/"):
        page.goto(address)
        page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, address
