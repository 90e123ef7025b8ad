"""Splits that go to people stand first in the labeling queue, but choose no row that certifies judges."""

import pytest
from django.utils import timezone

from judging.models import Run
from judging.services.escalation import queue_splits
from judging.services.finishing import finish_run
from labeling.models import AuditEvent, Candidate, Slot
from labeling.services.queue import FIRST, bring_forward, open_slots
from tests.factories import (
    live,
    make_candidate,
    make_criteria_set,
    make_judge,
    make_label,
    make_panel,
    make_ruling,
    make_user,
    next_slot,
)
from tests.judging.golden import make_verdict

pytestmark = pytest.mark.django_db


@pytest.fixture
def run() -> Run:
    """A scoring run of a panel whose splits go to people, all of its rows judged."""
    panel = make_panel([make_judge(), make_judge()], on_split="human")
    version = live(make_criteria_set("replies", labels_per_row=2))
    return Run.objects.create(judge_version=panel, criteria_version=version, kind="scoring", on_split="human")


def row(run: Run, split: str = "tune", outcome: str = "escalated", slots: int = 2) -> Candidate:
    candidate = make_candidate(run.criteria_version.criteria_set, split=split, slots=slots)
    make_verdict(run, candidate, outcome)
    return candidate


def priorities(candidate: Candidate) -> list[int]:
    return list(candidate.slots.order_by("number").values_list("priority", flat=True))


def test_a_run_that_ends_puts_its_splits_first(run: Run) -> None:
    agreed, split = row(run, outcome="pass"), row(run)
    labeler = make_user(labels=run.criteria_version.criteria_set)

    assert finish_run(run_id=run.pk)

    assert (priorities(agreed), priorities(split)) == ([0, 0], [FIRST, FIRST])
    found = next_slot(version=run.criteria_version, labeler=labeler, now=timezone.now())
    assert found is not None
    assert found.candidate == split


def test_a_row_that_certifies_keeps_its_place(run: Run) -> None:
    queued, unqueued, tune = row(run, "certify"), row(run, "certify", slots=0), row(run)

    queue_splits(run=run)

    assert priorities(queued) == [0, 0]
    assert priorities(unqueued) == []
    assert priorities(tune) == [FIRST, FIRST]
    assert AuditEvent.objects.get(action="splits_queued").details == {
        "run": run.pk,
        "rows": 1,
        "kept_in_place": 2,
    }


def test_done_twice_it_is_done_once(run: Run) -> None:
    queued, unqueued = row(run), row(run, slots=0)

    assert (queue_splits(run=run), queue_splits(run=run)) == (2, 0)

    assert priorities(queued) == priorities(unqueued) == [FIRST, FIRST]
    assert AuditEvent.objects.filter(action="splits_queued").count() == 1


def test_what_people_have_settled_is_not_asked_again(run: Run) -> None:
    ruled, contested, half = row(run, slots=0), row(run, slots=0), row(run)
    make_ruling(ruled, "pass")
    for verdict in ("pass", "fail"):
        make_label(contested, make_user(), verdict)
    Slot.objects.filter(candidate=half, number=1).update(state="done")

    assert queue_splits(run=run) == 1

    assert (priorities(ruled), priorities(contested)) == ([], [])  # a tie waits for a ruling
    assert priorities(half) == [0, FIRST]


def test_a_row_in_hand_moves_up_without_being_taken_away(run: Run) -> None:
    labeler = make_user(labels=run.criteria_version.criteria_set)
    split = row(run)
    held = next_slot(version=run.criteria_version, labeler=labeler, now=timezone.now())

    queue_splits(run=run)

    slot = split.slots.get(labeler=labeler)
    assert held is not None
    assert (slot.lease_until, slot.priority) == (held.lease_until, FIRST)


def test_rows_are_brought_forward_under_the_version_that_was_asked(run: Run) -> None:
    candidate = make_candidate(run.criteria_version.criteria_set)
    open_slots(version=run.criteria_version, candidate_ids=[candidate.pk])

    assert bring_forward(version=run.criteria_version, candidate_ids=[]) == 0
    assert bring_forward(version=run.criteria_version, candidate_ids=[candidate.pk]) == 1
    assert priorities(candidate) == [FIRST, FIRST]
