"""Two at once: what the lock on the judge version is for."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connections, transaction

from judging.models import Calibration, Certificate
from judging.services.certification import certify_run
from labeling.services.truth import truth_changed
from tests.factories import live, make_criteria_set, make_judge
from tests.judging.golden import certified, correct, make_run

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_run_certified_by_two_workers_at_once_is_certified_once() -> None:
    run = make_run(make_judge(), make_criteria_set(), a=30, d=30)
    start = Barrier(2)

    def certify(_: int) -> int:
        start.wait()
        try:
            certificate = certify_run(run=run)
            return certificate.pk if certificate else 0
        finally:
            connections.close_all()

    with ThreadPoolExecutor(2) as pool:
        made = set(pool.map(certify, range(2)))

    assert made == {Certificate.objects.get().pk}
    assert Calibration.objects.count() == 1


def test_many_corrections_at_once_leave_one_certificate_with_all_of_them() -> None:
    criteria_set = make_criteria_set()
    before = certified(make_run(make_judge(), criteria_set, a=20, d=20))
    rows = [row.candidate for row in before.calibration.rows.filter(truth="pass")[:6]]

    def rule(candidate_index: int) -> None:
        try:
            with transaction.atomic():
                correct(rows[candidate_index], "fail")
                truth_changed(version=live(criteria_set), candidate_ids=[rows[candidate_index].pk])
        finally:
            connections.close_all()

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(rule, range(6)))

    current = Certificate.objects.current().get()
    assert (current.calibration.table.a, current.calibration.table.c) == (14, 6)
    assert Calibration.objects.filter(is_current=True).count() == 1
