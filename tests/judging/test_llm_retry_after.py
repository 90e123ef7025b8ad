"""When to come again, as providers say it in their headers."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.llm_errors import retry_after_of


def failed(**headers: str) -> Exception:
    error = Exception("Too many calls.")
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    error.response = SimpleNamespace(headers=named)  # type: ignore[attr-defined]
    return error


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry_after": "7"}, 7.0),
        ({"retry_after": "1.5"}, 1.5),
        ({"retry_after": "-3"}, 0.0),
        ({"retry_after": "soon"}, None),
        ({"retry_after": "nan"}, None),
        ({"retry_after": "inf"}, None),
        ({"retry_after": "1e30"}, 86_400.0),
        ({"retry_after_ms": "250", "retry_after": "1"}, 0.25),
        ({"retry_after_ms": "?", "retry_after": "2"}, 2.0),
        ({"retry_after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
    ],
)
def test_what_is_no_time_is_not_believed(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after_of(failed(**headers)) == seconds


def test_a_date_is_as_good_as_a_number() -> None:
    then = datetime.now(UTC) + timedelta(seconds=30)

    assert retry_after_of(failed(retry_after=format_datetime(then, usegmt=True))) == pytest.approx(30, abs=2)


@given(said=st.text())
def test_nothing_that_a_provider_says_raises(said: str) -> None:
    seconds = retry_after_of(failed(retry_after=said))

    assert seconds is None or 0 <= seconds <= 86_400
