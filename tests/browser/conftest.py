"""A real Chromium for the tests of pages: fixtures `browser`, `page`, and `login(page, user)`."""

import os
import shutil
import time
from collections.abc import Callable, Iterator
from threading import Lock
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.handlers.wsgi import WSGIHandler
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright
from pytest_django.live_server_helper import LiveServer

type Login = Callable[[Page, User], None]

ARGUMENTS = [
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def chromium() -> str:
    """Where Chromium is: `CHROMIUM`, else the usual places."""
    found = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if not found or not os.access(found, os.X_OK):
        pytest.fail(
            "The browser tests need Chromium: install it, or set CHROMIUM to its path.", pytrace=False
        )
    return found


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One Chromium for all tests of a process."""
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        yield started
        started.close()


class InProgress:
    """How many requests the live server is answering at the moment."""

    def __init__(self) -> None:
        self._lock, self._number = Lock(), 0

    def count(self, change: int) -> None:
        with self._lock:
            self._number += change

    def wait_for_none(self) -> None:
        """A page that closes still sends its draft: nobody may empty the database under that request."""
        quiet, until = 0, time.monotonic() + 10
        while quiet < 3 and time.monotonic() < until:
            time.sleep(0.02)
            quiet = 0 if self._number else quiet + 1


@pytest.fixture
def in_progress(monkeypatch: pytest.MonkeyPatch) -> InProgress:
    """Count what the server of this test is answering."""
    requests, answer = InProgress(), WSGIHandler.__call__

    def counted(handler: WSGIHandler, *given: Any) -> Any:
        requests.count(1)
        try:
            return answer(handler, *given)
        finally:
            requests.count(-1)

    monkeypatch.setattr(WSGIHandler, "__call__", counted)
    return requests


@pytest.fixture
def context(browser: Browser, live_server: LiveServer, in_progress: InProgress) -> Iterator[BrowserContext]:
    """A fresh profile at the address of the live server."""
    fresh = browser.new_context(base_url=live_server.url, viewport={"width": 1280, "height": 800})
    fresh.set_default_timeout(10_000)
    yield fresh
    fresh.close()
    in_progress.wait_for_none()


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """A page; a script error on it, or a policy violation, fails the test."""
    opened = context.new_page()
    errors: list[str] = []
    opened.on("pageerror", lambda error: errors.append(str(error)))
    opened.on("console", lambda said: errors.append(said.text) if "Content Security" in said.text else None)
    yield opened
    assert errors == []


@pytest.fixture
def login(live_server: LiveServer) -> Login:
    """`login(page, user)`: the session of `user` in this page's profile, without the login form."""

    def enter(page: Page, user: User) -> None:
        client = Client()
        client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
        session = client.cookies[settings.SESSION_COOKIE_NAME].value
        page.context.add_cookies(
            [{"name": settings.SESSION_COOKIE_NAME, "value": session, "url": live_server.url}]
        )

    return enter
