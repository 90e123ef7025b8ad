"""What a change is called, and when a message is sent again."""

from datetime import UTC, datetime, timedelta

import pytest

from judging.domain.webhook_events import MOST_TRIES, WAITS, Answer, Event, event_of, wait_after

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
LATER = NOW + timedelta(days=30)


def yes(*warnings: str, until: datetime = LATER) -> Answer:
    return Answer(True, frozenset(warnings), until)


def no(*reasons: str) -> Answer:
    return Answer(False, frozenset(reasons), LATER)


@pytest.mark.parametrize(
    ("before", "after", "event"),
    [
        (None, yes(), Event.CERTIFIED),
        (None, no("too_few_rows"), Event.UNCERTIFIED),
        (yes(), yes(), None),
        (no("below_bar"), no("below_bar"), None),
        (no("below_bar"), yes(), Event.CERTIFIED),
        (yes(), no("below_bar"), Event.UNCERTIFIED),
        (yes(), no("drift_alarm"), Event.SUSPENDED),
        (yes(), no("provider_model_changed"), Event.SUSPENDED),
        (no("drift_alarm"), no("drift_alarm", "below_bar"), Event.UPDATED),
        (no("drift_alarm"), no("drift_alarm", "provider_model_changed"), Event.SUSPENDED),
        (yes(), no("expired"), Event.EXPIRED),
        (no("below_bar"), no("too_few_rows"), Event.UPDATED),
        (yes(), yes("golden_set_changed"), Event.UPDATED),
        (yes(), yes(until=LATER + timedelta(days=1)), Event.UPDATED),
        (yes(until=NOW), yes(), Event.CERTIFIED),
        (yes(until=NOW), no("below_bar"), Event.UNCERTIFIED),
    ],
)
def test_each_change_has_its_name(before: Answer | None, after: Answer, event: Event | None) -> None:
    assert event_of(before, after, NOW) == event


def test_a_lifted_suspension_reinstates_only_what_holds_again() -> None:
    assert event_of(no("drift_alarm"), yes(), NOW, reinstated=True) == Event.REINSTATED
    assert event_of(no("drift_alarm"), no("expired"), NOW, reinstated=True) == Event.EXPIRED


def test_waits_grow_over_three_days_and_then_end() -> None:
    waits = [wait_after(tries) for tries in range(1, MOST_TRIES)]

    assert waits == list(WAITS) == sorted(WAITS)
    assert waits[0] == timedelta(seconds=5)
    assert sum(WAITS, timedelta()) == timedelta(hours=75, minutes=35, seconds=5)
    assert wait_after(MOST_TRIES) is None


def test_an_address_may_ask_for_more_time_but_not_for_ever() -> None:
    assert wait_after(1, retry_after=120) == timedelta(seconds=120)
    assert wait_after(2, retry_after=1) == timedelta(minutes=5)
    assert wait_after(1, retry_after=10**8) == timedelta(days=1)


def test_jitter_adds_a_tenth_at_the_most() -> None:
    assert wait_after(2, jitter=1.0) == timedelta(minutes=5.5)
