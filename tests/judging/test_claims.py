"""Claims: who holds which rows, and what becomes of rows that kill their workers."""

from datetime import timedelta

import pytest
from django.utils import timezone

from judging.models import Verdict
from judging.services import claims
from judging.services.engine import work_on
from judging.services.finishing import finish_run
from judging.services.plans import Plan, plan_of
from judging.services.pump import Pump
from tests.judging.running import juror, outcomes, panel, rows, scoring, scripted

pytestmark = pytest.mark.django_db


def prepared(number: int) -> Plan:
    return plan_of(scoring(juror(base_url_env="", api_key_env=""), rows(number)))


def died() -> None:
    """The worker died: nobody renews its leases, and they run out."""
    Verdict.objects.exclude(claimed_by="").update(lease_until=timezone.now() - timedelta(seconds=1))


def test_two_workers_never_hold_one_row() -> None:
    plan = prepared(5)

    first, second, third = (claims.claim(plan, name, 3) for name in ("one", "two", "three"))

    assert [len(first), len(second), len(third)] == [3, 2, 0]
    assert not set(first) & set(second)


def test_a_row_whose_lease_ran_out_is_claimed_by_another() -> None:
    plan = prepared(1)
    held = claims.claim(plan, "one", 1)
    died()

    assert claims.claim(plan, "two", 1) == held
    assert claims.renew("one", held) == 0
    assert claims.renew("two", held) == 1


def test_a_worker_at_work_renews_its_lease() -> None:
    plan = prepared(1)
    pump = Pump(plan, "one")
    pump.begin(claims.claim(plan, pump.worker, 1))
    died()
    pump.renewed_at -= 3600

    pump.hold_on()

    assert claims.claim(plan, "two", 1) == []


def test_giving_back_after_a_failure_is_an_attempt() -> None:
    plan = prepared(1)
    held = claims.claim(plan, "one", 1)

    claims.release("one", held, attempted=True)

    assert Verdict.objects.get(pk=held[0]).claims == 1


def test_nobody_gives_back_or_ends_what_another_holds() -> None:
    plan = prepared(1)
    held = claims.claim(plan, "one", 1)

    assert claims.release("two", held) == 0
    assert not finish_run(run_id=plan.run_id)


def test_giving_back_is_no_attempt_and_dying_is_one() -> None:
    plan = prepared(1)
    for _ in range(5):
        claims.release("one", claims.claim(plan, "one", 1))
    held = claims.claim(plan, "one", 1)
    died()
    claims.claim(plan, "two", 1)

    assert Verdict.objects.get(pk=held[0]).claims == 2


def test_a_row_that_killed_two_workers_is_claimed_alone_and_after_the_third_set_aside() -> None:
    plan = prepared(3)
    for _ in range(2):
        claims.claim(plan, "worker", 1)
        died()
        Verdict.objects.filter(claims=0).update(lease_until=timezone.now() + timedelta(hours=1))
    Verdict.objects.filter(claims=0).update(lease_until=None)

    assert len(claims.claim(plan, "worker", 10)) == 2
    assert len(claims.claim_suspect(plan, "worker")) == 1
    died()
    assert claims.park_lost(plan.run_id) == 1
    assert Verdict.objects.get(reason="worker_lost").claims == 3


def test_a_parked_row_takes_its_jurors_with_it_and_the_run_finishes(monkeypatch: pytest.MonkeyPatch) -> None:
    run = scoring(panel("pass", "pass", "pass"), rows(3))
    poison = run.verdicts.filter(panel_verdict=None).first()
    assert poison is not None
    Verdict.objects.filter(pk=poison.pk).update(claims=3)

    with scripted(monkeypatch):
        work_on(run.pk)

    run.refresh_from_db()
    assert run.state == "finished"
    assert outcomes(run) == {"panel pass": 2, "juror pass": 6, "panel skipped": 1, "juror skipped": 3}


def test_nothing_of_a_paused_run_is_claimed() -> None:
    plan = prepared(2)
    scoring_run = Verdict.objects.first()
    assert scoring_run is not None
    type(scoring_run.run).objects.update(state="paused", pause_reason="no_credit")

    assert claims.claim(plan, "one", 5) == []
