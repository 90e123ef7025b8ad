"""The lines of docs/webhooks.md that check a message do check it."""

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from judging.domain.webhook_events import WAITS, Event
from judging.domain.webhook_signing import secret_from, signed_headers

TEXT = (Path(__file__).parents[2] / "docs" / "webhooks.md").read_text(encoding="utf-8")
SECRET = secret_from("master", "salt")
BODY = b'{"type":"webhook.test"}'


@pytest.fixture
def is_from_vera() -> Callable[..., bool]:
    """The function of the documentation."""
    (code,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    known: dict[str, Any] = {}
    exec(code, known)
    found: Callable[..., bool] = known["is_from_vera"]
    return found


def test_it_accepts_what_we_send_by_the_secret_and_the_one_before(is_from_vera: Callable[..., bool]) -> None:
    secrets = [SECRET, secret_from("master", "before")]
    headers = signed_headers(secrets, "msg_1", int(time.time()), BODY)

    assert all(is_from_vera(secret, headers, BODY) for secret in secrets)


def test_it_refuses_another_secret_another_body_and_an_old_message(is_from_vera: Callable[..., bool]) -> None:
    headers = signed_headers([SECRET], "msg_1", int(time.time()), BODY)
    old = signed_headers([SECRET], "msg_1", int(time.time()) - 400, BODY)

    assert not is_from_vera(secret_from("master", "other"), headers, BODY)
    assert not is_from_vera(SECRET, headers, BODY + b" ")
    assert not is_from_vera(SECRET, old, BODY)


def test_every_type_of_message_and_every_wait_is_documented() -> None:
    named = set(re.findall(r"^\| `([a-z.]+)` \|", TEXT, re.MULTILINE))

    assert named == set(Event)
    assert "5 seconds, 5 minutes, 30 minutes, 2, 5, 10, 14, 20 and 24 hours" in TEXT
    assert [wait.total_seconds() for wait in WAITS] == [
        5,
        300,
        1800,
        *(hours * 3600 for hours in (2, 5, 10, 14, 20, 24)),
    ]
