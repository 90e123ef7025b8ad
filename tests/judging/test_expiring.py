"""A certificate whose time runs out: over in that very second, and noted once, by whichever worker."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
from django.db import connections
from django.test import Client
from django.utils import timezone

from judging.models import Certificate
from judging.services import expiring
from judging.services.aside import Aside
from judging.services.certificates import certifies_but_for_suspension
from judging.services.expiring import expire_due
from judging.services.standing import find_standing
from judging.services.suspending import reinstate
from judging.services.tokens import create_token
from judging.tasks import note_expired
from tests.factories import make_criteria_set, make_judge
from tests.judging.dashboards import certify
from tests.judging.golden import codes
from tests.judging.living import suspended

pytestmark = pytest.mark.django_db

SECOND = timedelta(seconds=1)


def earned() -> Certificate:
    return certify(make_judge("strict"), make_criteria_set("replies"), a=20, d=20)


def overdue() -> Certificate:
    """One whose time ran out a moment ago."""
    certificate = earned()
    over = timezone.now() - SECOND
    Certificate.objects.update(calibrated_at=over - timedelta(days=30), expires_at=over)
    certificate.refresh_from_db()
    return certificate


def test_it_is_over_in_the_second_it_expires_and_not_before() -> None:
    certificate = earned()
    over = certificate.expires_at

    before, then = (
        find_standing(judge="strict", criteria="replies", sets=None, now=moment)
        for moment in (over - SECOND, over)
    )

    assert (before.certified, then.certified) == (True, False)
    assert [reason.code for reason in then.reasons] == ["expired"]
    assert expire_due(now=over - SECOND) == []
    [event] = expire_due(now=over)
    assert (event.cause, event.status, codes(event)) == ("expired", "uncertified", ["expired"])


def test_the_event_is_added_once_and_keeps_every_figure() -> None:
    certificate = overdue()

    note_expired()
    note_expired()

    event, before = Certificate.objects.order_by("-pk")
    assert (before, event.superseded_at) == (certificate, None)
    for name in ("kappa", "lower_bound", "n", "policy", "expires_at", "calibrated_at", "warnings"):
        assert getattr(event, name) == getattr(before, name)


def test_the_answer_is_the_same_before_and_after_a_worker_notes_it(client: Client) -> None:
    overdue()
    _, secret = create_token(name="pipeline", scopes=["gate"])
    address, headers = "/api/v1/certifications/strict/replies", {"authorization": f"Bearer {secret}"}
    before = client.get(address, headers=headers).json()

    note_expired()

    after = client.get(address, headers=headers).json()
    assert before == after
    assert (after["status"], [reason["code"] for reason in after["reasons"]]) == ("uncertified", ["expired"])


def test_who_was_refused_does_not_expire() -> None:
    certificate = certify(make_judge(), make_criteria_set(), a=2, d=2)

    assert expire_due(now=certificate.expires_at) == []


def test_a_suspension_outlives_the_certificate_and_lifted_it_is_over() -> None:
    certificate = earned()
    suspended(certificate)
    assert expire_due(now=certificate.expires_at) == []

    lifted = reinstate(
        judge_version_id=certificate.judge_version_id,
        criteria_version_id=certificate.criteria_version_id,
        now=certificate.expires_at,
        note="The audit was wrong.",
    )

    assert codes(lifted) == ["expired"]
    assert not certifies_but_for_suspension(lifted, certificate.expires_at)


def test_one_that_cannot_be_noted_holds_up_no_other_and_is_told_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(expiring, "_aside", Aside("Certificate %s cannot be noted."))
    broken, sound = earned(), certify(make_judge("mild"), make_criteria_set("mails"), a=20, d=20)
    Certificate.objects.filter(pk=broken.pk).update(reasons=[{"code": "of a later release"}])

    noted = [expire_due(now=sound.expires_at + wait) for wait in (0 * SECOND, SECOND, 700 * SECOND)]

    assert [[each.judge_version for each in events] for events in noted] == [[sound.judge_version], [], []]
    assert caplog.text.count(f"Certificate {broken.pk} cannot be noted.") == 1


@pytest.mark.django_db(transaction=True)
def test_two_workers_at_once_note_it_once() -> None:
    certificate = earned()
    start = Barrier(4)

    def note(_: int) -> int:
        start.wait(timeout=30)
        try:
            return len(expire_due(now=certificate.expires_at))
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as pool:
        noted = sum(pool.map(note, range(4)))

    assert (noted, Certificate.objects.filter(cause="expired").count()) == (1, 1)
