"""Whatever a few people do to a few rows in whatever order: what must never be, never is."""

from collections import Counter
from datetime import datetime, timedelta
from decimal import Decimal

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from labeling.models import Candidate, Label, Repeat, Skip, Slot
from labeling.services.labels import correct_label, give_label, skip_row
from labeling.services.passed_on import passed_on, put_back
from labeling.services.queue import NotWanted, next_row, open_slots
from labeling.services.undo import NothingToUndo, undo_last
from tests.factories import live, make_candidate, make_criteria_set, make_user

_PEOPLE, _ROWS = 3, 3
people = st.integers(0, _PEOPLE - 1)


class Queue(RuleBasedStateMachine):
    """Three people at three rows, of which some want one label and some two; half of the labels come back."""

    def __init__(self) -> None:
        super().__init__()
        self.history = transaction.atomic()
        self.history.__enter__()

    def teardown(self) -> None:
        transaction.set_rollback(True)
        self.history.__exit__(None, None, None)

    @initialize(labels=st.sampled_from([1, 1, 2]))
    def begin(self, labels: int) -> None:
        self.set = make_criteria_set("notes", labels_per_row=labels)
        self.set.double_share, self.set.double_rows = Decimal("0.5"), 1
        self.set.repeat_share = Decimal("0.5")
        self.set.save()
        self.people = [make_user(f"person-{n}", labels=self.set) for n in range(_PEOPLE)]
        self.version = live(self.set)
        self.version.criteria_set = self.set
        rows = [make_candidate(self.set, f"Note {n}").pk for n in range(_ROWS)]
        open_slots(version=self.version, candidate_ids=rows)
        self.wanted = Counter(Slot.objects.values_list("candidate", flat=True))
        self.hours = 0

    @property
    def now(self) -> datetime:
        return timezone.now() + timedelta(hours=self.hours)

    def row_of(self, person: User) -> Candidate | None:
        """The row handed to somebody, which is new to them or a repeat that is due."""
        row = next_row(version=self.version, labeler=person, now=self.now)
        if row:
            known = Label.objects.current().filter(candidate=row, labeler=person)
            skipped = Skip.objects.current().filter(candidate=row, labeler=person)
            shown = Repeat.objects.current().filter(label__in=known, answered_at=None)
            assert not known or shown.exclude(shown_at=None).exists()
            assert not skipped
        return row

    @rule(who=people)
    def look(self, who: int) -> None:
        self.row_of(self.people[who])

    @rule(who=people, verdict=st.sampled_from(["pass", "fail"]))
    def label(self, who: int, verdict: str) -> None:
        if row := self.row_of(self.people[who]):
            self.give(self.people[who], row, verdict)

    @rule(who=people, place=st.integers(0, _ROWS - 1))
    def label_an_old_page(self, who: int, place: int) -> None:
        try:
            self.give(self.people[who], self.set.candidates.order_by("pk")[place], "pass")
        except NotWanted:
            assert not Slot.objects.filter(labeler=self.people[who], state="lead").exists()

    def give(self, person: User, row: Candidate, verdict: str) -> None:
        give_label(
            candidate=row,
            version=self.version,
            labeler=person,
            verdict=verdict,
            marks={},
            comment="",
            seconds=1,
            now=self.now,
        )

    @rule(who=people)
    def skip(self, who: int) -> None:
        if row := self.row_of(self.people[who]):
            skip_row(
                candidate=row,
                version=self.version,
                labeler=self.people[who],
                reason="broken_row",
                comment="",
                now=self.now,
            )

    @rule(who=people)
    def undo(self, who: int) -> None:
        try:
            undo_last(labeler=self.people[who], version=self.version, now=self.now)
        except NothingToUndo:
            assert not Label.objects.current().filter(labeler=self.people[who]).exists()
        except NotWanted:
            assert Skip.objects.current().filter(labeler=self.people[who]).exists()

    @rule(who=people)
    def correct(self, who: int) -> None:
        label = Label.objects.current().filter(labeler=self.people[who]).last()
        if label:
            correct_label(label=label, verdict="fail", marks={}, comment="", now=self.now)

    @rule(hours=st.sampled_from([1, 40]))
    def time_passes(self, hours: int) -> None:
        self.hours += hours

    @rule()
    def put_one_back(self) -> None:
        if row := passed_on(self.version).first():
            put_back(candidate=row, version=self.version, actor=self.people[0])

    @invariant()
    def nobody_labels_too_often_or_twice(self) -> None:
        current = Label.objects.current().values_list("candidate", "labeler")
        assert max(Counter(current).values(), default=1) == 1
        for row, labels in Counter(row for row, _ in current).items():
            assert labels <= self.wanted[row]

    @invariant()
    def no_row_vanishes(self) -> None:
        for row, wanted in self.wanted.items():
            slots = Counter(Slot.objects.filter(candidate=row).values_list("state", flat=True))
            labels = Label.objects.current().filter(candidate=row).count()
            assert slots["done"] == labels
            assert slots.total() == wanted

    @invariant()
    def rows_that_have_a_label_stand_before_the_rest(self) -> None:
        for slot in Slot.objects.filter(state="open"):
            begun = Label.objects.current().filter(candidate=slot.candidate_id).exists()
            assert slot.priority in ((50, 100) if begun else (0, 100))


@pytest.mark.django_db
def test_what_must_never_be_never_is() -> None:
    bounded = settings(
        max_examples=20, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
    )
    run_state_machine_as_test(Queue, settings=bounded)
