"""Judges and runs in a real browser: from the form to a finished run, with and without JavaScript."""

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from judging.models import Run
from judging.services.engine import work_on
from judging.services.judges import add_model_version
from tests.browser.conftest import Login
from tests.factories import make_candidate, make_criteria_set, make_ruling, make_user
from tests.judging.running import judged, panel, scripted

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def lead() -> User:
    """The lead of a set with four golden rows. Of the panel's three jurors one never gives a verdict."""
    criteria_set = make_criteria_set("replies")
    for verdict in ("pass", "pass", "fail", "fail"):
        make_ruling(make_candidate(criteria_set), verdict)
    panel("pass", "fail", "prose")
    return make_user("lena", lead_of=criteria_set)


def test_a_run_from_the_form_to_its_end(
    page: Page, login: Login, lead: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    login(page, lead)
    page.goto("/runs/new/")
    page.get_by_label("Judge").select_option(label=panel_label(page))
    page.get_by_label("Criteria").select_option(label="replies@1 (live)")
    expect(page.get_by_text("Expected calls", exact=True)).to_be_visible()
    expect(page.locator("dl.figures")).to_contain_text("12")

    page.get_by_role("button", name="Start the run").click()
    expect(page.get_by_text("0 of 4 rows done")).to_be_visible()
    expect(page.get_by_text("No worker is seen")).to_be_visible()

    with scripted(monkeypatch):
        work_on(Run.objects.get().pk)
    # On a busy machine the page asks less often.
    expect(page.get_by_text("4 of 4 rows done")).to_be_visible(timeout=60_000)
    expect(page.locator("#progress .badge").first).to_have_text("finished")
    expect(page.get_by_role("row").filter(has_text="not_json")).to_contain_text("4")


def panel_label(page: Page) -> str:
    """The option that names the panel."""
    return next(
        text for text in page.get_by_label("Judge").locator("option").all_inner_texts() if "panel" in text
    )


def test_a_run_without_javascript(
    browser: Browser, live_server: LiveServer, login: Login, lead: User
) -> None:
    context = browser.new_context(base_url=live_server.url, java_script_enabled=False)
    page = context.new_page()
    login(page, lead)

    page.goto("/runs/new/")
    page.get_by_label("Judge").select_option(label=panel_label(page))
    page.get_by_label("Criteria").select_option(label="replies@1 (live)")
    page.get_by_role("button", name="Show expected calls and cost").click()
    expect(page.get_by_text("Expected calls", exact=True)).to_be_visible()
    page.get_by_role("button", name="Start the run").click()

    expect(page.get_by_text("0 of 4 rows done")).to_be_visible()
    context.close()


def test_a_draft_is_promoted_and_rolled_back(page: Page, login: Login, lead: User) -> None:
    add_model_version(slug="careful", model="openai/old", family="openai")
    login(page, lead)
    page.goto("/judges/careful/new-version/")
    page.get_by_label("Model").fill("openai/new")
    page.get_by_role("button", name="Save as a draft").click()

    page.get_by_role("link", name="Promote", exact=True).click()
    page.get_by_role("button", name="Promote version 2").click()
    expect(page.get_by_text("Version 2 is live.")).to_be_visible()
    page.get_by_role("link", name="Roll back to this version").click()
    page.get_by_role("button", name="Roll back to version 1").click()
    expect(page.get_by_text("Version 1 is live.")).to_be_visible()


def test_no_page_is_wider_than_a_phone(
    page: Page, login: Login, lead: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    with scripted(monkeypatch):
        run = judged(panel("pass", "prose", "401"), 2)
    login(page, make_user("root", lead_of=run.criteria_version.criteria_set))
    page.set_viewport_size({"width": 360, "height": 740})

    slug = run.judge_version.judge.slug
    for address in (
        "/judges/",
        f"/judges/{slug}/",
        f"/judges/{slug}/new-version/",
        "/judges/add/model/",
        "/runs/",
        "/runs/new/",
        f"/runs/{run.pk}/",
        f"/runs/{run.pk}/skips/",
    ):
        page.goto(address)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, address
