"""Live rows that go to people: which are drawn, by what, and what that tells nobody."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from judging.models import Run, Verdict
from judging.services.audits import NothingToSend, draw_for_audit, sample_to_people
from judging.services.finishing import finish_run
from judging.services.runs import cancel_run
from labeling.models import AuditEvent, Candidate, CriteriaSet, Draw, DrawnRow, Label, Slot
from labeling.services.draws import drawn_for
from labeling.services.queue import FIRST, open_slots
from tests.factories import (
    live,
    make_candidate,
    make_criteria_set,
    make_judge,
    make_label,
    make_ruling,
    make_user,
)
from tests.judging.auditing import drawn_by_a_run, make_scoring
from tests.judging.golden import make_run

pytestmark = pytest.mark.django_db


@pytest.fixture
def criteria_set() -> CriteriaSet:
    """Of whose live rows people check a third."""
    criteria_set = make_criteria_set("replies")
    criteria_set.audit_share = "0.333"
    criteria_set.save()
    return CriteriaSet.objects.get()


def test_a_scoring_run_that_ends_sends_its_share_to_people(criteria_set: CriteriaSet) -> None:
    run = make_scoring(make_judge("strict"), criteria_set, ["pass", "fail", "skipped"] * 20)
    Run.objects.filter(pk=run.pk).update(state="running")

    assert finish_run(run_id=run.pk)

    draw = Draw.objects.get()
    assert (draw.judge, draw.seed, draw.frame, draw.is_equal) == ("strict@1", "audit:replies", 60, True)
    assert set(draw.rows.values_list("probability", flat=True)) == {0.333}
    queued = Slot.objects.filter(priority=FIRST).values_list("candidate_id", flat=True)
    assert sorted(queued) == sorted(draw.rows.values_list("candidate_id", flat=True))
    assert 8 <= len(queued) <= 34  # 60 · .333 ± 3.5 standard deviations
    assert AuditEvent.objects.get(action="audit_drawn").details["frame"] == 60


def test_a_cancelled_run_sends_its_share_of_what_it_had_judged(criteria_set: CriteriaSet) -> None:
    run = make_scoring(make_judge("strict"), criteria_set, ["pass"] * 60)
    later = list(run.verdicts.order_by("pk").values_list("pk", flat=True)[30:])
    Verdict.objects.filter(pk__in=later).update(outcome="pending", filled_at=None)
    Run.objects.filter(pk=run.pk).update(state="running")

    cancel_run(run=run)

    draw = Draw.objects.get()
    judged = run.verdicts.filter(outcome="pass").values("candidate")
    assert draw.frame == 30
    assert draw.rows.filter(candidate__in=judged).count() == draw.rows.count() > 0


def test_what_the_judge_said_chooses_nothing(criteria_set: CriteriaSet) -> None:
    run = make_scoring(make_judge(), criteria_set, ["pass"] * 40)
    first = drawn_by_a_run(run)
    DrawnRow.objects.all().delete()

    Verdict.objects.filter(run=run).update(outcome="fail")
    Verdict.objects.filter(run=run, candidate__in=first[:3]).update(outcome="skipped", reason="timeout")

    assert drawn_by_a_run(run) == first


def test_what_layer_1_killed_is_not_sent_since_no_judge_was_asked_about_it(criteria_set: CriteriaSet) -> None:
    run = make_scoring(make_judge(), criteria_set, ["pass"] * 40)
    first = drawn_by_a_run(run)
    DrawnRow.objects.all().delete()

    Verdict.objects.filter(run=run, candidate__in=first[:3]).update(outcome="not_asked", reason="killed")

    assert drawn_by_a_run(run) == first[3:]


def test_another_judge_is_checked_by_the_same_rows(criteria_set: CriteriaSet) -> None:
    run = make_scoring(make_judge(), criteria_set, ["pass"] * 40)
    other = make_scoring(make_judge(), criteria_set, [])
    Verdict.objects.bulk_create(
        Verdict(
            run=other,
            candidate=each.candidate,
            judge_version=other.judge_version,
            kind="juror",
            candidate_hash=each.candidate_hash,
            outcome="fail",
            filled_at=timezone.now(),
        )
        for each in run.verdicts.all()
    )

    assert drawn_by_a_run(run) == drawn_by_a_run(other) != []


def test_drawn_twice_it_is_drawn_once(criteria_set: CriteriaSet) -> None:
    run = make_scoring(make_judge(), criteria_set, ["pass"] * 30)

    draw_for_audit(run=run)

    assert draw_for_audit(run=run) is None
    assert Draw.objects.count() == 1


def test_what_was_drawn_in_earlier_years_is_not_read(criteria_set: CriteriaSet) -> None:
    judge = make_judge()
    drawn = drawn_by_a_run(make_scoring(judge, criteria_set, ["pass"] * 30))
    new = make_candidate(criteria_set, "New.")

    with CaptureQueriesContext(connection) as queries:
        assert drawn_for(live(criteria_set), str(judge), [new.pk, drawn[0]]) == {drawn[0]}

    assert all(f'"candidate_id" IN ({new.pk}, {drawn[0]})' in each["sql"] for each in queries)


def test_rows_that_people_had_decided_before_are_no_live_rows(criteria_set: CriteriaSet) -> None:
    run = make_scoring(make_judge(), criteria_set, ["pass"] * 3)
    criteria_set.audit_share = 1
    criteria_set.save()
    labelled, ruled, meanwhile = (each.candidate for each in run.verdicts.order_by("pk"))
    make_label(labelled, make_user())
    make_ruling(ruled)
    Run.objects.filter(pk=run.pk).update(created_at=timezone.now())
    make_label(meanwhile, make_user())

    assert drawn_by_a_run(Run.objects.get(pk=run.pk)) == [meanwhile.pk]
    assert not Slot.objects.exists()  # it has its label


def test_nothing_is_drawn_from_other_runs_nor_when_switched_off(criteria_set: CriteriaSet) -> None:
    judge = make_judge()
    for kind in ("calibration", "replay"):
        assert draw_for_audit(run=make_run(judge, criteria_set, a=9, kind=kind)) is None
    CriteriaSet.objects.update(audit_share=0)

    switched_off = CriteriaSet.objects.get()
    assert draw_for_audit(run=make_scoring(judge, switched_off, ["pass"] * 9)) is None


def test_a_lead_sends_rows_at_random_and_then_the_next(criteria_set: CriteriaSet) -> None:
    run = make_scoring(make_judge(), criteria_set, ["pass", "fail"] * 6)
    lead = make_user(lead_of=criteria_set)

    first, second = (sample_to_people(run=run, actor=lead, most=most) for most in (8, 20))

    assert (first.frame, second.frame, first.created_by) == (12, 4, lead)
    assert {row.probability for row in first.rows.all()} == {8 / 12}
    assert second.rows.count() == 4
    assert Slot.objects.filter(priority=FIRST).count() == 12
    with pytest.raises(NothingToSend, match="with people already"):
        sample_to_people(run=run, actor=lead)


def test_rows_of_a_calibration_are_not_sent(criteria_set: CriteriaSet) -> None:
    with pytest.raises(NothingToSend, match="have their labels already"):
        sample_to_people(run=make_run(make_judge(), criteria_set, a=1), actor=make_user())


def test_one_row_goes_to_people_if_it_is_for_tuning(criteria_set: CriteriaSet, client: Client) -> None:
    run = make_scoring(make_judge(), criteria_set, ["pass", "fail"])
    tune, certify = (each.candidate for each in run.verdicts.order_by("pk"))
    Candidate.objects.filter(pk=tune.pk).update(split="tune")
    client.force_login(make_user(lead_of=criteria_set))
    client.post(f"/runs/{run.pk}/verdicts/")  # opens the rows
    assert client.get(f"/runs/{run.pk}/verdicts/").content.decode().count("to people</button>") == 1

    answers = [
        client.post(f"/runs/{run.pk}/sample/", {"candidate": pk}, follow=True).content.decode()
        for pk in (tune.pk, tune.pk, certify.pk, 999_999)
    ]

    assert f"Row {tune.pk} stands first in the labeling queue now." in answers[0]
    assert "stands first in the queue already" in answers[1]
    assert "This row certifies judges" in answers[2]
    assert "no such row in this run" in answers[3]
    assert Slot.objects.get().candidate == tune
    assert AuditEvent.objects.get(action="row_sent_to_people").details["candidate"] == tune.pk


def test_a_labeler_sees_the_same_pages_in_the_same_order_whatever_the_judge_said(
    criteria_set: CriteriaSet, client: Client
) -> None:
    run = make_scoring(make_judge(), criteria_set, ["pass", "fail", "skipped", "pass"] * 5)
    rows = list(run.verdicts.order_by("pk").values_list("candidate_id", flat=True))
    open_slots(version=live(criteria_set), candidate_ids=rows)
    client.force_login(make_user("lena", labels=criteria_set))

    draw_for_audit(run=run)
    seen = _order(client)
    _as_before(rows)
    Verdict.objects.filter(run=run, outcome="pass").update(outcome="fail")
    draw_for_audit(run=run)
    seen_otherwise = _order(client)

    assert seen != sorted(seen)  # the draw brought rows forward
    assert seen_otherwise == seen


def _order(client: Client) -> list[int]:
    """The rows in which a labeler gets them, labelling each."""
    found = []
    while row := client.get("/sets/replies/label/").context.get("candidate"):
        found.append(row.pk)
        version = row.criteria_set.live_version_id
        client.post("/sets/replies/label/", {"candidate": row.pk, "version": version, "verdict": "pass"})
    return found


def _as_before(rows: list[int]) -> None:
    """The queue as it was before any draw and any label."""
    Label.objects.all().delete()
    Draw.objects.all().delete()
    Slot.objects.filter(candidate__in=rows).update(priority=0, state="open", labeler=None, lease_until=None)
