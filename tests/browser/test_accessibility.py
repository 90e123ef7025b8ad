"""Every page in a real browser: no barrier that axe-core calls serious, no words for machines."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Browser, Page
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from demo.example import load_example
from tests.browser.conftest import InProgress, Login
from tests.browser.every_page import (
    NO_PAGES,
    Site,
    admin_pages,
    demo_pages,
    labeler_pages,
    lead_pages,
    make_site,
    routes,
    stranger_pages,
)

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

AXE = Path(sys.prefix) / "axe"
BARRIERS = (Path(__file__).parent / "barriers.js").read_text(encoding="utf-8")
EVERYTHING: dict[str, list[str]] = {}
CONTRAST = {"runOnly": ["color-contrast"]}
# A button without a name, words for machines, a grey on grey that only the dark has, and a line too wide.
WRONG = f"""<button></button><p>None of some_code, <code>but_code</code></p>
    <p class="demo"><font color="#5b4a00">Not to be read in the dark.</font></p><nobr>{"wide" * 99}</nobr>"""


@pytest.fixture(scope="module")
def axe() -> str:
    """The source of axe-core, which `make test` fetches."""
    found = sorted(AXE.glob("*.js"))
    if not found:
        pytest.fail("axe-core is not there: “make test” fetches it.", pytrace=False)
    return found[-1].read_text(encoding="utf-8")


@pytest.fixture
def site() -> Site:
    return make_site()


@pytest.fixture
def page(browser: Browser, live_server: LiveServer, in_progress: InProgress) -> Iterator[Page]:
    """A reader far from Greenwich, for whom no colour is on its way to another."""
    context = browser.new_context(base_url=live_server.url, timezone_id="Asia/Tokyo", reduced_motion="reduce")
    yield context.new_page()
    context.close()
    in_progress.wait_for_none()


def test_every_route_is_visited(site: Site) -> None:
    walks = (lead_pages, labeler_pages, admin_pages, stranger_pages, demo_pages)

    visited = {name for walk in walks for name in walk(site)}

    assert visited | NO_PAGES == set(routes())


def test_a_lead_meets_no_barrier(page: Page, login: Login, site: Site, axe: str) -> None:
    login(page, site.lead)

    assert report(page, axe, lead_pages(site)) == ""


def test_a_labeler_meets_no_barrier(page: Page, login: Login, site: Site, axe: str) -> None:
    login(page, site.labeler)

    assert report(page, axe, labeler_pages(site), refused=("import", "home")) == ""


def test_an_administrator_meets_no_barrier(page: Page, login: Login, site: Site, axe: str) -> None:
    login(page, User.objects.create_superuser("root"))

    assert report(page, axe, admin_pages(site)) == ""


def test_a_stranger_meets_no_barrier(page: Page, site: Site, axe: str) -> None:
    assert report(page, axe, stranger_pages(site)) == ""


def test_the_demo_has_no_barrier(page: Page, login: Login, site: Site, axe: str, settings: Settings) -> None:
    settings.VERA_DEMO = True
    load_example()
    assert report(page, axe, stranger_pages(site)) == ""

    login(page, User.objects.get(username="lead"))
    assert report(page, axe, demo_pages(site)) == ""


def test_what_is_wrong_is_found(page: Page, login: Login, site: Site, axe: str) -> None:
    login(page, site.labeler)
    page.goto("/")
    page.evaluate(f"document.querySelector('main').innerHTML = `{WRONG}`")

    found = list(troubles(page, axe))

    assert [trouble.split()[0] for trouble in found] == [
        "button-name:",
        "“None”",
        "“some_code”",
        "dark:",
        "360",
    ]


def report(page: Page, axe: str, pages: dict[str, list[str]], refused: tuple[str, ...] = ()) -> str:
    """What is wrong with these pages, a line each. Only those of the routes `refused` may be refusals."""
    wrong = []
    for route, addresses in pages.items():
        for address in addresses:
            page.set_viewport_size({"width": 1280, "height": 800})
            page.emulate_media(color_scheme="light")
            answer = page.goto(address)
            if answer is None or (answer.status != 200 and route not in refused):
                wrong.append(f"{address} answers {answer and answer.status}")
            wrong += [f"{address} {trouble}" for trouble in troubles(page, axe)]
    return "\n".join(wrong)


def troubles(page: Page, axe: str) -> Iterator[str]:
    """What is wrong with the page on show in the light, in the dark, and on a phone."""
    page.evaluate(axe)
    yield from page.evaluate(BARRIERS, EVERYTHING)
    page.emulate_media(color_scheme="dark")
    yield from (f"dark: {each}" for each in page.evaluate(BARRIERS, CONTRAST))
    page.set_viewport_size({"width": 360, "height": 740})
    if (wide := page.evaluate("document.scrollingElement.scrollWidth")) > 360:
        yield f"360 px: {wide} px wide"
