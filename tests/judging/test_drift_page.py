"""The page about drift: what it says with evidence, without, and to whom."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from judging.models import Certificate, JudgeVersion, Run, Verdict
from judging.services.drift import check_drift
from judging.services.replays import count_replay
from judging.services.runs import start_run
from labeling.models import AuditEvent, Candidate, CriteriaSet, Exposure, Slot
from labeling.services.queue import FIRST
from tests.factories import live, make_criteria_set, make_judge, make_panel, make_user
from tests.judging.auditing import audit, make_scoring
from tests.judging.dashboards import certify, text

pytestmark = pytest.mark.django_db

URL = "/dashboard/strict/replies/drift/"


@pytest.fixture
def criteria_set() -> CriteriaSet:
    criteria_set = make_criteria_set("replies")
    CriteriaSet.objects.update(audit_share="0.05")
    criteria_set.refresh_from_db()
    return criteria_set


@pytest.fixture
def strict(criteria_set: CriteriaSet) -> JudgeVersion:
    judge = make_judge("strict")
    certify(judge, criteria_set, a=46, b=4, c=3, d=47)
    return judge


@pytest.fixture
def lead(criteria_set: CriteriaSet, client: Client) -> User:
    user = make_user("lena", lead_of=criteria_set)
    client.force_login(user)
    return user


def aged(days: int) -> None:
    """Let the certificate be so many days old."""
    then = timezone.now() - timedelta(days=days)
    Certificate.objects.update(created_at=then, calibrated_at=then)


def replay(judge: JudgeVersion, criteria_set: CriteriaSet, wrong: int = 0) -> Run:
    """A replay as the certified run was, but so many rows that were right and are wrong now."""
    certified = Certificate.objects.current().get(judge_version=judge)
    run = start_run(judge_version=judge, criteria_version=live(criteria_set), kind="replay")
    then = dict(certified.calibration.rows.values_list("candidate_id", "outcome"))
    right = dict(certified.calibration.rows.values_list("candidate_id", "truth"))
    for verdict in run.verdicts.order_by("pk"):
        outcome = then.get(verdict.candidate_id) or verdict.candidate.rulings.get().verdict
        if wrong and outcome == right.get(verdict.candidate_id):
            wrong, outcome = wrong - 1, {"pass": "fail", "fail": "pass"}[outcome]
        Verdict.objects.filter(pk=verdict.pk).update(outcome=outcome, filled_at=timezone.now())
    Run.objects.filter(pk=run.pk).update(state="finished", finished_at=timezone.now())
    count_replay(run=run, known={})
    return run


def test_without_a_certificate_there_is_nothing_to_lose(
    lead: User, criteria_set: CriteriaSet, client: Client
) -> None:
    make_judge("strict")

    html = text(client.get(URL))

    assert "nothing that it could drift away from" in html
    assert "Calibrate it" in html


def test_without_evidence_nobody_knows_and_the_page_says_what_to_do(
    lead: User, strict: JudgeVersion, client: Client
) -> None:
    aged(days=12)

    html = text(client.get(URL))

    assert "Nobody knows: too little was looked at since it was certified." in html
    for missing in (
        "No audit labels for 12 days.",
        "No golden replay for 12 days.",
        "No golden replay is scheduled.",
        "Nothing was judged for 12 days.",
    ):
        assert missing in html
    assert "kind=replay" in html
    assert "kind=sample" in html
    assert "No live row was judged since then." in html


def test_a_switched_off_audit_is_said(lead: User, strict: JudgeVersion, client: Client) -> None:
    CriteriaSet.objects.update(audit_share=0)

    html = text(client.get(URL))

    assert "The audit is switched off: no live row goes to people." in html
    assert "/sets/replies/policy/" in html


def test_steady_replays_and_audits_are_good_news(
    lead: User, strict: JudgeVersion, criteria_set: CriteriaSet, client: Client
) -> None:
    audit(strict, criteria_set, ([True] * 13 + [False]) * 2)
    replay(strict, criteria_set)

    html = text(client.get(URL))

    assert "Nothing shows that it got worse since it was certified." in html
    assert "disagreed on 2 of 28 audited rows" in html
    assert "at 5.0 the certificate is suspended" in html
    assert html.count(": they disagreed, sum") == 2
    assert 'data-label="What it says">passed<' in html


def test_a_judge_that_moved_is_told_from_a_product_that_did(
    lead: User, strict: JudgeVersion, criteria_set: CriteriaSet, client: Client
) -> None:
    audit(strict, criteria_set, [False] * 7)
    check_drift(judge_version_id=strict.pk, criteria_version_id=live(criteria_set).pk, now=timezone.now())
    html = text(client.get(URL))
    assert "Probably not: people disagree with it more than when it was certified." in html
    assert "start one now" in html or "Start a golden replay" in html

    for _ in range(2):
        replay(strict, criteria_set, wrong=9)

    html = text(client.get(URL))
    assert "No: the judge itself got worse since it was certified." in html
    assert html.count("worse than the certified run by more than chance (p = 0.002)") == 2
    assert "alarm" in html


def test_a_replay_under_the_bar_is_worse_however_few_rows_moved(
    lead: User, criteria_set: CriteriaSet, client: Client
) -> None:
    judge = make_judge("strict")
    certify(judge, criteria_set, a=26, b=5, c=5, d=25)  # kappa .67
    replay(judge, criteria_set, wrong=2)

    html = text(client.get(URL))

    assert "below the bar of 0.65" in html
    assert "No: the judge itself got worse since it was certified." in html


def test_a_pass_rate_that_moved_with_steady_replays_is_the_products(
    lead: User, strict: JudgeVersion, criteria_set: CriteriaSet, client: Client
) -> None:
    aged(days=9)
    for day, passes in enumerate((32, 30, 33, 31, 12)):
        run = make_scoring(strict, criteria_set, ["pass"] * passes + ["fail"] * (40 - passes))
        run.verdicts.update(filled_at=timezone.now() - timedelta(days=6 - day))
    replay(strict, criteria_set)

    html = text(client.get(URL))

    assert "The judge seems as it was; what it judges changed." in html
    assert "Pass rate: 1 day was out of what is usual" in html
    assert "with 30%, lower than usual." in html
    assert "Usual is 79.2%, by the first 120 rows" in html


def test_a_panels_jurors_are_compared_day_by_day(
    lead: User, criteria_set: CriteriaSet, client: Client
) -> None:
    panel = make_panel([make_judge("one"), make_judge("two")], "strict")
    certify(panel, criteria_set, a=20, d=20)
    run = make_scoring(panel, criteria_set, ["pass"] * 4)
    for number, own in enumerate(run.verdicts.all()):
        for juror, outcome in zip(panel.jurors(), ("pass", "fail" if number == 0 else "pass"), strict=True):
            Verdict.objects.create(
                run=run,
                candidate=own.candidate,
                judge_version=juror,
                kind="juror",
                panel_verdict=own,
                candidate_hash=own.candidate_hash,
                outcome=outcome,
                filled_at=own.filled_at,
            )

    html = text(client.get(URL))

    assert "Jurors that agree" in html
    assert "75%, 3 of 4" in html


def test_rows_that_certify_are_closed_until_they_are_opened_which_is_logged(
    lead: User, strict: JudgeVersion, criteria_set: CriteriaSet, client: Client
) -> None:
    run = audit(strict, criteria_set, [False, False, True])
    tuning = run.verdicts.order_by("pk")[0].candidate
    Candidate.objects.filter(pk=tuning.pk).update(split="tune")
    closed = run.verdicts.order_by("pk")[1].candidate

    html = text(client.get(URL))
    assert tuning.output in html
    assert closed.output not in html
    assert "1 such row certifies judges and is closed to you." in html

    client.post(URL)

    assert closed.output in text(client.get(URL))
    assert AuditEvent.objects.get(action="certify_rows_opened").details["candidates"] == [closed.pk]
    seen = Exposure.objects.filter(user=lead, what=Exposure.What.VERDICTS)
    assert set(seen.values_list("candidate_id", flat=True)) == {tuning.pk, closed.pk}


def test_a_lead_sends_rows_of_the_last_run_to_people(
    lead: User, strict: JudgeVersion, criteria_set: CriteriaSet, client: Client
) -> None:
    run = make_scoring(strict, criteria_set, ["pass"] * 30)
    assert f'action="/runs/{run.pk}/sample/"' in text(client.get(URL))

    answer = client.post(f"/runs/{run.pk}/sample/", follow=True)

    assert "20 rows stand first in the labeling queue now, drawn at random from 30." in text(answer)
    assert Slot.objects.filter(priority=FIRST).count() == 20
    client.post(f"/runs/{run.pk}/sample/")
    assert "Every row of this run is with people already" in text(
        client.post(f"/runs/{run.pk}/sample/", follow=True)
    )


def test_labelers_and_strangers_stay_out(
    strict: JudgeVersion, criteria_set: CriteriaSet, client: Client
) -> None:
    run = make_scoring(strict, criteria_set, ["pass"])
    client.force_login(make_user(labels=criteria_set))
    assert client.get(URL).status_code == 403
    assert client.post(f"/runs/{run.pk}/sample/").status_code == 403

    client.force_login(make_user(lead_of=make_criteria_set()))

    assert client.get(URL).status_code == 404
    assert client.post(f"/runs/{run.pk}/sample/").status_code == 404
    assert not Slot.objects.exists()


def test_more_rows_take_no_more_queries(
    lead: User, strict: JudgeVersion, criteria_set: CriteriaSet, client: Client
) -> None:
    audit(strict, criteria_set, [True, False] * 2)
    client.get(URL)
    with CaptureQueriesContext(
        connection,
    ) as few:
        client.get(URL)

    audit(strict, criteria_set, [True] * 30)

    with CaptureQueriesContext(connection) as many:
        client.get(URL)
    assert len(many) == len(few)
