"""The editor of criteria: what changes is seen while it is typed, and nothing typed is lost."""

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Dialog, Page, expect

from labeling.models import CriteriaVersion
from tests.browser.conftest import Login
from tests.factories import make_criteria_set, make_user

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def lead() -> User:
    return make_user("lena", lead_of=make_criteria_set("replies"))


def test_what_changes_is_shown_while_it_is_typed_and_leaving_is_asked_about(
    page: Page, login: Login, lead: User
) -> None:
    asked: list[str] = []

    def stay(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.dismiss()

    page.on("dialog", stay)
    login(page, lead)
    page.goto("/sets/replies/criteria/new/")

    page.get_by_label("What good looks like").fill("The output meets all criteria.")
    expect(page.locator("#preview ins")).to_have_text("all")
    page.get_by_label("Weight").fill("3")
    expect(page.locator("#preview")).to_contain_text("(3 × 100 %) ÷ 3 = 100 %")

    page.get_by_role("link", name="Cancel").click(no_wait_after=True)
    expect(page.get_by_label("Weight")).to_have_value("3")
    assert asked == ["beforeunload"]


def test_a_criterion_is_added_for_a_rule_and_moved_in_place(page: Page, login: Login, lead: User) -> None:
    login(page, lead)
    page.goto("/sets/replies/criteria/new/")
    expect(page.get_by_label("Most words")).to_be_hidden()

    page.get_by_role("button", name="Add a criterion").click()
    second = page.get_by_role("group", name="Criterion 2")
    second.get_by_label("Name").fill("short")
    second.get_by_label("What good looks like").fill("At most ninety words.")
    second.get_by_label("Scored by").select_option("max_words")
    second.get_by_label("Most words").fill("90")
    page.get_by_role("button", name="Move up criterion 2").click()
    expect(page.get_by_role("group", name="Criterion 1: short")).to_be_visible()
    page.get_by_role("button", name="Save as a draft").click()

    expect(page.get_by_text("Version 2 is saved as a draft.")).to_be_visible()
    first = CriteriaVersion.objects.get(number=2).criteria.get(position=1)
    assert (first.name, first.params) == ("short", {"words": 90})
