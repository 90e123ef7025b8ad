"""Who is told that human verdicts changed, also when telling fails at first."""

from collections.abc import Collection
from datetime import timedelta

import pytest
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks

from labeling.models import CriteriaVersion, TruthChange
from labeling.services import truth
from tests.factories import live, make_candidate, make_criteria_set

pytestmark = pytest.mark.django_db


class Ear:
    """A listener that remembers what it heard, and fails while it is told to."""

    def __init__(self) -> None:
        self.heard: list[list[int]] = []
        self.broken = False

    def __call__(self, version: CriteriaVersion, candidate_ids: Collection[int]) -> None:
        if self.broken:
            raise RuntimeError("not now")
        self.heard.append(list(candidate_ids))


@pytest.fixture
def ear(monkeypatch: pytest.MonkeyPatch) -> Ear:
    listener = Ear()
    monkeypatch.setattr(truth, "listeners", [listener])
    return listener


def change() -> int:
    candidate = make_candidate(make_criteria_set())
    truth.truth_changed(version=live(candidate.criteria_set), candidate_ids={candidate.pk})
    return candidate.pk


def test_listeners_are_told_on_commit_and_no_note_stays(
    ear: Ear, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        candidate = change()
        assert ear.heard == []

    assert ear.heard == [[candidate]]
    assert not TruthChange.objects.exists()


def test_a_listener_that_fails_harms_nobody_and_is_told_again(
    ear: Ear, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    ear.broken = True
    with django_capture_on_commit_callbacks(execute=True):
        candidate = change()

    ear.broken = False
    assert truth.tell_overdue(now=timezone.now()) == 0  # still in time
    assert truth.tell_overdue(now=timezone.now() + truth.OVERDUE + timedelta(seconds=1)) == 1
    assert ear.heard == [[candidate]]
    assert not TruthChange.objects.exists()


def test_what_a_killed_process_left_is_told_later(ear: Ear) -> None:
    candidate = change()  # committed, and nobody was told

    truth.tell_overdue(now=timezone.now() + timedelta(minutes=1))

    assert ear.heard == [[candidate]]


def test_nothing_changed_is_nothing_to_tell(ear: Ear) -> None:
    truth.truth_changed(version=live(make_criteria_set()), candidate_ids=set())

    assert not TruthChange.objects.exists()
