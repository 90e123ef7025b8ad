"""The life of a certificate as data: what readers see, what may follow from what, and the page about it."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from judging.domain.certificate_states import (
    MEANINGS,
    TRANSITIONS,
    Event,
    ForbiddenChange,
    State,
    check_change,
    raises,
    state_of,
)
from judging.models import Certificate

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "certificate-states.md"


def test_the_page_in_the_docs_is_what_the_code_writes() -> None:
    written = StringIO()

    call_command("certificate_states", stdout=written)

    assert DOCUMENT.read_text(encoding="utf-8") == written.getvalue()


def test_every_cause_of_a_certificate_is_an_event_with_its_changes() -> None:
    assert {str(cause) for cause in Certificate.Cause} == {str(event) for event in Event} == set(TRANSITIONS)
    assert set(MEANINGS) == set(State)


@pytest.mark.parametrize(
    ("status", "codes", "over", "state"),
    [
        (None, [], False, "never_calibrated"),
        ("certified", [], False, "certified"),
        ("certified", [], True, "expired"),
        ("uncertified", ["expired"], True, "expired"),
        ("uncertified", ["below_bar"], False, "uncertified"),
        ("uncertified", ["below_bar", "expired"], True, "uncertified"),
        ("uncertified", ["drift_alarm"], False, "suspended"),
        ("uncertified", ["provider_model_changed", "expired"], True, "suspended"),
        ("uncertified", ["drift_alarm", "golden_set_changed"], False, "suspended"),
    ],
)
def test_what_readers_see(status: str | None, codes: list[str], over: bool, state: str) -> None:
    assert state_of(status, codes, over=over) == state


def test_only_what_asks_the_judge_certifies_who_was_refused() -> None:
    assert {event for event in Event if raises(event)} == {Event.RUN, Event.RETRY, Event.ORDERING}


def test_only_a_run_makes_young_again_what_expired() -> None:
    young = {event for event in Event if State.CERTIFIED in TRANSITIONS[event].get(State.EXPIRED, ())}

    assert young == {Event.RUN}


def test_what_the_table_does_not_know_is_refused() -> None:
    check_change(State.SUSPENDED, "reinstated", State.CERTIFIED)

    with pytest.raises(
        ForbiddenChange, match="uncertified cannot become certified by the event “golden_set”"
    ):
        check_change(State.UNCERTIFIED, "golden_set", State.CERTIFIED)
    with pytest.raises(ForbiddenChange):
        check_change(State.EXPIRED, "reinstated", State.CERTIFIED)
