"""Sending a file in a real browser: in pieces, over a connection that breaks, and after a reload."""

import re
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Browser, Page, Route, expect
from pytest_django.live_server_helper import LiveServer

from labeling.models import ImportJob
from labeling.services.import_files import path_of
from labeling.services.import_work import work_on_jobs
from tests.browser.conftest import Login
from tests.factories import make_criteria_set, make_user
from tests.labeling.importing import truths

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

ROW = '{"candidate": "%06d %s", "human": "PASS"}\n'


@pytest.fixture
def lead() -> User:
    return make_user("lena", lead_of=make_criteria_set("replies"))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Five megabytes: three pieces."""
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(ROW % (number, "long " * 2000) for number in range(520)))
    return path


def choose(page: Page, file: Path) -> None:
    page.goto("/sets/replies/import/")
    page.get_by_label("File", exact=True).set_input_files(file)
    page.get_by_role("button", name="Send the file").click()


def test_a_broken_connection_costs_nothing_and_a_reload_goes_on_where_it_stood(
    page: Page, login: Login, lead: User, file: Path
) -> None:
    login(page, lead)
    sent: list[str] = []
    lost = ["2097152", "4194304", "4194304", "4194304"]  # on their way; the last ones until the reload

    def carry(route: Route) -> None:
        sent.append(route.request.url.partition("offset=")[2])
        if sent[-1] in lost:
            lost.remove(sent[-1])
            route.abort()
        else:
            route.continue_()

    page.route("**/piece/**", carry)
    choose(page, file)
    expect(page.locator("#sending-bar")).to_have_attribute("value", re.compile("^8"))  # per cent
    expect(page.get_by_text("The connection is lost.")).to_be_visible()
    page.reload()
    lost.clear()
    choose(page, file)
    expect(page.get_by_role("heading", name="How it is read")).to_be_visible()

    assert sent[:3] == ["0", "2097152", "2097152"]
    assert set(sent[3:]) == {"4194304"}
    assert path_of(ImportJob.objects.get().stored_as).read_bytes() == file.read_bytes()


def test_the_page_of_an_import_follows_it_to_its_end(
    page: Page, login: Login, lead: User, tmp_path: Path
) -> None:
    file = tmp_path / "rows.csv"
    file.write_text("question,reply,grade\nWhy?,Because.,pass\n")
    login(page, lead)
    choose(page, file)

    expect(page.get_by_label("question")).to_have_value("request")
    expect(page.get_by_label("grade")).to_have_value("human")
    page.get_by_label("reply").select_option("candidate")
    page.get_by_role("button", name="Import").click()
    expect(page.get_by_text("Waiting for a worker")).to_be_visible()
    work_on_jobs()

    expect(page).to_have_url(re.compile(r"/import/\d+/$"))
    expect(page.get_by_text("1 new label")).to_be_visible()
    assert truths(lead.memberships.get().criteria_set) == {"Because.": "pass"}


def test_without_javascript_a_file_is_sent_and_mapped(
    browser: Browser, live_server: LiveServer, login: Login, lead: User, tmp_path: Path
) -> None:
    file = tmp_path / "rows.csv"
    file.write_text("question,reply\nWhy?,Because.\n")
    context = browser.new_context(base_url=live_server.url, java_script_enabled=False)
    page = context.new_page()
    login(page, lead)
    choose(page, file)

    page.get_by_role("button", name="Check only").click()
    expect(page.get_by_text("Waiting for a worker")).to_be_visible()
    work_on_jobs()
    page.reload()

    expect(page.get_by_text("This was a check: nothing was kept.")).to_be_visible()
    context.close()
