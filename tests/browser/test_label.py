"""A labeler's work in a real browser: by keyboard, with double presses and lost connections."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest
from django.contrib.auth.models import User
from django.db import connection, connections
from playwright.sync_api import Browser, Page, Route, expect
from psycopg import sql
from pytest_django.live_server_helper import LiveServer

from labeling.models import CriteriaSet, Draft, Label, Skip
from labeling.services.guidelines import save_guidelines
from tests.browser.conftest import Login
from tests.factories import make_candidate, make_criteria_set, make_user

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

GUARD = 400  # milliseconds after a row appears in which a press is taken for a double press


@pytest.fixture
def desk(page: Page, login: Login) -> tuple[CriteriaSet, User]:
    """A logged-in labeler on the page of a criteria set with twelve rows in the queue."""
    criteria_set = make_criteria_set("summaries")
    labeler = make_user("lena", labels=criteria_set)
    for number in range(1, 13):
        make_candidate(criteria_set, f"Summary number {number}.", slots=1)
    login(page, labeler)
    page.goto("/sets/summaries/label/")
    return criteria_set, labeler


def shows(page: Page, number: int) -> None:
    """Wait until row `number` is on the page and a press counts again."""
    expect(page.locator(".output")).to_contain_text(f"Summary number {number}.")
    page.wait_for_timeout(GUARD)


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def verdicts() -> list[str]:
    return list(Label.objects.current().order_by("candidate").values_list("verdict", flat=True))


def test_undo_brings_back_the_row_and_what_was_typed(page: Page, desk: tuple[CriteriaSet, User]) -> None:
    press(page, "c")
    page.keyboard.type("Misses the date.")
    press(page, "Escape", "2")
    shows(page, 2)

    press(page, "u")

    shows(page, 1)
    expect(page.locator("#comment")).to_have_value("Misses the date.")
    expect(page.locator(".before")).to_contain_text("You had said fail")
    assert verdicts() == []


@pytest.mark.parametrize("how", ["keys", "mouse"])
def test_a_double_press_gives_one_label(page: Page, desk: tuple[CriteriaSet, User], how: str) -> None:
    if how == "keys":
        press(page, "1", "1")
    else:
        page.locator("button.pass").dblclick()

    shows(page, 2)
    assert verdicts() == ["pass"]


def test_skip_asks_why_and_a_digit_answers(page: Page, desk: tuple[CriteriaSet, User]) -> None:
    press(page, "s")
    expect(page.get_by_text("Why? The row goes to somebody else.")).to_be_visible()
    press(page, "2")

    shows(page, 2)
    assert Skip.objects.get().reason == "needs_expert"
    assert verdicts() == []


def test_skip_for_another_reason_wants_it_written(page: Page, desk: tuple[CriteriaSet, User]) -> None:
    press(page, "s", "5")

    expect(page.get_by_role("alert").filter(has_text="Write your reason into the comment")).to_be_visible()
    expect(page.locator("#comment")).to_be_focused()
    assert not Skip.objects.exists()


def test_marks_by_keyboard(page: Page, desk: tuple[CriteriaSet, User]) -> None:
    press(page, "m", "0", "1")  # one mark too many is no verdict
    expect(page.locator("#row-heading")).to_be_focused()
    page.wait_for_timeout(700)
    press(page, "2")

    shows(page, 2)
    assert Label.objects.get().verdict == "fail"
    assert Label.objects.get().marks.get().score == 0


def test_no_key_fires_while_typing_or_with_a_modifier(page: Page, desk: tuple[CriteriaSet, User]) -> None:
    press(page, "c", "1", "2", "s", "u", "?", "Escape", "Control+1", "Alt+2")

    expect(page.locator("#comment")).to_have_value("12su?")
    shows(page, 1)
    assert verdicts() == []


def test_question_mark_lists_the_keys(page: Page, desk: tuple[CriteriaSet, User]) -> None:
    press(page, "?")
    expect(page.get_by_role("dialog")).to_contain_text("Somebody who knows the subject should decide")

    press(page, "1", "Escape")

    expect(page.get_by_role("dialog")).to_be_hidden()
    assert verdicts() == []


def test_a_dropped_connection_keeps_what_was_typed(page: Page, desk: tuple[CriteriaSet, User]) -> None:
    page.context.set_offline(True)
    press(page, "c")
    page.keyboard.type("Good, but long.")
    press(page, "Escape", "1")
    expect(page.get_by_role("alert")).to_contain_text("Not saved – no connection. What you typed is kept.")
    expect(page.locator("#comment")).to_have_value("Good, but long.")

    page.context.set_offline(False)  # what could not be sent is sent by itself

    shows(page, 2)
    assert Label.objects.get().comment == "Good, but long."
    expect(page.locator("#trouble")).to_be_hidden()


def test_what_was_typed_without_a_connection_outlives_a_reload(
    page: Page, desk: tuple[CriteriaSet, User]
) -> None:
    page.context.set_offline(True)
    page.locator("#comment").fill("Half a thought")
    expect(page.get_by_role("alert")).to_contain_text("Not saved")

    page.context.set_offline(False)
    page.reload()

    expect(page.locator("#comment")).to_have_value("Half a thought")


def test_drafts_are_saved_and_come_back_on_another_machine(
    page: Page, desk: tuple[CriteriaSet, User], browser: Browser, live_server: LiveServer, login: Login
) -> None:
    page.locator("#comment").fill("To be continued")
    expect(page.locator("#saved")).to_have_text("Draft saved.")
    assert Draft.objects.get().content["comment"] == "To be continued"

    with browser.new_context(base_url=live_server.url) as other:
        elsewhere = other.new_page()
        login(elsewhere, desk[1])
        elsewhere.goto("/sets/summaries/label/")
        expect(elsewhere.locator("#comment")).to_have_value("To be continued")


def test_a_page_older_than_the_draft_still_shows_it(page: Page, desk: tuple[CriteriaSet, User]) -> None:
    page.locator("#comment").fill("Saved a moment ago")
    expect(page.locator("#saved")).to_have_text("Draft saved.")
    Draft.objects.all().delete()  # as if the page had been made before the draft was saved

    page.reload()

    expect(page.locator("#comment")).to_have_value("Saved a moment ago")


def test_a_newer_draft_from_elsewhere_wins(page: Page, desk: tuple[CriteriaSet, User]) -> None:
    page.locator("#comment").fill("First thought")
    expect(page.locator("#saved")).to_have_text("Draft saved.")
    draft = Draft.objects.get()
    draft.content = {"comment": "Second thought, on the phone"}
    draft.save()

    page.reload()

    expect(page.locator("#comment")).to_have_value("Second thought, on the phone")


def test_a_lost_session_says_so_and_keeps_the_text(page: Page, desk: tuple[CriteriaSet, User]) -> None:
    page.locator("#comment").fill("Before the session ended")
    page.context.clear_cookies(name="sessionid")
    page.get_by_role("button", name="Fail").click()

    expect(page.get_by_role("alert")).to_contain_text("You are logged out")
    expect(page.get_by_role("link", name="Log in again")).to_be_focused()
    expect(page.locator("#comment")).to_have_value("Before the session ended")
    assert verdicts() == []


def test_a_server_error_says_not_saved_and_offers_a_retry(page: Page, desk: tuple[CriteriaSet, User]) -> None:
    def broken(route: Route) -> None:
        if route.request.method == "POST":
            route.fulfill(status=500, body="database is starting up")
        else:
            route.continue_()

    page.route("**/label/", broken)
    page.reload()  # a page that is already open learns of the route a moment later, perhaps after the press
    shows(page, 1)
    press(page, "1")
    expect(page.get_by_role("alert")).to_contain_text(
        "Not saved – the server could not do it just now (500)."
    )
    page.unroute("**/label/")

    page.get_by_role("button", name="Retry").click()

    shows(page, 2)
    assert verdicts() == ["pass"]


@contextmanager
def database_away() -> Iterator[None]:
    """A database server that throws everybody out and lets nobody in until the block ends."""
    given = connection.get_connection_params()
    address = {key: given[key] for key in ("host", "port", "user", "password") if key in given}
    name = sql.Identifier(given["dbname"])
    connections.close_all()
    with psycopg.connect(dbname="postgres", autocommit=True, **address) as outside:
        outside.execute(sql.SQL("alter database {} allow_connections false").format(name))
        outside.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity where datname = %s", [given["dbname"]]
        )
        try:
            yield
        finally:
            outside.execute(sql.SQL("alter database {} allow_connections true").format(name))


@pytest.mark.faults
@pytest.mark.skipif(
    connection.vendor != "postgresql",
    reason="The embedded database has no server to restart; set DATABASE_URL.",
)
def test_a_database_restart_costs_nothing_typed(page: Page, desk: tuple[CriteriaSet, User]) -> None:
    shows(page, 1)
    with database_away():
        page.locator("#comment").fill("Typed while it was away")
        page.get_by_role("button", name="Fail").click()
        expect(page.get_by_role("alert")).to_contain_text(
            "Not saved – the server could not do it just now (500)."
        )
    expect(page.locator("#comment")).to_have_value("Typed while it was away")

    page.get_by_role("button", name="Retry").click()

    shows(page, 2)
    assert Label.objects.get().comment == "Typed while it was away"


def test_without_javascript(
    browser: Browser, live_server: LiveServer, login: Login, desk: tuple[CriteriaSet, User]
) -> None:
    with browser.new_context(base_url=live_server.url, java_script_enabled=False) as context:
        page = context.new_page()
        login(page, desk[1])
        page.goto("/sets/summaries/label/")
        page.locator("label", has=page.get_by_label("not met")).click()
        page.get_by_label("Comment").fill("Typed without a script")
        page.get_by_role("button", name="Fail").click()
        expect(page.locator(".output")).to_contain_text("Summary number 2.")
        page.get_by_role("button", name="Undo").click()
        expect(page.locator(".output")).to_contain_text("Summary number 1.")
        expect(page.get_by_label("Comment")).to_have_value("Typed without a script")
        page.get_by_text("Skip…").click()
        page.get_by_role("button", name="The row is broken").click()
        page.get_by_role("button", name="Pass").click()
        page.get_by_role("link", name="History").click()
        page.get_by_role("link", name="Change row").click()
        page.locator("label.fail").click()
        page.get_by_role("button", name="Change the label").click()
        expect(page.get_by_text("changed from pass")).to_be_visible()

    assert verdicts() == ["fail"]
    assert Label.objects.earliest("pk").marks.get().score == 0
    assert Skip.objects.get().reason == "broken_row"


def test_nothing_is_wider_than_a_phone(page: Page, desk: tuple[CriteriaSet, User]) -> None:
    make_candidate(desk[0], "W" * 500 + '\n```\n{"a": "' + "b" * 300 + '"}\n```', slots=1)
    page.set_viewport_size({"width": 360, "height": 740})
    Label.objects.all().delete()
    page.reload()

    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    expect(page.get_by_role("button", name="Pass")).to_be_in_viewport()


def test_everything_is_in_reach_without_scrolling(page: Page, desk: tuple[CriteriaSet, User]) -> None:
    for part in ("#row-heading", ".output", ".criteria", "#comment", "button.pass", "button.fail", ".skip"):
        expect(page.locator(part)).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("size", [(1280, 720), (1366, 650)])
def test_nothing_that_comes_and_goes_moves_what_one_decides_with(
    page: Page, desk: tuple[CriteriaSet, User], size: tuple[int, int]
) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.reload()
    before = page.locator("button.pass").bounding_box()
    save_guidelines(criteria_set=desk[0], text="- Read twice.\n" * 30, examples=[], actor=make_user())
    CriteriaSet.objects.update(daily_goal=1)
    page.reload()
    shows(page, 1)

    press(page, "1")
    shows(page, 2)
    press(page, "s")

    expect(page.get_by_text("Today's goal is reached")).to_be_visible()
    expect(page.get_by_text("Read twice.").first).to_be_visible()
    assert page.locator("button.pass").bounding_box() == before
    for part in page.locator("button.pass, #comment, .reasons button").all():
        expect(part).to_be_in_viewport(ratio=1)


def test_the_history_by_keyboard(page: Page, desk: tuple[CriteriaSet, User]) -> None:
    press(page, "1")
    shows(page, 2)
    press(page, "2")
    shows(page, 3)
    press(page, "h")
    expect(page.locator("#own-heading")).to_be_focused()

    press(page, "j", "j", "Enter")
    expect(page.locator("#edit-heading")).to_be_focused()
    press(page, "m", "0", "2", "Enter")

    expect(page.get_by_text("changed from pass")).to_be_visible()
    expect(page.locator("tr[data-row]").first).to_be_focused()
    assert verdicts() == ["fail", "fail"]
    press(page, "l")
    shows(page, 3)


def test_a_long_output_folds_and_the_rest_is_loaded_on_request(
    page: Page, desk: tuple[CriteriaSet, User]
) -> None:
    candidate = make_candidate(desk[0], "word " * 30_000 + "the end", slots=1)
    candidate.slots.update(priority=5)
    press(page, "1")
    expect(page.get_by_text("Show all 150,007 characters")).to_be_visible()
    expect(page.locator(".output")).not_to_contain_text("the end")

    press(page, "e")
    page.get_by_role("link", name="Load more (130,007 characters").click()
    page.get_by_role("link", name="Load more (30,007 characters").click()

    expect(page.locator(".output")).to_contain_text("the end")
    press(page, "e")
    expect(page.get_by_text("Show less")).to_be_hidden()


def test_script_in_an_output_is_text(page: Page, desk: tuple[CriteriaSet, User]) -> None:
    hostile = "<img src=x onerror=\"document.title='owned'\"> \u202egnp.exe\u202c \x1b[31mred\x1b[0m"
    candidate = make_candidate(desk[0], hostile, slots=1)
    candidate.slots.update(priority=5)
    page.keyboard.press("1")

    expect(page.locator(".output")).to_contain_text("<img src=x onerror=")
    expect(page.locator(".output .token").first).to_have_text("RLO")
    assert "owned" not in page.title()
