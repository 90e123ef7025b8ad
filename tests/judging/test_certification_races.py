"""Two at once: what the lock on the judge version is for, and what is not done while others wait."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from django.db import connection, connections, transaction

from judging.models import Calibration, Certificate, Run
from judging.services.certification import certify_run
from judging.services.finishing import finish_run
from judging.services.runs import cancel_run
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


@pytest.mark.parametrize("end", [lambda run: finish_run(run_id=run.pk), lambda run: cancel_run(run=run)])
def test_layer_1_reads_the_rows_before_the_transaction_that_certifies(end: Callable[[Run], object]) -> None:
    run = make_run(make_judge(), make_criteria_set(), a=2, d=2)
    Run.objects.filter(pk=run.pk).update(state="running", finished_at=None)
    in_transaction: list[bool] = []

    def look(execute: Any, sql: str, *more: Any) -> Any:
        if "submitted_meta" in sql:
            in_transaction.append(connection.in_atomic_block)
        return execute(sql, *more)

    with connection.execute_wrapper(look):
        end(run)

    assert in_transaction == [False]
    assert Certificate.objects.get().n == 4


def test_rows_settled_after_that_are_looked_at_too() -> None:
    run = make_run(make_judge(), make_criteria_set(), a=2, d=2)
    known = run.verdicts.order_by("pk").values_list("candidate", flat=True)[:3]

    certificate = certify_run(run=run, known=dict.fromkeys(known, "empty_output"))

    assert certificate is not None
    killed_by = certificate.calibration.rows.order_by("candidate").values_list("killed_by", flat=True)
    assert list(killed_by) == ["empty_output"] * 3 + [""]
