"""A judge that people disagree with on live rows loses its certificate, and why it stays."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from judging.models import Certificate, Delivery, JudgeVersion, Verdict, Webhook
from judging.services.certification import certify_run
from judging.services.drift import check_drift, check_every_drift, watched
from judging.services.suspending import reinstate
from judging.services.tokens import create_token
from labeling.models import CriteriaSet, Label, Slot
from tests.factories import live, make_criteria_set, make_judge, make_user
from tests.judging.auditing import audit, draw_all, make_scoring
from tests.judging.dashboards import certify
from tests.judging.golden import codes, make_run

pytestmark = pytest.mark.django_db


@pytest.fixture
def criteria_set() -> CriteriaSet:
    return make_criteria_set("replies")


@pytest.fixture
def strict(criteria_set: CriteriaSet) -> JudgeVersion:
    """Certified now, with an agreement of .93."""
    judge = make_judge("strict")
    certify(judge, criteria_set, a=46, b=4, c=3, d=47)
    return judge


def check(judge: JudgeVersion, criteria_set: CriteriaSet) -> Certificate | None:
    ids = {"judge_version_id": judge.pk, "criteria_version_id": live(criteria_set).pk}
    return check_drift(**ids, now=timezone.now())


def in_force() -> Certificate:
    return Certificate.objects.current().with_names().get()


def test_labels_that_disagree_close_the_gate(
    strict: JudgeVersion,
    criteria_set: CriteriaSet,
    client: Client,
    django_capture_on_commit_callbacks: Any,
) -> None:
    run = make_scoring(strict, criteria_set, ["pass"] * 9)
    draw_all(run)
    for verdict in run.verdicts.all():
        Slot.objects.create(candidate=verdict.candidate, version=run.criteria_version, number=1)
    client.force_login(make_user("lena", labels=criteria_set))
    _, secret = create_token(name="gate", scopes=["gate"], criteria_sets=[criteria_set])
    gate = Client(headers={"Authorization": f"Bearer {secret}"})
    assert gate.get("/api/v1/gate/strict/replies").status_code == 200
    Webhook.objects.create(criteria_set=criteria_set, url="https://example.org/hook", salt="1")

    with django_capture_on_commit_callbacks(execute=True):
        for verdict in run.verdicts.all():
            row = {"candidate": verdict.candidate_id, "version": run.criteria_version_id, "verdict": "fail"}
            client.post("/sets/replies/label/", row)

    assert Label.objects.count() == 9
    answer = gate.get("/api/v1/gate/strict/replies")
    assert answer.status_code == 409
    assert [reason["code"] for reason in answer.json()["reasons"]] == ["drift_alarm"]
    assert "disagreed with it on 7 of 7 audited live rows" in answer.json()["reasons"][0]["message"]
    assert in_force().cause == "drift"
    delivery = Delivery.objects.get()
    assert (delivery.event, delivery.payload["data"]["cause"]) == ("certificate.suspended", "drift")


def test_an_alarm_is_raised_once_and_stays(strict: JudgeVersion, criteria_set: CriteriaSet) -> None:
    audit(strict, criteria_set, [False] * 7)

    suspended = check(strict, criteria_set)

    assert suspended is not None
    assert (suspended.status, codes(suspended)) == ("uncertified", ["drift_alarm"])
    assert "Two passed golden replays in a row lift this" in suspended.reasons[0]["message"]
    assert check(strict, criteria_set) is None
    assert in_force() == suspended


def test_a_judge_that_people_agree_with_stays_certified(
    strict: JudgeVersion, criteria_set: CriteriaSet
) -> None:
    audit(strict, criteria_set, ([True] * 13 + [False]) * 4)

    assert check(strict, criteria_set) is None

    seen = watched(in_force()).seen
    assert seen is not None
    assert (seen.n, seen.alarm_at) == (56, None)


def test_only_drawn_rows_count_and_only_with_two_verdicts(
    strict: JudgeVersion, criteria_set: CriteriaSet
) -> None:
    make_run(strict, criteria_set, b=9, kind="scoring")  # people differ there, and nobody drew them
    draw_all(make_scoring(strict, criteria_set, ["pass", "skipped"]))  # nobody has labelled these
    run = audit(strict, criteria_set, [True, False, True])
    Verdict.objects.filter(pk=run.verdicts.order_by("pk")[0].pk).update(outcome="escalated")

    assert [row.agreed for row in watched(in_force()).rows] == [False, True]


def test_rows_stand_in_the_order_in_which_people_settled_them(
    strict: JudgeVersion, criteria_set: CriteriaSet
) -> None:
    run = audit(strict, criteria_set, [True, False, True])
    last = run.verdicts.order_by("pk")[1].candidate
    last.rulings.update(created_at=timezone.now() + timedelta(hours=1))

    assert [row.agreed for row in watched(in_force()).rows] == [True, True, False]


def test_the_watch_begins_anew_with_a_run(strict: JudgeVersion, criteria_set: CriteriaSet) -> None:
    audit(strict, criteria_set, [False] * 5)
    certify(strict, criteria_set, a=46, b=4, c=3, d=47)
    audit(strict, criteria_set, [False] * 5)

    assert check(strict, criteria_set) is None  # ten would have been too many
    assert len(watched(in_force()).rows) == 5


def test_the_watch_begins_anew_when_a_suspension_is_lifted(
    strict: JudgeVersion, criteria_set: CriteriaSet
) -> None:
    audit(strict, criteria_set, [False] * 8)
    check(strict, criteria_set)

    reinstate(
        judge_version_id=strict.pk,
        criteria_version_id=live(criteria_set).pk,
        now=timezone.now(),
        note="The labelers had misread the criteria.",
    )

    assert check(strict, criteria_set) is None
    assert watched(in_force()).rows == []


def test_a_judge_with_perfect_agreement_is_watched(criteria_set: CriteriaSet) -> None:
    judge = make_judge("perfect")
    certify(judge, criteria_set, a=15, d=15)
    audit(judge, criteria_set, [True] * 10 + [False] * 5)

    assert codes(check(judge, criteria_set) or in_force()) == ["drift_alarm"]


def test_a_judge_that_can_hardly_get_worse_is_said_to_be_unwatched(criteria_set: CriteriaSet) -> None:
    judge = make_judge("contrary")
    certify(judge, criteria_set, b=49, c=50, d=1)
    audit(judge, criteria_set, [False] * 9)

    found = watched(in_force())

    assert (found.cusum, found.seen) == (None, None)
    assert "can hardly get worse" in found.problem
    assert check(judge, criteria_set) is None


def test_the_timer_finds_what_no_label_told_of(strict: JudgeVersion, criteria_set: CriteriaSet) -> None:
    run = audit(strict, criteria_set, [False] * 9)
    said = dict(run.verdicts.values_list("pk", "outcome"))
    run.verdicts.update(outcome="skipped", reason="timeout")
    assert check_every_drift(now=timezone.now()) == 0

    for pk, outcome in said.items():  # asked again, with an answer
        Verdict.objects.filter(pk=pk).update(outcome=outcome, reason="")

    assert check_every_drift(now=timezone.now()) == 1
    assert check_every_drift(now=timezone.now()) == 0
    assert codes(in_force()) == ["drift_alarm"]


def test_a_judge_that_cannot_be_looked_at_holds_up_no_other(
    strict: JudgeVersion, criteria_set: CriteriaSet, caplog: pytest.LogCaptureFixture
) -> None:
    other = make_judge("other")
    certify(other, criteria_set, a=46, b=4, c=3, d=47)
    for judge in (strict, other):
        audit(judge, criteria_set, [False] * 9)
    Certificate.objects.filter(judge_version=strict).update(reasons=[{"code": "later"}])

    assert check_every_drift(now=timezone.now()) == 1

    assert Certificate.objects.current().get(judge_version=other).cause == "drift"
    assert f"Whether judge version {strict.pk} drifted cannot be told." in caplog.text


def test_who_is_not_certified_is_not_suspended(criteria_set: CriteriaSet) -> None:
    judge = make_judge()
    audit(judge, criteria_set, [False] * 9)
    assert check(judge, criteria_set) is None

    certify_run(run=make_run(judge, criteria_set, a=5, d=5))
    audit(judge, criteria_set, [False] * 9)

    assert check(judge, criteria_set) is None
    assert check_every_drift(now=timezone.now()) == 0


def test_another_judges_rows_say_nothing_of_this_one(strict: JudgeVersion, criteria_set: CriteriaSet) -> None:
    other = make_judge("other")
    audit(other, criteria_set, [False] * 9)

    assert check(strict, criteria_set) is None
    assert watched(in_force()).rows == []
