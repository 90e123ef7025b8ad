"""The rulings page by keyboard alone."""

import pytest
from playwright.sync_api import Page, expect

from labeling.models import AuditEvent, Candidate, CriteriaSet, Ruling, Slot
from tests.browser.conftest import Login
from tests.factories import live, make_candidate, make_criteria_set, make_label, make_user

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def criteria_set() -> CriteriaSet:
    return make_criteria_set("notes")


def conflicts(criteria_set: CriteriaSet, number: int) -> list[Candidate]:
    rows = [make_candidate(criteria_set) for _ in range(number)]
    ada, bo = make_user("ada"), make_user("bo")
    for row in rows:
        make_label(row, ada, "pass")
        make_label(row, bo, "fail")
    return rows


def test_three_rulings_without_a_mouse(page: Page, login: Login, criteria_set: CriteriaSet) -> None:
    first, second, third = conflicts(criteria_set, 3)
    login(page, make_user("lena", lead_of=criteria_set))
    page.goto("/sets/notes/rulings/")

    for keys in (["j", "j", "r"], ["r"], ["k", "r"]):
        for key in keys:
            page.keyboard.press(key)
        page.keyboard.type("It names no owner: 1 of 2.")
        page.keyboard.press("Escape")
        page.keyboard.press("2")
        expect(page.get_by_text("is ruled fail")).to_be_visible()

    # The second one first, then the third, which the page came back to, then the first.
    ruled = Ruling.objects.order_by("pk").values_list("candidate_id", flat=True)
    assert list(ruled) == [second.pk, third.pk, first.pk]
    assert {ruling.reason for ruling in Ruling.objects.all()} == {"It names no owner: 1 of 2."}


def test_without_a_reason_the_focus_is_where_it_is_missing_and_a_row_goes_back_by_key(
    page: Page, login: Login, criteria_set: CriteriaSet
) -> None:
    row = make_candidate(criteria_set)
    Slot.objects.create(candidate=row, version=live(criteria_set), number=1, state="lead")
    login(page, make_user("lena", lead_of=criteria_set))
    page.goto("/sets/notes/rulings/")

    page.keyboard.press("j")
    page.keyboard.press("1")
    expect(page.get_by_label("Why")).to_be_focused()
    page.keyboard.press("Escape")
    page.keyboard.press("b")
    page.keyboard.type("criteria made clear")
    page.keyboard.press("Enter")

    expect(page.get_by_text("is back in the queue")).to_be_visible()
    assert AuditEvent.objects.get(action="row_put_back").details["note"] == "criteria made clear"
    assert not Ruling.objects.exists()


def test_a_verdict_stays_pressed_until_its_reason_is_there_and_ctrl_enter_sends_it(
    page: Page, login: Login, criteria_set: CriteriaSet
) -> None:
    first, _ = conflicts(criteria_set, 2)
    login(page, make_user("lena", lead_of=criteria_set))
    page.goto("/sets/notes/rulings/")

    page.keyboard.press("2")
    row = page.locator(f"#row-{first.pk}")
    expect(row.get_by_label("Why")).to_be_focused()
    expect(row.get_by_text("Say in a sentence why")).to_be_visible()
    expect(row.get_by_role("button", name="Rule fail", pressed=True)).to_be_visible()
    page.keyboard.type("It names no owner.")
    page.keyboard.press("Control+Enter")

    expect(page.get_by_text(f"Row {first.pk} is ruled fail")).to_be_visible()
    assert Ruling.objects.get().reason == "It names no owner."
