"""Two leads at once, and a policy that changes while a run is being certified."""

from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from threading import Barrier

import pytest
from django.db import connections
from django.utils import timezone

from judging.models import Certificate, Judge, JudgeVersion, Run
from judging.services.certification import certify_run
from judging.services.judges import add_model_version
from judging.services.promoting import promote_version
from labeling.models import AuditEvent
from labeling.services.criteria_settings import update_set
from labeling.services.promotions import PromotedMeanwhile
from tests.factories import make_criteria_set, make_judge
from tests.judging.golden import make_run

pytestmark = pytest.mark.django_db(transaction=True)


def test_of_two_leads_who_saw_the_same_one_is_told_to_look_again() -> None:
    make_judge("strict")
    drafts = [add_model_version(slug="strict", model=f"openai/{n}", family="x") for n in range(2)]
    start = Barrier(2)

    def promote(version: JudgeVersion) -> bool:
        start.wait()
        try:
            promote_version(version=version, actor=None, seen=1)
        except PromotedMeanwhile:
            return False
        finally:
            connections.close_all()
        return True

    with ThreadPoolExecutor(2) as pool:
        done = list(pool.map(promote, drafts))

    assert sorted(done) == [False, True]
    assert Judge.objects.get().live_version == drafts[done.index(True)]
    assert AuditEvent.objects.filter(action="judge_promoted").count() == 1


@pytest.mark.parametrize("turn", range(3))
def test_no_run_is_certified_past_a_policy_that_became_stricter(turn: int) -> None:
    criteria_set = make_criteria_set()
    run = make_run(make_judge(), criteria_set, a=26, b=4, c=4, d=26)  # kappa .733
    Run.objects.update(finished_at=timezone.now())
    start = Barrier(2)

    def act(which: int) -> None:
        start.wait()
        try:
            if which:
                update_set(criteria_set=criteria_set, actor=None, bar=Decimal("0.8"))
            else:
                certify_run(run=run)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(act, range(2)))

    current = Certificate.objects.current().get()
    assert (Decimal(current.policy["bar"]), current.status) == (Decimal("0.8"), "uncertified")
