"""What was sent says that it is at work and is sent once; what was refused opens at the wrong field."""

import re
import time
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, Route, expect

from labeling.models import ImportJob
from tests.browser.conftest import Login
from tests.factories import make_candidate, make_criteria_set, make_user

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def lead() -> User:
    criteria_set = make_criteria_set("replies")
    make_candidate(criteria_set)
    return make_user("lena", lead_of=criteria_set)


def slow_down(page: Page) -> list[str]:
    """What forms send takes a second on its way; the addresses it was sent to.

    Whatever button says meanwhile that it is at work is pressed again, and its words are kept.
    """
    sent: list[str] = []

    def carry(route: Route) -> None:
        if route.request.method == "POST":
            sent.append(route.request.url)
            time.sleep(1)
        route.continue_()

    page.route("**/*", carry)
    page.evaluate(
        """() => new MutationObserver(() => {
             const button = document.querySelector("button[aria-busy=true]");
             if (!button || "said" in sessionStorage) return;
             sessionStorage.said = `${button.textContent} ${document.getElementById("working").textContent}`;
             button.click();
           }).observe(document.body, { subtree: true, childList: true })"""
    )
    return sent


def test_an_import_says_that_it_is_at_work_and_is_sent_once(
    page: Page, login: Login, lead: User, tmp_path: Path
) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text('{"candidate": "One more."}')
    login(page, lead)
    page.goto("/sets/replies/import/")
    page.get_by_label("File", exact=True).set_input_files(file)
    page.get_by_role("button", name="Send the file").click()
    expect(page.get_by_role("heading", name="How it is read")).to_be_visible()
    sent = slow_down(page)

    page.get_by_role("button", name="Import").click()
    expect(page.get_by_text("Waiting for a worker")).to_be_visible()

    assert page.evaluate("sessionStorage.said") == "Importing… Importing…"
    assert len(sent) == 1
    assert ImportJob.objects.get().state == "waiting"


def test_a_download_gives_its_button_back(page: Page, login: Login, lead: User) -> None:
    login(page, lead)
    page.goto("/sets/replies/export/")
    slow_down(page)

    with page.expect_download():
        page.get_by_role("button", name="Download").click()

    expect(page.get_by_role("button", name="Download")).not_to_have_attribute("aria-disabled", "true")
    assert page.evaluate("sessionStorage.said").startswith("Writing the file…")


def test_a_quick_answer_changes_no_button(page: Page, login: Login, lead: User) -> None:
    login(page, lead)
    page.goto("/sets/replies/settings/")
    page.evaluate(
        """() => { window.busy = 0; new MutationObserver(() => { window.busy += 1; })
                   .observe(document.querySelector("form.card button"), { childList: true });
                   document.addEventListener("submit", (event) => event.preventDefault()); }"""
    )

    page.get_by_role("button", name="Save").click()
    page.wait_for_timeout(200)

    assert page.evaluate("window.busy") == 0


def test_a_refused_form_opens_at_the_field_that_is_wrong(page: Page, login: Login, lead: User) -> None:
    login(page, lead)
    page.goto("/sets/replies/members/")
    page.get_by_label("User name").fill("nobody")
    page.get_by_role("button", name="Save").click()

    field = page.get_by_label("User name")
    expect(field).to_be_focused()
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(field).to_have_accessible_description(re.compile("There is no user of that name"))


def test_on_paper_a_dark_page_is_light_and_has_nothing_to_press(page: Page, login: Login, lead: User) -> None:
    login(page, lead)
    page.goto("/sets/replies/golden/")
    expect(page.get_by_role("button", name="Show")).to_be_visible()

    page.emulate_media(media="print", color_scheme="dark")

    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    for pressed in ("header", ".tabs", "button"):
        expect(page.locator(pressed).first).to_be_hidden()
    expect(page.get_by_role("table")).to_be_visible()
