"""Every event from every state to every state: what the table does not know never gets into the history."""

from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from judging.domain.certificate_states import TRANSITIONS, Event, ForbiddenChange, State
from judging.domain.reasons import CertificateReason, Reason
from judging.models import Certificate
from judging.services.certificates import carry_on, recorded_state
from tests.factories import make_criteria_set, make_judge
from tests.judging.dashboards import certify

pytestmark = pytest.mark.django_db

AGAINST: dict[State, list[str]] = {
    State.UNCERTIFIED: ["below_bar"],
    State.CERTIFIED: [],
    State.SUSPENDED: ["drift_alarm", "below_bar"],
    State.EXPIRED: ["expired"],
}


@pytest.mark.parametrize("event", Event)
def test_an_event_leads_where_the_table_says_and_nowhere_else(event: Event) -> None:
    certify(make_judge(), make_criteria_set(), a=20, d=20)

    led = {(before, after) for before in AGAINST for after in AGAINST if happens(event, before, after)}

    known = {(before, after) for before, states in TRANSITIONS[event].items() for after in states}
    assert led == {change for change in known if change[0] != State.NEVER_CALIBRATED}


def happens(event: Event, before: State, after: State) -> bool:
    """Whether the event may be added to a certificate that is `before` and make it `after`; not kept."""
    current = Certificate.objects.current()
    with transaction.atomic():
        status = "certified" if before == State.CERTIFIED else "uncertified"
        told: list[dict[str, Any]] = [{"code": code, "detail": "", "message": ""} for code in AGAINST[before]]
        current.update(status=status, reasons=told)
        reasons = [Reason(CertificateReason(code), "", "") for code in AGAINST[after]]
        try:
            added = carry_on(current.get(), reasons, cause=Certificate.Cause(event), moment=timezone.now())
        except ForbiddenChange:
            return False
        finally:
            transaction.set_rollback(True)
    return recorded_state(added) == after


def test_only_a_run_is_the_first_event() -> None:
    firsts = {event for event in Event if State.NEVER_CALIBRATED in TRANSITIONS[event]}

    assert firsts == {Event.RUN}
