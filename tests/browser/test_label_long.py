"""A long day of labeling in a real browser: fifty rows by keyboard, lost sessions, two tabs, time away."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import override_settings
from playwright.sync_api import Dialog, Page, Route, expect

from labeling.models import CriteriaSet, Criterion, Draft, Label, Skip, Slot
from labeling.services.guidelines import Example, save_guidelines
from tests.browser.conftest import Login
from tests.factories import live, make_candidate, make_criteria_set, make_user

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

URL = "/sets/summaries/label/"
ROWS = 54


@pytest.fixture
def criteria_set() -> CriteriaSet:
    """A set with two criteria and more rows in the queue than fifty."""
    made = make_criteria_set("summaries")
    Criterion.objects.create(
        version=live(made), position=2, name="tone", description="Friendly.", scale_min=1, scale_max=5
    )
    for number in range(1, ROWS + 1):
        make_candidate(made, f"Summary number {number}.", slots=1)
    return made


@pytest.fixture
def labeler(criteria_set: CriteriaSet) -> User:
    return make_user("lena", labels=criteria_set)


@pytest.fixture
def desk(page: Page, login: Login, labeler: User) -> Page:
    """The page of a logged-in labeler, whose clock a test may put forward."""
    page.clock.install()
    login(page, labeler)
    page.goto(URL)
    return page


def shows(page: Page, number: int) -> None:
    """Wait until row `number` is on the page, and past the moment in which a press is taken for a double."""
    expect(page.locator(".output")).to_contain_text(f"Summary number {number}.")
    page.clock.fast_forward(500)


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def comment(page: Page, words: str) -> None:
    press(page, "c")
    page.keyboard.type(words)
    press(page, "Escape")


def test_fifty_rows_by_keyboard_alone(desk: Page) -> None:
    """Every third row with marks, every fifth with a comment, two skipped, one undone, one sent offline."""
    wanted: dict[str, tuple[str, str, dict[str, int]]] = {}
    for number in range(1, 53):
        shows(desk, number)
        if number in (10, 40):
            press(desk, "s", "3")
            continue
        marks = {"meets_criteria": number % 2, "tone": number % 5 + 1} if number % 3 == 0 else {}
        words = f"Remark {number}." if number % 5 == 0 else ""
        if marks:
            press(desk, "m", *map(str, marks.values()))
            desk.clock.fast_forward(700)
        if words:
            comment(desk, words)
        key, verdict = ("1", "pass") if number % 4 else ("2", "fail")
        if number == 20:
            press(desk, "1")
            shows(desk, 21)
            press(desk, "u")
            shows(desk, 20)
        if number == 30:
            desk.context.set_offline(True)
            press(desk, key)
            expect(desk.get_by_role("alert")).to_contain_text("Not saved – no connection.")
            desk.context.set_offline(False)
        press(desk, key)
        wanted[f"Summary number {number}."] = (verdict, words, marks)

    shows(desk, 53)
    given = Label.objects.current().prefetch_related("marks__criterion").select_related("candidate")
    assert {
        label.candidate.output: (
            label.verdict,
            label.comment,
            {mark.criterion.name: mark.score for mark in label.marks.all()},
        )
        for label in given
    } == wanted
    assert Skip.objects.current().filter(reason="broken_row").count() == 2
    expect(desk.locator("#row-heading")).to_be_focused()
    expect(desk.locator(".progress-line")).to_contain_text("50 of 50 today")
    expect(desk.get_by_text("Today's goal is reached: 50 rows.")).to_be_visible()


def test_keys_pressed_before_the_next_row_is_there_do_nothing(desk: Page) -> None:
    shows(desk, 1)
    network = desk.context.new_cdp_session(desk)
    network.send("Network.enable")
    slow = {"offline": False, "latency": 400, "downloadThroughput": -1, "uploadThroughput": -1}
    network.send("Network.emulateNetworkConditions", slow)

    press(desk, "1", "2", "u", "c", "x")

    shows(desk, 2)
    expect(desk.locator("#comment")).to_have_value("")
    assert list(Label.objects.values_list("verdict", flat=True)) == ["pass"]


def test_a_session_that_ends_and_a_login_in_another_tab(desk: Page) -> None:
    shows(desk, 1)
    desk.context.clear_cookies(name="sessionid")
    comment(desk, "Typed before.")
    press(desk, "2")
    expect(desk.get_by_role("alert")).to_contain_text("You are logged out, so this was not saved.")

    other = desk.context.new_page()
    other.goto("/accounts/login/")
    other.locator("[name=username]").fill("lena")
    other.locator("[name=password]").fill("secret")
    other.keyboard.press("Enter")
    other.wait_for_url(lambda address: "login" not in address)
    desk.get_by_role("button", name="Retry").click()

    shows(desk, 2)
    assert Label.objects.get().comment == "Typed before."


def test_a_page_that_another_account_opened_labels_for_nobody(
    desk: Page, criteria_set: CriteriaSet, login: Login
) -> None:
    shows(desk, 1)
    login(desk, make_user("lars", labels=criteria_set))

    press(desk, "1")

    expect(desk.get_by_role("alert")).to_contain_text("opened by another account")
    assert not Label.objects.exists()


def test_two_tabs_of_one_person(desk: Page) -> None:
    shows(desk, 1)
    other = desk.context.new_page()
    other.goto(URL)
    expect(other.locator(".output")).to_contain_text("Summary number 1.")
    other.locator("#comment").fill("Also typed here")

    press(desk, "1")
    shows(desk, 2)
    other.evaluate("hold()")

    expect(other.get_by_role("alert")).to_contain_text(
        "This row is no longer yours: you decided it in another"
    )
    expect(other.locator("#comment")).to_have_value("Also typed here")
    press(other, "Escape", "2")
    expect(other.locator("body")).to_contain_text("You already labelled this row: pass.")
    assert [label.verdict for label in Label.objects.all()] == ["pass"]


@override_settings(VERA_LABEL_LEASE=900)
def test_the_row_is_kept_while_somebody_is_there_and_time_away_is_told_apart(desk: Page) -> None:
    shows(desk, 1)
    desk.evaluate("form().elements.shown.value -= 700")
    Slot.objects.exclude(labeler=None).update(lease_until="2020-01-01T00:00Z")

    with desk.expect_response(re.compile("/hold/")) as held:
        desk.clock.fast_forward(660_000)  # eleven minutes without a touch
    press(desk, "1")

    shows(desk, 2)
    assert held.value.status == 204
    label = Label.objects.get()
    assert label.idle_seconds == pytest.approx(600, abs=5)
    assert label.seconds == pytest.approx(100, abs=60)


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (503, "Not saved – the server could not do it just now (503)."),
        (200, "Not saved – something else than Vera answered"),
    ],
)
def test_a_page_of_somebody_else_never_takes_the_rows_place(desk: Page, status: int, said: str) -> None:
    def elsewhere(route: Route) -> None:
        route.fulfill(status=status, content_type="text/html", body="<html><h1>Please wait</h1></html>")

    shows(desk, 1)
    desk.route(re.compile("/label/(draft/)?$"), elsewhere)
    comment(desk, "Kept.")
    press(desk, "2")
    expect(desk.get_by_role("alert")).to_contain_text(said)
    expect(desk.locator("#comment")).to_have_value("Kept.")
    desk.unroute_all()

    desk.get_by_role("button", name="Retry").click()

    shows(desk, 2)
    assert Label.objects.get().comment == "Kept."


def test_a_full_browser_without_a_connection_asks_before_it_forgets(desk: Page) -> None:
    shows(desk, 1)
    desk.evaluate(
        "void (Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); })"
    )
    desk.context.set_offline(True)
    comment(desk, "Nowhere but here")
    asked: list[str] = []

    def stay(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.dismiss()

    desk.on("dialog", stay)

    desk.evaluate("location.reload()")

    expect(desk.locator("#comment")).to_have_value("Nowhere but here")
    assert asked == ["beforeunload"]
    desk.context.set_offline(False)
    expect(desk.locator("#saved")).to_have_text("Draft saved.")
    assert Draft.objects.get().content["comment"] == "Nowhere but here"


def test_guidelines_open_and_close_by_key_and_stay_as_they_were_left(
    page: Page, login: Login, criteria_set: CriteriaSet, labeler: User
) -> None:
    example = Example("", "Hello?", "fail", "It greets nobody.")
    lead = make_user(lead_of=criteria_set)
    save_guidelines(criteria_set=criteria_set, text="Read first.", examples=[example], actor=lead)
    login(page, labeler)
    page.goto(URL)
    expect(page.get_by_text("It greets nobody.")).to_be_visible()

    page.keyboard.press("g")
    page.reload()

    expect(page.get_by_text("It greets nobody.")).to_be_hidden()
    save_guidelines(criteria_set=criteria_set, text="Read twice.", examples=[], actor=lead)
    page.wait_for_timeout(400)
    page.keyboard.press("1")
    expect(page.get_by_text("A lead changed the guidelines.")).to_be_visible()
    page.reload()
    expect(page.locator("#guidelines-new")).to_be_visible()


@pytest.mark.parametrize("width", [1440, 1700])
def test_a_wide_screen_shows_what_the_output_is_held_against_beside_it(desk: Page, width: int) -> None:
    desk.set_viewport_size({"width": width, "height": 900})

    request, output, form = (
        desk.locator(each).bounding_box() for each in (".context", ".output", "#decision")
    )

    assert request
    assert output
    assert form
    assert request["x"] + request["width"] <= output["x"] < output["x"] + output["width"] <= form["x"]
    assert abs(request["y"] - output["y"]) < 5
