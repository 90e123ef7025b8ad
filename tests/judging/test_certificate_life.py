"""Whatever happens between runs, and in whatever order: what has fallen does not rise."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import transaction
from django.db.models import F
from django.utils import timezone
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from judging.domain.certificate_states import State
from judging.models import Certificate
from judging.services.certificates import certifies_but_for_suspension, recorded_state
from judging.services.certification import golden_set_changed
from judging.services.expiring import expire_due
from judging.services.standing import find_standing
from judging.services.suspending import reinstate
from labeling.models import CriteriaSet
from tests.factories import make_criteria_set, make_judge
from tests.judging.dashboards import certify
from tests.judging.golden import correct
from tests.judging.living import replay, suspended

pytestmark = pytest.mark.django_db


def in_force() -> Certificate:
    return Certificate.objects.current().with_names().get()


def correct_rows(verdict: str) -> Callable[[], None]:
    """People change their minds about four rows, all in one direction."""

    def act() -> None:
        certificate = in_force()
        rows = list(certificate.calibration.rows.exclude(truth=verdict).order_by("pk")[:4])
        for row in rows:
            correct(row.candidate, verdict)
        golden_set_changed(certificate.criteria_version, [row.candidate_id for row in rows])

    return act


def alarm() -> None:
    certificate = in_force()
    if recorded_state(certificate) == State.CERTIFIED and certificate.is_certified(timezone.now()):
        suspended(certificate)


def lift() -> None:
    certificate = in_force()
    if recorded_state(certificate) == State.SUSPENDED:
        reinstate(
            judge_version_id=certificate.judge_version_id,
            criteria_version_id=certificate.criteria_version_id,
            now=timezone.now(),
            note="Let it gate.",
        )


def run_out() -> None:
    """The time of the certificate in force runs out; the worker has noted it, too."""
    month = timedelta(days=31)
    Certificate.objects.current().update(
        expires_at=F("expires_at") - month, calibrated_at=F("calibrated_at") - month
    )
    expire_due(now=timezone.now())


FAIL, PASS, GOOD, BAD = "people fail more", "people pass more", "a good replay", "a bad replay"
ALARM, LIFT, RUN_OUT = "the audit's alarm", "a lead lifts it", "time runs out"
ACTIONS: dict[str, Callable[[], object]] = {
    FAIL: correct_rows("fail"),
    PASS: correct_rows("pass"),
    GOOD: lambda: replay(in_force(), right=10),
    BAD: lambda: replay(in_force(), wrong=9),
    ALARM: alarm,
    LIFT: lift,
    RUN_OUT: run_out,
}


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(list(ACTIONS)), max_size=7))
@example([ALARM, FAIL, PASS, LIFT])
@example([ALARM, RUN_OUT, GOOD, GOOD])
@example([FAIL, PASS, ALARM, GOOD, GOOD])
def test_what_has_fallen_rises_by_no_order_of_events_between_runs(names: list[str]) -> None:
    with transaction.atomic():
        criteria_set = make_criteria_set()
        CriteriaSet.objects.filter(pk=criteria_set.pk).update(min_rows=20)
        certificate = certify(make_judge(), criteria_set, a=11, b=1, c=1, d=11)
        stands = True

        for name in names:
            ACTIONS[name]()
            now = in_force()
            assert not certifies_but_for_suspension(now, timezone.now()) or stands, names
            stands = certifies_but_for_suspension(now, timezone.now())
            assert now.calibration.run == certificate.calibration.run
            assert now.expires_at <= certificate.expires_at

        transaction.set_rollback(True)


def test_a_judge_that_was_refused_is_refused_after_all_of_it() -> None:
    certificate = certify(make_judge("strict"), make_criteria_set("replies"), a=20, b=12, c=12, d=20)

    for act in ACTIONS.values():
        act()

    standing = find_standing(judge="strict", criteria="replies", sets=None, now=timezone.now())
    assert not standing.certified
    assert not Certificate.objects.filter(status="certified").exists()
    assert standing.certificate is not None
    assert standing.certificate.calibration.run == certificate.calibration.run
