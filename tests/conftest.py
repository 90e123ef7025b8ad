"""What every test shares."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings as django_settings

# Playwright's synchronous API runs an event loop in the test's thread; Django would refuse the ORM there.
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")

SHARED = Path(os.environ.get("VERA_SHARED", Path(__file__).resolve().parents[2] / "shared"))


@pytest.fixture(autouse=True)
def _fast_passwords() -> Iterator[None]:
    """Hash passwords cheaply: no test is about how slow a guess is."""
    before = django_settings.PASSWORD_HASHERS
    django_settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    yield
    django_settings.PASSWORD_HASHERS = before


@pytest.fixture(autouse=True)
def _fresh_gates() -> Iterator[None]:
    """No test waits for a provider that is down, or finds one so, or a read noted, from the test before."""
    before = django_settings.VERA_PROVIDER_PATIENCE
    django_settings.VERA_PROVIDER_PATIENCE = 0
    yield
    django_settings.VERA_PROVIDER_PATIENCE = before
    if keeping := sys.modules.get("judging.services.gatekeeping"):
        keeping.forget_all()
    if readers := sys.modules.get("judging.services.readers"):
        readers.forget_reads()
    if secrets := sys.modules.get("judging.llm_secrets"):
        secrets.forget_keys()


@pytest.fixture
def published() -> Path:
    """The folder of published human-labelled sets, which are not part of this repository."""
    folder = SHARED / "data"
    if not folder.is_dir():
        pytest.skip(f"the published sets are not at {folder}; set VERA_SHARED to the folder that holds data/")
    return folder
