"""Certificates with real workers: what their timers see is acted on once, whoever sees it first."""

from datetime import timedelta

import pytest
from django.utils import timezone

from judging.models import AnsweredAs, Certificate, Run
from tests.factories import make_criteria_set
from tests.faults.conftest import MakeHouse
from tests.faults.servers import wait_for
from tests.judging.dashboards import certify
from tests.judging.running import juror

pytestmark = pytest.mark.faults


def test_two_workers_note_an_expiry_and_a_change_of_model_once_and_replay(make_house: MakeHouse) -> None:
    house = make_house()
    aging = certify(juror("pass"), make_criteria_set(), a=20, d=20)
    over = timezone.now() + timedelta(seconds=2)
    Certificate.objects.update(expires_at=over, calibrated_at=over - timedelta(days=30))
    changed = certify(juror("pass"), make_criteria_set(), a=20, d=20)
    run = changed.calibration.run
    run.verdicts.update(answered_model="pass-2026-08-06")
    AnsweredAs.objects.create(
        run=run, judge_version=changed.judge_version, model="pass-2026-11-20", seen_at=timezone.now()
    )

    house.start_worker()
    house.start_worker()

    wait_for(Run.objects.filter(kind="replay", state="finished").exists, 90, "the workers to replay")
    wait_for(Certificate.objects.filter(cause="expired").exists, 60, "the workers to note the expiry")
    assert Run.objects.filter(kind="replay").count() == 1
    causes = {
        pair: list(
            Certificate.objects.filter(judge_version=pair).order_by("pk").values_list("cause", flat=True)
        )
        for pair in (aging.judge_version_id, changed.judge_version_id)
    }
    assert causes[aging.judge_version_id] == ["run", "expired"]
    # The replay passes every row, which people did not; so it lifts nothing.
    assert causes[changed.judge_version_id] == ["run", "provider_model"]
